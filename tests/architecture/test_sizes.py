"""Files and functions keep a size that a reader can hold."""

from __future__ import annotations

import ast
from statistics import median

from tests.architecture.sources import ROOT, modules

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
EXEMPT_FILES = {
    "hookspecs.specs",  # one specification an event, with its documentation
    "pi_core.extensions.listening",  # two generated overloads an event
}
VAGUE = ("and", "utils", "util", "helper", "helpers", "misc", "common", "manager2")


def function_sizes() -> list[tuple[int, str]]:
    found = []
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                docstring = 1 if ast.get_docstring(node) else 0
                body = node.body[docstring:] or node.body
                length = (node.end_lineno or node.lineno) - body[0].lineno + 1
                found.append((length, f"{module.name}.{node.name}:{node.lineno}"))
    return found


def test_files_are_short() -> None:
    """Rule 6: no source file has more than 400 lines."""
    long = {
        module.name: count
        for module in modules()
        if (count := module.text.count("\n")) > MAX_FILE_LINES and module.name not in EXEMPT_FILES
    }
    assert not long


def test_test_files_are_short() -> None:
    """Rule 6 holds for tests: no test file has more than 400 lines."""
    long = {
        str(path.relative_to(ROOT)): count
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if (count := path.read_text(encoding="utf-8").count("\n")) > MAX_FILE_LINES
    }
    assert not long


def test_functions_are_short() -> None:
    """Rule 6: no function body has more than 50 lines, and the median is about 8."""
    sizes = function_sizes()
    long = sorted(((size, name) for size, name in sizes if size > MAX_FUNCTION_LINES), reverse=True)
    assert not long
    assert median(size for size, _ in sizes) <= 8


def test_names_say_one_thing() -> None:
    """Rule 6: a file that needs a vague name is a room that is missing."""
    vague = [
        module.name for module in modules() if set(module.name.rpartition(".")[2].split("_")) & set(VAGUE)
    ]
    assert not vague
