"""What type checkers make of extensions: mypy and pyright accept the right ones and name every mistake.

The snippets stand in tests/typing. A line of a rejected one that ends in `# wrong: …` must be an error,
and no other line may be. Each checker runs once for all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support import type_checkers

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = ROOT / "tests" / "typing"
ACCEPTED = sorted((SNIPPETS / "accepted").glob("*.py"))
REJECTED = sorted((SNIPPETS / "rejected").glob("*.py"))

Errors = dict[tuple[str, int], str]
"""(file name, line) → what is wrong there."""


@cache
def mypy() -> Errors:
    """Under strict rules."""
    said = type_checkers.mypy((*ACCEPTED, *REJECTED), "--output=json")
    found = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return {
        (Path(item["file"]).name, item["line"]): item["message"]
        for item in found
        if item["severity"] == "error"
    }


@cache
def pyright() -> Errors:
    """Strict for accepted snippets, standard for rejected ones, as the configuration beside them says."""
    report: Any = json.loads(type_checkers.checked("pyright", "--project", str(SNIPPETS), "--outputjson"))
    assert report["summary"]["filesAnalyzed"] == len(ACCEPTED) + len(REJECTED)
    return {
        (Path(item["file"]).name, item["range"]["start"]["line"] + 1): item["message"]
        for item in report["generalDiagnostics"]
        if item["severity"] == "error"
    }


def marked(path: Path) -> set[tuple[str, int]]:
    """The lines of a snippet that are wrong on purpose."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {(path.name, number) for number, line in enumerate(lines, 1) if re.search(r"# wrong: \w", line)}


@pytest.mark.slow
@pytest.mark.xdist_group("type-checkers")
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_right_extensions_are_accepted(checker: Callable[[], Errors]) -> None:
    """Nothing of what the documentation promises makes a strict checker complain, here or behind it."""
    wrong_on_purpose = {path.name for path in REJECTED}
    assert not wrong_on_purpose & {path.name for path in ACCEPTED}
    assert {} == {place: text for place, text in checker().items() if place[0] not in wrong_on_purpose}


@pytest.mark.slow
@pytest.mark.xdist_group("type-checkers")
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_mistakes_are_named_where_they_are_made(checker: Callable[[], Errors]) -> None:
    """Each marked line, and only those."""
    expected = set().union(*map(marked, REJECTED))
    assert len(expected) > 25
    assert expected == set(checker())


def test_snippets_run_as_they_check() -> None:
    """Every accepted snippet can be imported: the names are there at run time too."""
    for path in ACCEPTED:
        compiled = compile(path.read_text(encoding="utf-8"), str(path), "exec")
        names: dict[str, Any] = {"__name__": path.stem}
        exec(compiled, names)
        assert names["__doc__"]
