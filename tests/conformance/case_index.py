"""Which tests prove which case of the extension system: a test names a case in its name or docstring.

Touches: files.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from tests.conformance.host_rows import HERE

ROOT = HERE.parents[1]
ROOMS = ("tests/conformance", "tests/core", "tests/specs", "sample-packages")
"""Where cases of the extension system are proven."""
OTHERS = frozenset({"tests/core/resources/test_votes.py"})
"""What tests here of other cases that have such names: those of packages, whose own tests are elsewhere."""

REPORTS: Final[Mapping[str, range]] = {
    "ISO": range(73, 81), "QUIET": range(81, 90), "NAME": range(90, 102), "LIFE": range(102, 113),
    "EVT": range(113, 135), "HANG": range(135, 141), "PROV": range(148, 153),
}  # fmt: skip
"""Reports from the field about extensions, by kind."""


@cache
def cases() -> Mapping[str, str]:
    """Case → what was observed, in the order of the list. Not to be changed."""
    tables = tomllib.loads((HERE / "data" / "cases.toml").read_text(encoding="utf-8"))
    return {case: text for table in tables.values() for case, text in table.items()}


@cache
def proofs() -> Mapping[str, tuple[str, ...]]:
    """Case → the tests that name it, as `file::test`, sorted; every case has an item. Not to be changed."""
    found: dict[str, list[str]] = {case: [] for case in cases()}
    for name, text in named_tests(ROOMS):
        for case in cases_in(text) & found.keys():
            found[case].append(name)
    return {case: tuple(sorted(tests)) for case, tests in found.items()}


@cache
def reports() -> Mapping[int, tuple[str, ...]]:
    """Number of a report from the field → the tests that name it after its kind. Not to be changed."""
    found: dict[int, set[str]] = {}
    for name, text in named_tests((*ROOMS, "tests/pkg", "tests/architecture")):
        for number in reports_in(text):
            found.setdefault(number, set()).add(name)
    return {number: tuple(sorted(tests)) for number, tests in found.items()}


def reports_in(text: str) -> set[int]:
    """The numbers behind the name of a kind: `LIFE 102, 107` in a sentence, `life_102_107` in a name."""
    runs = re.findall(rf"(?:{'|'.join(REPORTS)})[ _](\d+(?:(?:, |_)\d+)*)", text, re.IGNORECASE)
    return {int(number) for run in runs for number in re.findall(r"\d+", run)}


def cases_in(text: str) -> set[str]:
    """What looks like a case in a name or sentence: a letter and two digits, alone between other signs."""
    return {word.upper() for word in re.findall(r"(?<![A-Za-z0-9])[A-Za-z][0-9]{2}(?![A-Za-z0-9])", text)}


def named_tests(rooms: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every test function with its name and docstring as one text."""
    for room in rooms:
        yield from _named_in(room)


@cache
def _named_in(room: str) -> tuple[tuple[str, str], ...]:
    """The same of one folder, each of whose files is read once."""
    found = []
    for path in sorted((ROOT / room).rglob("test_*.py")):
        where = path.relative_to(ROOT).as_posix()
        if where in OTHERS:
            continue
        for node in _functions(ast.parse(path.read_text(encoding="utf-8")).body):
            if node.name.startswith("test_"):
                found.append((f"{where}::{node.name}", f"{node.name} {ast.get_docstring(node) or ''}"))
    return tuple(found)


def _functions(body: Iterable[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions of a module and of its classes; what stands inside a function is no test."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body)
