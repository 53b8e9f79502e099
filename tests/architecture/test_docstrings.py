"""Each module says its one idea and what it touches, and keeps its word."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.sources import Module, modules

TOUCHES = re.compile(r"^(Pure\.|Touches: .+\.)$")
IMPURE_MODULES = {"subprocess", "shutil", "tempfile", "socket", "filelock", "asyncio.subprocess"}
IMPURE_CALLS = {
    "open", "print", "input", "read_text", "write_text", "read_bytes", "write_bytes", "unlink", "mkdir",
    "rmdir", "replace_file", "getenv", "scandir", "listdir", "iterdir", "glob", "rglob", "is_file", "is_dir",
}  # fmt: skip
EDGE = ("pi_core.cli", "pi_core.bootstrap", "pi_core.providers.auth")
PRINTING = ("pi_core.cli", "pi_core.modes", "pi_pkg.cli")


def is_empty(module: Module) -> bool:
    return not module.text.strip()


def calls(module: Module) -> set[str]:
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            target = node.func
            if isinstance(target, ast.Name):
                found.add(target.id)
            elif isinstance(target, ast.Attribute):
                found.add(target.attr)
    return found


def attributes(module: Module) -> set[str]:
    return {
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_a_module_says_what_it_touches(module: Module) -> None:
    """Rule 5: the docstring ends in `Pure.` or `Touches: files, git, network.`, and pure is pure."""
    if is_empty(module):
        return
    last = module.docstring.strip().rpartition("\n")[2].strip()
    assert TOUCHES.match(last), f"{module.name}: docstring ends in {last!r}"
    if last == "Pure.":
        assert not calls(module) & IMPURE_CALLS
        assert not {item.target.partition(".")[0] for item in module.imports} & IMPURE_MODULES


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_the_environment_is_read_at_the_edge(module: Module) -> None:
    """Rule 3: os.environ, the home folder and sys.argv are read in few files and handed on as values."""
    if module.name.startswith(EDGE):
        return
    forbidden = {"os.environ", "os.getenv", "Path.home", "sys.argv", "os.path.expanduser"}
    assert not attributes(module) & forbidden


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_only_commands_and_modes_print(module: Module) -> None:
    """Rule 3: print and sys.exit belong to the command-line folders and the modes."""
    if module.name.startswith(PRINTING):
        return
    assert "print" not in calls(module)
    assert "sys.exit" not in attributes(module)


def test_no_work_at_import() -> None:
    """Rule 4: a module's top level declares; it calls nothing that reads or changes the world."""
    wrong = []
    for module in modules():
        for node in module.tree.body:
            for call in ast.walk(node):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If):
                    break
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name | ast.Attribute):
                    name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
                    if name in IMPURE_CALLS:
                        wrong.append(f"{module.name}:{call.lineno} calls {name}")
    assert not wrong
