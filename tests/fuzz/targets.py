"""What the fuzzers feed: each target takes any bytes, and fails only if a promise of ours is broken.

Pure, but for links that a path in the input may name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.errors import SettingsError, SourceError
from pi_pkg.resources.documents import MAX_BYTES, Documents
from pi_pkg.resources.globs import GlobError, compile_glob
from pi_pkg.resources.host import judged
from pi_pkg.resources.manifest import read_manifest
from pi_pkg.resources.patterns import PatternList, Subject
from pi_pkg.settings.layer import layer_of
from pi_pkg.settings.model import LayerScope
from pi_pkg.settings.text import decode, parse
from pi_pkg.sources.model import GitSource, PypiSource, Source
from pi_pkg.sources.parse import parse_source

BASE: Final = Path("/nowhere/base")
HOME: Final = Path("/nowhere/home")
NAMES: Final = ("pyproject.toml", "pi.toml", "package.json")
SCOPES: Final[tuple[LayerScope, ...]] = ("user", "project")
SUBJECTS: Final = tuple(
    Subject.of(f"/pk/{name}", "/pk") for name in ("extensions/a.py", "skills/foo/SKILL.md", "prompts/p.md")
)


def source(data: bytes) -> None:
    """A string is a source, whose canonical form is the same source, or a SourceError with its parts."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        found = parse_source(text, base=BASE, home=HOME)
    except SourceError as problem:
        return explained(problem.found, problem.hint)
    check_source(found)
    again = parse_source(found.canonical, base=BASE, home=HOME)
    assert again.identity == found.identity
    assert again.canonical == found.canonical
    return None


def explained(*parts: str | None) -> None:
    """A refusal has all its parts."""
    assert all(parts)


def check_source(found: Source) -> None:
    """Nothing in a source could be taken for an option or leave its place."""
    match found:
        case GitSource():
            assert not found.clone_url.startswith("-")
            assert not (found.ref or "").startswith("-")
            assert ".." not in f"{found.path}/{found.subdirectory or ''}".split("/")
        case PypiSource():
            assert not found.requirement.startswith("-")
            assert found.requirement.isprintable()
        case _:
            assert "\0" not in found.path


class InMemory(Documents):
    """Manifest files that were never written; the one with the name has the bytes."""

    __slots__ = ("_bytes", "_name")

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__()
        self._name = name
        self._bytes = data

    def _data(self, path: str) -> bytes | None:
        return self._bytes[:MAX_BYTES] if path.endswith(f"/{self._name}") else None


def manifest(data: bytes) -> None:
    """Any bytes are a manifest or findings about one; its lists hold strings that can name something."""
    for name in NAMES:
        found = read_manifest("/nowhere/pk", InMemory(name, data))
        if found is None:
            continue
        check_findings(found.diagnostics)
        for kind in ("extensions", "skills", "prompts", "themes"):
            entries = found.listed(kind) or ()
            assert all(entry and "\0" not in entry and "\n" not in entry for entry in entries)
            check_patterns(entries[:20])
        check_findings(judged(found, "/nowhere/pk", "1.6.0")[0])


def check_patterns(texts: tuple[str, ...]) -> None:
    """Any list of patterns has a state for each candidate, and any glob is compiled or refused."""
    patterns = PatternList(texts)
    for subject in SUBJECTS:
        patterns.select(subject)
    patterns.sparse(SUBJECTS)
    for text in texts:
        try:
            compile_glob(text)
        except GlobError as problem:
            explained(str(problem))


def settings(data: bytes) -> None:
    """Any bytes are a settings layer with findings, or a SettingsError with a place."""
    try:
        text = decode("/nowhere/settings.toml", data).text
        values = parse("/nowhere/settings.toml", text)
    except SettingsError as problem:
        return explained(problem.message)
    for scope in SCOPES:
        layer = layer_of(values, path="/nowhere/settings.toml", scope=scope, text=text)
        check_findings(layer.diagnostics)
        for entry in layer.packages:
            source(entry.source.encode("utf-8", "surrogateescape"))
            check_patterns((entry.extensions or ())[:20])
    return None


def check_findings(findings: tuple[Diagnostic, ...] | list[Diagnostic]) -> None:
    """Every finding is a sentence with a code, and can be written anywhere."""
    for finding in findings:
        assert finding.code
        assert finding.message
        str(finding.to_json()).encode("utf-8")


TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {
    "source": source,
    "manifest": manifest,
    "settings": settings,
}
