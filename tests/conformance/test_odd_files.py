"""A session file may hold anything: whatever one line says, the rest of the conversation can be gone on with.

Touches: files.
"""

from __future__ import annotations

import json
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hookspecs.definitions import Model
from hookspecs.messages import UserMessage
from pi_core.compaction.conversation import as_text
from pi_core.compaction.prepare import prepare_compaction
from pi_core.compaction.tokens import CompactionSettings, branch_tokens
from pi_core.export.write import export_session
from pi_core.history.listing import session_info
from pi_core.history.sessions import create_branched_session, open_session
from pi_core.providers.transcript import for_model
from tests.conformance.host_rows import HERE

SESSIONS = [
    [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.endswith("}")]
    for path in sorted((HERE / "sessions").glob("*.jsonl"))
]
MODELS = [Model(id=name, provider="acme", api="a", input=("text", "image")) for name in ("rocket-1", "other")]
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=4),
    st.just([]), st.just({}), st.just([None]), st.just({"type": []}), st.just([{"type": "text"}]),
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in items for place in [(*path, key), *places(item, (*path, key))]]


@st.composite
def spoilt(draw: st.DrawFn) -> list[Any]:
    """A session in which some values of entries became others, or are gone."""
    lines: list[Any] = json.loads(json.dumps(draw(st.sampled_from(SESSIONS))))
    for _ in range(draw(st.integers(1, 3))):
        entry = lines[draw(st.integers(1, len(lines) - 1))]
        way = draw(st.sampled_from(places(entry)))
        holder = entry
        for step in way[:-1]:
            holder = holder[step]
        if draw(st.booleans()):
            holder[way[-1]] = deepcopy(draw(ODD))  # the next change may be inside it
        else:
            del holder[way[-1]]
    return lines


@given(spoilt())
@settings(max_examples=80, deadline=None)
def test_whatever_a_line_says_the_conversation_goes_on(lines: list[Any]) -> None:
    """It is opened, counted, summarised, sent, listed, forked and exported; what is added is found again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        store = open_session(path)
        messages = store.build_context().messages
        for model in MODELS:
            for_model(messages, model)
        as_text(messages)
        branch_tokens(store.get_branch())
        prepare_compaction(store.get_branch(), CompactionSettings(keep_recent_tokens=5))
        store.get_tree()
        assert session_info(path) is not None
        export_session(store, "page.html", cwd=Path(folder))
        create_branched_session(store, store.get_leaf_id(), directory=Path(folder) / "forks")
        added = store.append_message(UserMessage(content="added", timestamp=1))
        again = open_session(path)
        assert added == again.get_leaf_id()
        assert "added" == getattr(again.build_context().messages[-1], "content", None)
