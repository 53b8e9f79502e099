"""A requirements file of pip, read as sources of packages.

pip-api knows what a file and the files it names consist of. Each line is then read anew, since that
library brings an older grammar and runs the words of a line together.

Touches: files, processes (importing pip-api runs pip).
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from pi_pkg.errors import InstallError

_COMMENT: Final = re.compile(r"(^|\s)#.*$")
_EDITABLE: Final = re.compile(r"(?:-e|--editable)(?:\s+|=)(.*)")
_VCS: Final = re.compile(r"git\+(\w+://.+)")
_OPTION: Final = re.compile(r"\s--?[a-z]")
_PLACES: Final = re.compile(
    r"\s*(?:-i|--index-url|--extra-index-url|-f|--find-links|--trusted-host|--no-index|--pre|-c|--constraint)\b"
)
_HASHES: Final = (
    "hashes of a requirements file are not checked here", "A lock file holds hashes that are checked.",
)  # fmt: skip


class RequirementsFileError(InstallError):
    """A requirements file that cannot be read, or asks for what no source can say. Names file and line."""

    code = "requirements-invalid"

    def __init__(self, place: str, problem: str, hint: str | None = None) -> None:
        super().__init__(f"{place}: {problem}.", hint=hint)
        self.place = place
        self.problem = problem


def listed_sources(path: Path) -> tuple[str, ...]:
    """The sources that a file and the files it names list, in order; paths are absolute.

    Lines whose marker does not hold here are left out.

    Raises:
        RequirementsFileError: a file or a line that cannot be read, or that means more than a source can
            say: hashes, archives by address, options that choose other places.
    """
    pip_api: Any = import_module("pip_api")  # runs pip when imported (0.4 s), so only here
    try:
        found = pip_api.parse_requirements(str(path), include_invalid=True)
    except OSError as error:
        raise RequirementsFileError(str(path), f"it cannot be read: {error.strerror or error}") from error
    except (pip_api.exceptions.PipError, ValueError) as error:
        for number, line in enumerate(_logical_lines(path), 1):
            if "--hash" in line:  # pip-api stumbles over one without a colon, and names no line
                raise RequirementsFileError(f"{path}:{number}", *_HASHES) from error
        raise RequirementsFileError(str(path), str(error).rstrip(".")) from error
    rows = [(str(item.filename), int(item.lineno)) for item in found.values()]
    places = sorted(rows, key=lambda row: (row[0] != str(path), row))
    files = {
        name: _logical_lines(Path(name)) for name in dict.fromkeys([str(path), *(name for name, _ in places)])
    }
    for name, lines in files.items():
        _refuse_places(name, lines)
    sources = (_source(f"{name}:{line}", files[name][line - 1], Path(name).parent) for name, line in places)
    return tuple(dict.fromkeys(source for source in sources if source is not None))


def _logical_lines(path: Path) -> list[str]:
    """The lines as pip-api counts them: what a backslash joins is one."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return [_COMMENT.sub("", line).strip() for line in text.replace("\\\n", "").splitlines()]


def _refuse_places(name: str, lines: list[str]) -> None:
    for number, line in enumerate(lines, 1):
        if _PLACES.match(line):
            hint = "Say it in the [install] table of the settings, or in a PIP_* variable."
            raise RequirementsFileError(
                f"{name}:{number}", f"{line.split()[0]!r} is not taken from a file", hint
            )


def _source(place: str, line: str, folder: Path) -> str | None:
    """What a line asks for; None where its marker does not hold."""
    if "--hash" in line:
        raise RequirementsFileError(place, *_HASHES)
    editable = _EDITABLE.fullmatch(line)
    text = editable[1].strip() if editable else line
    if not editable and _OPTION.search(text):
        raise RequirementsFileError(place, f"{text!r} carries an option")
    if match := _VCS.fullmatch(text):
        return _git(match[1])
    return _local(place, text, folder) if editable or _is_path(text) else _requirement(place, text, folder)


def _requirement(place: str, text: str, folder: Path) -> str | None:
    from packaging.requirements import InvalidRequirement, Requirement  # start-up time: rare

    try:
        requirement = Requirement(text)
    except InvalidRequirement as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise RequirementsFileError(place, f"{text!r} is no requirement: {reason}") from error
    if requirement.marker is not None and not requirement.marker.evaluate():
        return None
    if requirement.url is None:
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        return f"pypi:{requirement.name}{extras}{requirement.specifier}"
    if match := _VCS.fullmatch(requirement.url):
        return _git(match[1])
    return _local(place, requirement.url, folder)


def _git(address: str) -> str:
    """A git address without the fragments that only pip knows."""
    address, _, fragment = address.partition("#")
    kept = [part for part in fragment.split("&") if part.startswith("subdirectory=")]
    return f"git:{address}" + (f"#{kept[0]}" if kept else "")


def _local(place: str, text: str, folder: Path) -> str:
    if text.startswith("file:"):
        return text
    if "://" in text:
        hint = "Name it as pypi:NAME, or download the wheel and name the file."
        raise RequirementsFileError(place, f"{text!r} is an archive by its address", hint)
    return os.path.normpath(folder.absolute() / text.partition("#")[0])


def _is_path(text: str) -> bool:
    head = text.partition("@")[0].rstrip()
    return head.startswith((".", "file:")) or head.endswith(".whl") or "/" in head or os.sep in head
