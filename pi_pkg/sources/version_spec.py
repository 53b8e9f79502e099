"""Version requirements of a source: PEP 440 as it stands, and npm's spellings translated to it.

Written without the packaging library, which `pi list` must not pay for; a test holds the two together.

Pure.
"""

from __future__ import annotations

import re
from typing import Final

_VERSION: Final = re.compile(
    r"""
    [vV]?
    (?P<epoch>\d+!)?
    (?P<release>\d+(?:\.\d+)*)
    (?P<pre>[-_.]?(?P<kind>alpha|beta|preview|pre|rc|a|b|c)[-_.]?(?P<number>\d*))?
    (?P<post>-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?
    (?P<dev>[-_.]?dev[-_.]?\d*)?
    (?P<local>\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_WILDCARD: Final = re.compile(r"[vV]?(\d+(?:\.\d+)*)(?:\.[xX*])+", re.ASCII)
_CLAUSE: Final = re.compile(r"\s*(===|~=|==|!=|<=|>=|<|>|=|\^|~)?\s*((?:\d+!)?[^\s,<>=!~^|]+)\s*")
_ARBITRARY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]*")
_HYPHEN_RANGE: Final = re.compile(r"(\S+)\s+-\s+(\S+)")
_KINDS: Final = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}
_ANY: Final = frozenset({"*", "x", "X", "latest"})


class Untranslatable(ValueError):
    """A version requirement without a PEP 440 form; its text is the reason, without a full stop."""


def translate(text: str) -> str:
    """The PEP 440 specifier for what follows the name in a `pypi:` source; empty allows any version.

    PEP 440 passes as it stands. Of npm's spellings `^`, `~`, `x` ranges, `a - b`, blanks meaning "and",
    `latest` and `next` are translated; `||` has no counterpart. A bare version is exactly that version.

    Raises:
        Untranslatable: a piece is neither.
    """
    text = text.strip()
    if text in _ANY:
        return ""
    if text == "next":
        return ">=0.dev0"  # naming a pre-release is how PEP 440 lets them in
    if "||" in text:
        raise Untranslatable("an alternative ('||') has no counterpart among Python version specifiers")
    if match := _HYPHEN_RANGE.fullmatch(text):
        return f">={_normal(match[1])},<={_normal(match[2])}"
    clauses = _clauses(text)
    return ",".join(clause for clause in clauses if clause)


def _clauses(text: str) -> list[str]:
    clauses: list[str] = []
    for part in text.split(","):
        position = 0
        while position < len(part) or not part:
            match = _CLAUSE.match(part, position)
            if match is None:
                raise Untranslatable(f"{part[position:] or text!r} is no version")
            clauses += _clause(match[1] or "", match[2])
            position = match.end()
    return clauses


def _clause(operator: str, version: str) -> list[str]:
    if version in _ANY:
        return []
    wildcard = _WILDCARD.fullmatch(version)
    match operator:
        case "^" | "~":
            return _compatible(operator, wildcard[1] if wildcard else version)
        case "" | "=" | "==" | "!=":
            sign = "!=" if operator == "!=" else "=="
            return [f"{sign}{wildcard[1]}.*" if wildcard else f"{sign}{_normal(version)}"]
        case "~=":
            if "." not in _parsed(version)["release"]:
                raise Untranslatable(f"'~={version}' needs two numbers, as in '~={version}.0'")
            return [f"~={_public(operator, version)}"]
        case "===":
            if _ARBITRARY.fullmatch(version) is None:
                raise Untranslatable(f"{version!r} is no version")
            return [f"==={version}"]
        case _:
            return [f"{operator}{_public(operator, wildcard[1] if wildcard else version)}"]


def _compatible(operator: str, version: str) -> list[str]:
    """`>=version` and the first release that is no longer compatible in npm's sense."""
    low = _public(operator, version)
    numbers = [int(number) for number in _parsed(version)["release"].split(".")]
    if operator == "~":
        kept = min(len(numbers), 2)
    else:
        kept = next((at for at, number in enumerate(numbers, 1) if number), len(numbers))
    bound = [*numbers[: kept - 1], numbers[kept - 1] + 1]
    epoch = _parsed(version)["epoch"] or ""
    return [f">={low}", f"<{epoch}{'.'.join(map(str, bound))}"]


def _parsed(version: str) -> re.Match[str]:
    match = _VERSION.fullmatch(version)
    if match is None:
        raise Untranslatable(f"{version!r} is no version")
    return match


def _public(operator: str, version: str) -> str:
    """A version without a local part, which only `==` and `!=` may carry."""
    if _parsed(version)["local"]:
        raise Untranslatable(f"{operator}{version!r}: a local version ('+…') can only be compared with '=='")
    return _normal(version)


def _normal(version: str) -> str:
    """The version without a leading `v`, its pre-release in PEP 440's short form, the rest as written."""
    match = _parsed(version)
    pre = ""
    if match["pre"]:
        kind = match["kind"].lower()
        pre = f"{_KINDS.get(kind, kind)}{match['number'] or 0}"
    rest = "".join((match[part] or "").lower() for part in ("post", "dev", "local"))
    return f"{match['epoch'] or ''}{match['release']}{pre}{rest}"
