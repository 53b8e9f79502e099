"""Session files and what is done with them, against the recorded reference.

Touches: files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hookspecs.messages import AssistantMessage, BashExecutionMessage, TextContent, Usage, UserMessage
from pi_core.errors import SessionFileError, UnknownEntryError
from pi_core.history.codec import header_to_wire
from pi_core.history.sessions import create_branched_session, create_session, memory_session, open_session
from pi_core.history.store import SessionStore
from tests.conformance.host_rows import Row, hold, row_id, rows_of
from tests.conformance.session_rows import Renaming, lines_of, view_of

TIME = 1735787045000
CWD = "/somewhere/else"


@pytest.mark.parametrize("row", rows_of("sessions", "load"), ids=row_id)
def test_files_are_read_as_recorded(row: Row, tmp_path: Path) -> None:
    """A file gives the same tree, context and repairs, or is refused and left alone."""
    path = tmp_path / "s.jsonl"
    given = row["in"]["file"]
    path.write_bytes(given.encode())
    try:
        store = open_session(path, cwd=CWD)
    except SessionFileError:
        untouched = path.read_bytes().decode() == given
        hold("sessions", row, row["out"], {"error": "not_a_session", "file_untouched": untouched})
        return
    ours: dict[str, Any] = {
        "header": header_form(store, given),
        "entry_ids": [entry.id for entry in store.get_entries()],
        "default_leaf": store.get_leaf_id(),
    }
    ours |= change_of(path.read_bytes(), given.encode())
    if "leaf" in row["in"]:
        ours |= move(store, row["in"]["leaf"])
    if given:
        ours["view"] = view_of(store)
    expected = {key: value for key, value in row["out"].items() if given or key not in ("view", "entry_ids")}
    ours = {key: value for key, value in ours.items() if given or key != "entry_ids"}
    hold("sessions", row, named(given, expected), named(given, ours))


@pytest.mark.parametrize("row", rows_of("sessions", "ops"), ids=row_id)
def test_histories_grow_as_recorded(row: Row, tmp_path: Path) -> None:
    """The same steps give the same answers, files and context."""
    given = row["in"].get("file", "")
    session = Session(begin(row["in"]["mode"], given, tmp_path), tmp_path / "forks")
    ours: dict[str, Any] = {"results": [session.do(op) for op in row["in"]["ops"]]}
    ours["view"] = view_of(session.store)
    ours["files"] = [lines_of(p.read_bytes()) if p.exists() else None for p in session.files]
    if "memory_entries" in row["out"]:
        store = session.store
        wires = [store.wire_of(entry.id) for entry in store.get_entries()]
        ours["memory_entries"] = [header_to_wire(store.header), *wires]
    names = {str(path): "<file>" for path in session.files} | {CWD: "<cwd>"}
    hold("sessions", row, named(given, row["out"], names), named(given, ours, names))


def named(given: str, value: Any, names: dict[str, str] | None = None) -> Any:
    return Renaming(given, names or {CWD: "<cwd>"}).apply(value)


def header_form(store: SessionStore, given: str) -> dict[str, Any]:
    own_id = store.session_id if given else "<new>"
    return {"version": store.header.version, "id": own_id, "cwd_kept": store.cwd != CWD}


def change_of(after: bytes, before: bytes) -> dict[str, Any]:
    if after == before:
        return {"file_change": "none"}
    if before and after == before + b"\n":
        return {"file_change": "newline_added"}
    return {"file_change": "rewritten", "file_after": lines_of(after)}


def move(store: SessionStore, leaf: str | None) -> dict[str, Any]:
    if leaf is None:
        store.reset_leaf()
        return {}
    try:
        store.branch(leaf)
    except UnknownEntryError:
        return {"branch_error": "unknown_entry"}
    return {}


def begin(mode: str, given: str, folder: Path) -> SessionStore:
    if mode == "memory":
        return memory_session(CWD)
    if mode == "new":
        return create_session(folder, CWD)
    (folder / "s.jsonl").write_bytes(given.encode())
    return open_session(folder / "s.jsonl")


@dataclass
class Session:
    """A history to which recorded steps are done; a fork takes its place."""

    store: SessionStore
    forks: Path

    def __post_init__(self) -> None:
        self.made: dict[int, str] = {}
        self.files = [Path(self.store.session_file)] if self.store.session_file else []

    def do(self, op: Row) -> dict[str, Any]:
        """One step: its status, the id of the entry it made, and the leaf after it."""
        result: dict[str, Any] = {"status": "ok"}
        try:
            made = self.step(op)
        except UnknownEntryError:
            result["status"] = "unknown_entry"
        except ValueError as error:
            result["status"] = "not_on_branch" if "branch" in str(error) else "not_editable"
        else:
            if made is not None:
                result["id"] = made
                self.made[op["result"]] = made
        return {**result, "leaf": self.store.get_leaf_id()}

    def target(self, reference: Row | None) -> str | None:
        if reference is None:
            return None
        return str(reference["id"]) if "id" in reference else self.made.get(reference["op"], "nosuchid")

    def step(self, op: Row) -> str | None:
        store, target = self.store, self.target(op.get("target"))
        match op["op"]:
            case "branch":
                store.branch(str(target))
            case "reset_leaf":
                store.reset_leaf()
            case "fork_branch":
                self.store = create_branched_session(store, target, directory=self.forks)
                self.files += [Path(self.store.session_file)] if self.store.session_file else []
            case "user" | "assistant" | "bash":
                return store.append_message(message_for(op))
            case "branch_summary":
                return store.branch_with_summary(target, op["summary"])
            case "compaction":
                kept = self.target(op["first_kept"])
                return store.append_compaction(op["summary"], str(kept), op["tokens_before"])
            case _:
                return self.note(op, str(target))
        return None

    def note(self, op: Row, target: str) -> str:
        store = self.store
        match op["op"]:
            case "label":
                return store.append_label(target, op["label"])
            case "rename":
                return store.append_session_info(op["name"])
            case "thinking":
                return store.append_thinking_level_change(op["level"])
            case "model":
                return store.append_model_change(op["provider"], op["model"])
            case "custom":
                return store.append_custom_entry("ext-state", op["data"])
            case "custom_message":
                return store.append_custom_message("ext-note", op["text"], display=op["display"])
            case "context_edit":
                return store.append_context_edit(target, op["replacement"])
            case other:
                raise AssertionError(f"unexpected step {other}")


def message_for(op: Row) -> UserMessage | AssistantMessage | BashExecutionMessage:
    if op["op"] == "bash":
        return BashExecutionMessage(command=op["command"], output=op["output"], exit_code=0, timestamp=TIME)
    text: list[Any] = [TextContent(text=op["text"])]
    if op["op"] == "user":
        return UserMessage(content=text, timestamp=TIME)
    return AssistantMessage(
        content=text,
        api="openai-completions",
        provider=op["provider"],
        model=op["model"],
        usage=Usage(input=1, output=1, total_tokens=2),
        timestamp=TIME,
    )
