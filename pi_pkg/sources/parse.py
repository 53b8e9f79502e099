"""A source string becomes a source, or an error that gives the accepted spelling.

Touches: files (whether a bare name exists, and where links lead).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pi_pkg.errors import SourceError
from pi_pkg.sources.model import LocalSource, PypiSource, Source, canonical_name
from pi_pkg.sources.schemes import SCHEMES, SHORTHANDS

_PYPI: Final = re.compile(
    r"(?P<name>[^\s\[\]@<>=!~^,;()]*)\s*(?:\[(?P<extras>[^\]]*)\])?\s*(?P<spec>.*)", re.DOTALL
)
_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_SCHEME: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://")
_WORD: Final = re.compile(r"(?P<word>[A-Za-z][A-Za-z0-9+.-]*):(?P<rest>.*)", re.DOTALL)
_SCP_START: Final = re.compile(r"[^@:/\s]+@[^@:/\s]+:")
_REMOTE_LIKE: Final = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/[^/]+/.+")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
MAX_LENGTH: Final = 4096
"""Characters of a source, as written and in its canonical form; no address and no path is longer."""
_KINDS: Final = "pypi:NAME, git:HOST/ORG/REPO, or a path such as ./DIR"


RealPath = Callable[[str], str]
"""Resolves the links of an absolute, normalised path."""


def parse_source(
    text: str, *, base: Path | str, home: Path | str, real: RealPath = os.path.realpath
) -> Source:
    """The source that a string names; blanks around it do not count.

    Args:
        text: what the user or a settings file wrote.
        base: absolute folder that relative paths start from.
        home: folder that `~` stands for.
        real: looks up where links lead; one that remembers is cheaper for many sources in one folder.

    Raises:
        SourceError: nothing that pi could install from; the message gives the accepted spelling.
    """
    asked = text.strip()
    if not asked:
        raise SourceError(text, "it is empty", f"Write {_KINDS}.")
    if len(asked) > MAX_LENGTH:
        raise _too_long(asked, len(asked))
    if _CONTROL.search(asked):
        raise SourceError(asked, "it holds a control character", f"Write {_KINDS}.")
    source = _parsed(asked, base, home, real)
    if len(source.canonical) > MAX_LENGTH:
        raise _too_long(asked, len(source.canonical))
    return source


def _parsed(asked: str, base: Path | str, home: Path | str, real: RealPath) -> Source:
    if _is_path(asked):
        return _local(asked, asked, base, home, real)
    if match := _SCHEME.match(asked):
        return _from_url(asked, match["scheme"].lower(), base, home, real)
    if _SCP_START.match(asked) and not asked.startswith("git:"):
        raise SourceError(asked, "an address of this form needs its kind", f"Write git:{asked}.")
    if match := _WORD.fullmatch(asked):
        return _from_word(asked, match["word"], match["rest"].strip())
    return _bare(asked, base, home, real)


def _too_long(asked: str, length: int) -> SourceError:
    return SourceError(f"{asked[:60]}…", f"it has {length} characters", f"Write {_KINDS}.")


def environment_name(text: str) -> str | None:
    """The canonical name in `env:NAME`, which filters what is installed beside pi; None for anything else."""
    word, mark, name = text.strip().partition(":")
    return canonical_name(name) if mark and word == "env" and _NAME.fullmatch(name) else None


def _is_path(asked: str) -> bool:
    if asked in {".", "..", "~"} or asked.startswith(("./", "../", "/", "~/")):
        return True
    return os.name == "nt" and (asked.startswith((".\\", "..\\", "~\\", "\\")) or bool(_DRIVE.match(asked)))


def _from_url(asked: str, scheme: str, base: Path | str, home: Path | str, real: RealPath) -> Source:
    if scheme == "file":
        return _local(asked, _path_of_file_url(asked), base, home, real)
    return _git(asked, asked)


def _from_word(asked: str, word: str, rest: str) -> Source:
    match word:
        case "pypi":
            return _pypi(asked, rest)
        case "git":
            return _git(asked, rest)
        case "npm":
            name = rest.lstrip("@").rpartition("/")[2].partition("@")[0]
            proposal = name if _NAME.fullmatch(name) else "NAME"
            hint = f"If it exists for Python, write pypi:{proposal}."
            raise SourceError(asked, "npm packages hold JavaScript, which is not loaded here", hint)
        case "env":
            hint = "Install it where pi itself is installed; in settings, the entry filters it."
            raise SourceError(asked, "'env:' names what is installed beside pi", hint)
        case _ if word in SHORTHANDS:
            return _git(asked, asked)
        case _ if word.lower() in {"pypi", "npm", "git", *SHORTHANDS}:
            hint = f"Write {'pypi' if word.lower() == 'npm' else word.lower()}:{rest}."
            raise SourceError(asked, f"{word + ':'!r} is written in lower case", hint)
        case _ if word.lower() in SCHEMES:
            hint = (
                "Write file:///PATH." if word.lower() == "file" else f"Write {word.lower()}://HOST/ORG/REPO."
            )
            raise SourceError(asked, f"{word + ':'!r} is not followed by '//'", hint)
        case _:
            raise SourceError(asked, f"{word + ':'!r} is no kind of source", f"Write {_KINDS}.")


def _git(asked: str, address: str) -> Source:
    from pi_pkg.sources.git_url import parse_git  # start-up time: a grammar that many settings never use

    return parse_git(asked, address)


def _pypi(asked: str, rest: str) -> PypiSource:
    match = _PYPI.fullmatch(rest)
    name = match["name"] if match else ""
    if match is None or _NAME.fullmatch(name) is None:
        found = f"{name or rest!r} is no distribution name" if rest else "no name follows 'pypi:'"
        raise SourceError(asked, found, "Write pypi:NAME, pypi:NAME@1.2.3 or pypi:NAME>=1,<2.")
    extras = _extras(asked, match["extras"])
    return PypiSource(name, extras, _specifier(asked, name, match["spec"].strip()), asked)


def _extras(asked: str, text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    names = [name.strip() for name in text.split(",")]
    if not all(_NAME.fullmatch(name) for name in names):
        raise SourceError(
            asked, f"{'[' + text + ']'!r} is no list of extras", "Write pypi:NAME[extra1,extra2]."
        )
    return tuple(dict.fromkeys(canonical_name(name) for name in names))


def _specifier(asked: str, name: str, spec: str) -> str:
    if not spec:
        return ""
    accepted = f"Write pypi:{name}@1.2.3, pypi:{name}@^1.2 or pypi:{name}>=1,<2."
    if ";" in spec:
        raise SourceError(asked, "a source holds no environment marker (';')", accepted)
    wanted = spec.removeprefix("@").strip()
    if not wanted:
        raise SourceError(asked, "nothing follows the '@'", accepted)
    if not spec.startswith("@") and spec[0] not in "<>=!~^":
        raise SourceError(asked, f"{spec!r} after the name is no version", accepted)
    from pi_pkg.sources.version_spec import Untranslatable, translate  # start-up time: as above

    try:
        return translate(wanted)
    except Untranslatable as problem:
        raise SourceError(asked, str(problem), accepted) from None


def _bare(asked: str, base: Path | str, home: Path | str, real: RealPath) -> Source:
    """A string without any mark is the path it names if that exists, else what was probably meant."""
    if os.path.lexists(os.path.join(base, asked)):
        return _local(asked, asked, base, home, real)
    if asked.startswith("~"):
        raise SourceError(asked, "'~NAME' is not expanded", "Write the whole path.")
    if _REMOTE_LIKE.fullmatch(asked):
        raise _no_such(asked, base, f"For a repository write git:{asked}.")
    name = _PYPI.fullmatch(asked)
    if name and _NAME.fullmatch(name["name"]) and "/" not in asked and "\\" not in asked:
        raise _no_such(asked, base, f"For a package of an index write pypi:{asked}, for a path ./{asked}.")
    raise _no_such(asked, base, f"Write {_KINDS}.")


def _no_such(asked: str, base: Path | str, hint: str) -> SourceError:
    return SourceError(asked, f"there is no such path in {base}", hint)


def _local(asked: str, path: str, base: Path | str, home: Path | str, real: RealPath) -> LocalSource:
    if path == "~" or path[:2] in {"~/", "~\\"}:
        path = os.path.join(home, path[2:])
    absolute = os.path.normpath(os.path.join(base, path))
    return LocalSource(absolute, real(absolute), asked)


def _path_of_file_url(asked: str) -> str:
    rest = asked.partition("://")[2]
    authority, slash, path = rest.partition("/")
    if authority.lower() not in {"", "localhost"} or not slash:
        raise SourceError(asked, "a file URL needs three slashes and an absolute path", "Write file:///PATH.")
    from urllib.parse import unquote  # start-up time: file URLs are rare in settings

    decoded = unquote(path.partition("?")[0].partition("#")[0])
    if _CONTROL.search(decoded):
        raise SourceError(asked, "its path holds a control character", "Write file:///PATH.")
    return decoded if os.name == "nt" and _DRIVE.match(decoded) else f"/{decoded}"
