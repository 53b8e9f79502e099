"""What becomes of session files of older versions, and of answers that failed.

Touches: files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hookspecs.definitions import Model
from hookspecs.messages import AssistantMessage, TextContent, UserMessage
from pi_core.history.migration import migrate
from pi_core.history.sessions import create_session, open_session
from pi_core.providers.transcript import for_model

HEADER = {"type": "session", "id": "old", "timestamp": "2025-01-02T03:04:05.000Z", "cwd": "/w"}


def message(text: str, role: str = "user") -> dict[str, Any]:
    return {"type": "message", "timestamp": "t", "message": {"role": role, "content": text, "timestamp": 1}}


def counting() -> Any:
    numbers = iter(range(100))
    return lambda taken: f"id{next(numbers)}"


def test_version_1_becomes_a_chain(tmp_path: Path) -> None:
    """C66: a file of version 1 is rewritten with ids, each entry a child of the one before."""
    path = tmp_path / "s.jsonl"
    lines = [HEADER, message("a"), {**message("b", "hookMessage")}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    store = open_session(path)
    header, first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert (3, None, first["id"]) == (header["version"], first["parentId"], second["parentId"])
    assert ("custom", second["id"]) == (second["message"]["role"], store.get_leaf_id())


def test_compaction_of_version_1_names_its_entry() -> None:
    """The number of the first kept line, the header being 0, becomes that entry's id."""
    compaction = {"type": "compaction", "summary": "s", "firstKeptEntryIndex": 2, "tokensBefore": 1}
    migrated = migrate([HEADER, message("a"), message("b"), compaction], counting())
    assert "id1" == migrated[3]["firstKeptEntryId"]
    assert "firstKeptEntryIndex" not in migrated[3]


def test_version_2_keeps_its_ids() -> None:
    """A file of version 2 has ids already; only the role of extensions' messages changes."""
    entry = {**message("x", "hookMessage"), "id": "mine", "parentId": None}
    migrated = migrate([{**HEADER, "version": 2}, entry], counting())
    assert ("mine", "custom", 3) == (
        migrated[1]["id"],
        migrated[1]["message"]["role"],
        migrated[0]["version"],
    )
    assert "hookMessage" == entry["message"]["role"]


def test_failed_answers_stay_in_the_file_only(tmp_path: Path) -> None:
    """C88: answers that failed or were aborted are kept, and no request has them."""
    store = create_session(tmp_path, "/w")
    store.append_message(UserMessage(content="hi"))
    for reason in ("error", "aborted", "stop"):
        store.append_message(AssistantMessage(content=[TextContent(text=reason)], stop_reason=reason))
    assert store.session_file is not None
    messages = open_session(Path(store.session_file)).build_context().messages
    assert ["user", "assistant", "assistant", "assistant"] == [each.role for each in messages]
    sent = for_model(messages, Model(id="m", provider="p", api="a"))
    assert ["user", "assistant"] == [each.role for each in sent]
