"""Whether a package can live with this pi: its `requires-host` and `tested-host`, held against a version.

Plain comparisons are made here, since `pi list` must not load the packaging library; anything beyond them
is left to it. A test holds the two together.

Pure.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final

from pi_pkg.diagnostics import Diagnostic, Severity
from pi_pkg.resources.model import Manifest
from pi_pkg.sources.version_spec import Untranslatable, translate

_PLAIN: Final = re.compile(r"\d+(?:\.\d+)*", re.ASCII)
_CLAUSE: Final = re.compile(r"(~=|==|!=|<=|>=|<|>)(\d+(?:\.\d+)*)(\.\*)?", re.ASCII)
_LONGEST: Final = 200
"""Characters of a specifier that are looked at; nobody writes more."""


class BadSpecifier(ValueError):
    """A requirement that says nothing; the text is the reason, without a full stop."""


def allows(specifier: str, version: str) -> bool:
    """Whether a version satisfies a PEP 440 specifier, or one of npm's spellings that can be translated.

    Pre-releases of the host count, since the host is what runs.

    Raises:
        BadSpecifier: it is no specifier.
    """
    if len(specifier) > _LONGEST:
        raise BadSpecifier(f"it has {len(specifier)} characters")
    if not specifier.strip():
        return True
    try:
        clauses = translate(specifier).split(",")
    except Untranslatable as problem:
        raise BadSpecifier(str(problem)) from None
    parsed = [_CLAUSE.fullmatch(clause) for clause in clauses if clause]
    if _PLAIN.fullmatch(version) is None or None in parsed:
        return _allowed_by_library(",".join(clauses), version)
    numbers = _numbers(version)
    return all(_holds(match[1], _numbers(match[2]), bool(match[3]), numbers) for match in parsed if match)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _holds(operator: str, wanted: list[int], any_below: bool, version: list[int]) -> bool:
    if operator == "~=":
        return _compared(version, wanted) >= 0 and _starts(version, wanted[:-1])
    if operator in ("==", "!="):
        same = _starts(version, wanted) if any_below else _compared(version, wanted) == 0
        return same is (operator == "==")
    order = _compared(version, wanted)
    return order < 0 if operator == "<" else order > 0 if operator == ">" else _or_equal(operator, order)


def _or_equal(operator: str, order: int) -> bool:
    return order <= 0 if operator == "<=" else order >= 0


def _compared(left: list[int], right: list[int]) -> int:
    """Minus one, nought or one; missing numbers are noughts."""
    for one, other in zip_longest(left, right, fillvalue=0):
        if one != other:
            return -1 if one < other else 1
    return 0


def _starts(version: list[int], prefix: list[int]) -> bool:
    return all(one == other for one, other in zip_longest(version[: len(prefix)], prefix, fillvalue=0))


def _allowed_by_library(specifier: str, version: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # start-up time: few hosts need it

    try:
        return SpecifierSet(specifier).contains(version, prereleases=True)
    except InvalidSpecifier as problem:
        raise BadSpecifier(str(problem)) from None


def difference(tested: str, version: str) -> str | None:
    """How a version stands to the tested one, `newer` or `older`; None where it is that one.

    Compared as far as the tested version goes, so that `1.6` covers every 1.6.N.

    Raises:
        BadSpecifier: it is no version.
    """
    text = tested.strip().removeprefix("v")
    if len(text) > _LONGEST or _PLAIN.fullmatch(text) is None:
        raise BadSpecifier(f"{tested[:_LONGEST]!r} is no version such as '1.6'")
    wanted = _numbers(text)
    release = re.match(r"(?:\d+!)?(\d+(?:\.\d+)*)", version)
    order = _compared(_numbers(release[1])[: len(wanted)], wanted) if release else 0
    return None if order == 0 else "newer" if order > 0 else "older"


def judged(manifest: Manifest, folder: str, version: str) -> tuple[list[Diagnostic], str | None]:
    """What a manifest says about its host, as findings; and why it cannot load, None where it can.

    A requirement that cannot be read keeps nothing out.
    """
    name = manifest.project_name or manifest.path or folder
    findings: list[Diagnostic] = []

    def found(severity: Severity, code: str, message: str, hint: str | None = None) -> None:
        path = manifest.path or folder
        findings.append(Diagnostic(severity, code, "resolve", message, path=path, hint=hint))

    required, tested = manifest.requires_host, manifest.tested_host
    try:
        if required is not None and not allows(required, version):
            reason = f"it requires pi {required}, this is pi {version}"
            hint = "Install a version of the package made for this pi, or another version of pi."
            found("error", "host-incompatible", f"{name} is left out: {reason}.", hint)
            return findings, f"{manifest.path or folder}: {reason}"
    except BadSpecifier as problem:
        found("warning", "manifest-invalid", f"{name}: 'requires-host' is not understood: {problem}.")
    try:
        apart = None if tested is None else difference(tested, version)
    except BadSpecifier as problem:
        found("warning", "manifest-invalid", f"{name}: 'tested-host' is not understood: {problem}.")
    else:
        if apart is not None:
            message = f"{name} was tested with pi {tested}; this is pi {version}, which is {apart}."
            found("info", "host-untested", message)
    return findings, None
