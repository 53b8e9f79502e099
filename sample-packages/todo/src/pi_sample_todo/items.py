"""The list as a value: every change returns a new list. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to do; `id` counts from 1 and is never used again within a branch."""

    id: int
    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class TodoList:
    """Items in the order in which they were added; `next_id` is the id of the next one."""

    items: tuple[Item, ...] = ()
    next_id: int = 1

    def add(self, text: str) -> TodoList:
        return TodoList((*self.items, Item(self.next_id, text)), self.next_id + 1)

    def finish(self, item_id: int) -> TodoList:
        """Mark one item done. An unknown id is a `LookupError` that names the known ones."""
        if all(item.id != item_id for item in self.items):
            known = ", ".join(str(item.id) for item in self.items) or "none"
            raise LookupError(f"there is no item {item_id}; known: {known}")
        return replace(
            self, items=tuple(replace(item, done=item.done or item.id == item_id) for item in self.items)
        )

    def clear(self) -> TodoList:
        return replace(self, items=())

    def render(self) -> str:
        if not self.items:
            return "The list is empty."
        return "\n".join(f"[{'x' if item.done else ' '}] {item.id}. {item.text}" for item in self.items)

    def to_details(self) -> dict[str, Any]:
        """JSON for the `details` of a tool result."""
        items = [{"id": item.id, "text": item.text, "done": item.done} for item in self.items]
        return {"items": items, "nextId": self.next_id}


def from_details(details: Mapping[str, Any]) -> TodoList:
    items = (Item(int(raw["id"]), str(raw["text"]), bool(raw["done"])) for raw in details["items"])
    return TodoList(tuple(items), int(details["nextId"]))


def rebuild(details: Iterable[Any]) -> TodoList:
    """The list after a branch, from the details of its todo results, oldest first."""
    current = TodoList()
    for value in details:
        if isinstance(value, Mapping) and "items" in value and "nextId" in value:
            current = from_details(value)
    return current
