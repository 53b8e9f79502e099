"""No import circle among files; type-checking imports count."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from tests.architecture.sources import Module, modules, resolve


def edges(module: Module) -> set[str]:
    """The files of ours that a file imports by name, anywhere and for whatever purpose."""
    found = {resolve(item.target) for item in module.imports} - {None, module.name}
    return {name for name in found if name is not None}


def test_no_circle_among_files() -> None:
    """Rule 2: the files of the three floors can be sorted so that each imports earlier ones only."""
    graph = {module.name: edges(module) for module in modules()}
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        raise AssertionError(f"import circle: {' -> '.join(circle.args[1])}") from None
    assert {module.name for module in modules()} == set(order)
