"""Codes of diagnostics and errors are a promise: each one stands in docs/diagnostics.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import get_args

from pi_core.dispatch.plan import FailureKind
from pi_core.extensions.findings import ClashKind
from pi_core.extensions.shortcuts import ConflictKind
from tests.architecture.sources import ROOT, Module, modules

CODE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")
MAKERS = {
    "Diagnostic", "LoadError", "Note", "RegistrationError", "_report", "_warn", "finding", "found", "note",
    "report", "warn",
}  # fmt: skip


MADE = {
    *(f"handler-{kind}" for kind in get_args(FailureKind)),
    *(f"{kind}-clash" for kind in get_args(ClashKind) if kind != "shortcut"),
    *(f"shortcut-{kind}" for kind in get_args(ConflictKind)),
}
"""Codes that are put together from a kind."""


def literals(node: ast.expr) -> Iterator[str]:
    """The texts that an expression may be."""
    if isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
        yield node.value


def codes(module: Module) -> Iterator[str]:
    """Codes given to whoever makes a diagnostic, and those of error classes."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in MAKERS:
                given = [*node.args[:3], *(word.value for word in node.keywords if word.arg == "code")]
                yield from (code for argument in given for code in literals(argument))
        elif isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["code"]:
            yield from literals(node.value)


def is_dispatch(module: Module) -> bool:
    """Whether the codes in a module are kinds of failures."""
    return module.name.startswith("pi_core.dispatch")


def documented() -> set[str]:
    text = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {code for cell in cells for code in re.findall(r"`([a-z0-9-]+)`", cell)}


def test_every_code_is_documented() -> None:
    """A code that a person may meet is explained."""
    others = [module for module in modules() if module.floor != "hookspecs" and not is_dispatch(module)]
    used = {code for module in others for code in codes(module)}
    assert set() == (used | MADE) - documented()


def test_no_code_is_documented_that_nobody_uses() -> None:
    """The list holds what there is."""
    text = "\n".join(module.text for module in modules())
    assert not {code for code in documented() - MADE if f'"{code}"' not in text}
