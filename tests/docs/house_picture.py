"""The picture of the house: rooms by height, arrows for what imports what, drawn from the imports.

A room is a folder of `pi_core` or `pi_pkg`, or one of the files that are faces. An arrow stands for an import
that no way through other arrows tells. Rooms that import each other stand side by side.

Touches: the source files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tests.architecture.sources import FLOORS, ROOT, modules, resolve

Graph = dict[str, set[str]]
FACES: Final = frozenset(
    {"pi_core.api", "pi_core.bootstrap", "pi_core.embedding", "pi_pkg.manager", "pi_pkg.toggle"}
)
_WIDTH, _BOX, _HIGH, _STEP = 1000, 122, 34, 74


def room(module: str) -> str | None:
    """The room of a module; None for single files at the top, which are no rooms."""
    floor, _, rest = module.partition(".")
    if floor == "hookspecs":
        return floor
    name = f"{floor}.{rest.partition('.')[0]}"
    return name if name in FACES or (ROOT / name.replace(".", "/")).is_dir() else None


def imports() -> Graph:
    """Room → the rooms that it imports."""
    graph: Graph = {}
    for module in modules():
        own = room(module.name)
        if own is None:
            continue
        reached = graph.setdefault(own, set())
        targets = (resolve(found.target) for found in module.imports)
        reached |= {there for name in targets if name and (there := room(name)) and there != own}
    return graph


def ways(graph: Mapping[str, set[str]]) -> Graph:
    """Room → all that can be reached from it."""
    found: Graph = {name: set(reached) for name, reached in graph.items()}
    for middle in graph:
        for name in graph:
            if middle in found[name]:
                found[name] |= found[middle]
    return found


def heights(graph: Mapping[str, set[str]]) -> dict[str, int]:
    """Room → how many rooms lie below it on the longest way; rooms that reach each other are level."""
    reach = ways(graph)
    alike = {
        name: frozenset({name, *(other for other in reach[name] if name in reach[other])}) for name in graph
    }
    height: dict[str, int] = {}
    for name in sorted(graph, key=lambda name: (len(reach[name] - alike[name]), name)):
        below = {other for mate in alike[name] for other in graph[mate]} - alike[name]
        height[name] = 1 + max((height[other] for other in below), default=-1)
    return {name: max(height[mate] for mate in alike[name]) for name in graph}


def arrows(graph: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that no longer way tells, in order."""
    reach = ways(graph)

    def tells(name: str, middle: str, target: str) -> bool:
        """Whether the way through `middle` tells of the target; of rooms that are alike the first counts."""
        alike = middle in reach[target]
        return target in reach[middle] and name not in reach[middle] and (not alike or middle < target)

    return [
        (name, target)
        for name in sorted(graph)
        for target in sorted(graph[name])
        if not any(tells(name, middle, target) for middle in graph[name] - {target})
    ]


def house_picture() -> str:
    """The drawing, as SVG."""
    graph = imports()
    parts, top = [], 16
    for floor, about in (("pi_core", "the agent"), ("pi_pkg", "what is installed")):
        own = {name: {to for to in found if to.startswith(f"{floor}.")} for name, found in graph.items()
               if name.startswith(f"{floor}.")}  # fmt: skip
        drawn, top = _floor(f"{floor} · {about}", own, top)
        parts += drawn
    users = sum("hookspecs" in found for found in graph.values())
    parts += _ground(
        f"hookspecs · what core and extensions say to each other · imported by {users} rooms of pi_core", top
    )
    return _page(parts, top + _HIGH + 40)


def _floor(title: str, graph: Mapping[str, set[str]], top: int) -> tuple[list[str], int]:
    """One floor as a frame with its rooms, and where the next one begins."""
    height = heights(graph)
    rows = [
        sorted(name for name in graph if height[name] == level)
        for level in range(max(height.values()), -1, -1)
    ]
    place = {
        name: (_WIDTH * (number + 1) // (len(row) + 1), top + 44 + line * _STEP)
        for line, row in enumerate(rows)
        for number, name in enumerate(row)
    }
    bottom = top + 44 + (len(rows) - 1) * _STEP + _HIGH + 18
    lines = [f'<rect class="floor" x="8" y="{top}" width="{_WIDTH - 16}" height="{bottom - top}" rx="8"/>']
    lines.append(f'<text class="title" x="22" y="{top + 24}">{title}</text>')
    lines += [_arrow(place[start], place[end]) for start, end in arrows(graph)]
    lines += [_room(name.partition(".")[2] or f"import {name[:-1]}", *place[name]) for name in sorted(place)]
    return lines, bottom + 16


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (left, high), (right, low) = start, end
    if high == low:
        return f'<path class="way" d="M{left},{high} Q{(left + right) // 2},{high - 44} {right},{low - 2}"/>'
    return f'<path class="way" d="M{left},{high + _HIGH} L{right},{low - 3}"/>'


def _room(name: str, middle: int, top: int) -> str:
    return (
        f'<rect class="room" x="{middle - _BOX // 2}" y="{top}" width="{_BOX}" height="{_HIGH}" rx="5"/>'
        f'<text class="name" x="{middle}" y="{top + 22}">{name}</text>'
    )


def _ground(title: str, top: int) -> list[str]:
    return [
        f'<rect class="floor" x="8" y="{top}" width="{_WIDTH - 16}" height="{_HIGH + 8}" rx="8"/>',
        f'<text class="title" x="22" y="{top + 26}">{title}</text>',
    ]


_STYLE: Final = """\
<style>.floor{fill:#f4f5f7;stroke:#c9ced6}.room{fill:#fff;stroke:#51607a}.way{stroke:#9aa5b8;fill:none;
marker-end:url(#tip)}text{font:14px sans-serif;fill:#1f2733}
.name{text-anchor:middle}.title{font-weight:bold}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0,0 L8,4 L0,8 z" fill="#9aa5b8"/></marker></defs>"""


def _page(parts: Iterable[str], height: int) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">'
    about = f"<title>The rooms of {', '.join(FLOORS)} and what imports what</title>"
    paper = f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>'
    return "\n".join([head, about, _STYLE, paper, *parts, "</svg>"]) + "\n"
