"""Each module says its one idea and what it touches, and keeps its word."""

from __future__ import annotations

import ast
import re

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


def fault(module: Module) -> str | None:
    """What is wrong with what a module says it touches."""
    last = module.docstring.strip().rpartition("\n")[2].strip()
    if not TOUCHES.match(last):
        return f"{module.name}: docstring ends in {last!r}"
    touched = calls(module) & IMPURE_CALLS
    touched |= {item.target.partition(".")[0] for item in module.imports} & IMPURE_MODULES
    return f"{module.name} is not pure: {sorted(touched)}" if last == "Pure." and touched else None


def test_a_module_says_what_it_touches() -> None:
    """Rule 5: the docstring ends in `Pure.` or `Touches: files, git, network.`, and pure is pure."""
    assert [] == [found for module in modules() if not is_empty(module) and (found := fault(module))]


def test_the_environment_is_read_at_the_edge() -> None:
    """Rule 3: os.environ, the home folder and sys.argv are read in few files and handed on as values."""
    forbidden = {"os.environ", "os.getenv", "Path.home", "sys.argv", "os.path.expanduser"}
    inner = [module for module in modules() if not module.name.startswith(EDGE)]
    assert {} == {each.name: used for each in inner if (used := attributes(each) & forbidden)}


def test_only_commands_and_modes_print() -> None:
    """Rule 3: print and sys.exit belong to the command-line folders and the modes."""
    silent = [module for module in modules() if not module.name.startswith(PRINTING)]
    assert [] == [each.name for each in silent if "print" in calls(each) or "sys.exit" in attributes(each)]


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
