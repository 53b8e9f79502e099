"""The source tree as data: modules, their imports and their sizes.

Touches: files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("hookspecs", "pi_pkg", "pi_core")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: `target` is absolute, `line` counts from 1."""

    target: str
    line: int


@dataclass(frozen=True, slots=True)
class Module:
    """A source file: dotted name, path, text and syntax tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def floor(self) -> str:
        return self.name.partition(".")[0]

    @property
    def docstring(self) -> str:
        return ast.get_docstring(self.tree) or ""

    @property
    def imports(self) -> tuple[Import, ...]:
        """Every import anywhere in the file, type-checking and function-level ones included."""
        return tuple(self._imports())

    def _imports(self) -> Iterator[Import]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(alias.name, node.lineno)
            elif isinstance(node, ast.ImportFrom):
                base = self._absolute(node)
                for alias in node.names:
                    yield Import(f"{base}.{alias.name}", node.lineno)

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]
        for _ in range(node.level - 1):
            package = package.rpartition(".")[0]
        return f"{package}.{node.module}" if node.module else package


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> tuple[Module, ...]:
    """All source modules of the three floors, by path."""
    found = []
    for floor in FLOORS:
        for path in sorted((ROOT / floor).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            found.append(Module(module_name(path), path, text, ast.parse(text)))
    return tuple(found)


@cache
def names() -> frozenset[str]:
    return frozenset(module.name for module in modules())


def resolve(target: str) -> str | None:
    """The module of ours that an import target reaches, or None for foreign ones."""
    while target:
        if target in names():
            return target
        target = target.rpartition(".")[0]
    return None
