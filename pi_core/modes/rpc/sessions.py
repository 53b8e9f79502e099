"""Commands that put another session into the place of this one, or write it down elsewhere.

An extension may cancel a replacement, which is an answer and no failure.

Touches: session files, and the file that a session is exported to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pi_core.modes.rpc.call import Call, Command, Field


async def new_session(call: Call) -> dict[str, Any]:
    """Begin a new conversation; the file of another one may be named as its parent."""
    replaced = await call.runtime.new_session(parent_session=call.given.get("parentSession"))
    return {"cancelled": replaced.cancelled}


async def switch_session(call: Call) -> dict[str, Any]:
    """Go on with the conversation of a file."""
    path = Path(call.given["sessionPath"]).expanduser()
    replaced = await call.runtime.switch_session(path)
    return {"cancelled": replaced.cancelled}


async def fork(call: Call) -> dict[str, Any]:
    """Go on before a message of the person, whose text comes back to be edited."""
    forked = await call.runtime.fork(call.given["entryId"])
    if forked.cancelled:
        return {"cancelled": True}
    return {"text": forked.selected_text or "", "cancelled": False}


async def clone(call: Call) -> dict[str, Any]:
    """Go on in a copy of the whole branch."""
    cloned = await call.runtime.clone()
    return {"cancelled": cloned.cancelled}


async def export_html(call: Call) -> dict[str, Any]:
    """Write the session into one page; the answer names the file."""
    from pi_core.export.write import export_session  # its Markdown reader would slow every start

    parts = call.session.parts
    path = export_session(parts.store, call.given.get("outputPath"), cwd=parts.cwd)
    return {"path": str(path)}


COMMANDS = (
    Command("new_session", new_session, (Field("parentSession", required=False),)),
    Command("switch_session", switch_session, (Field("sessionPath"),)),
    Command("fork", fork, (Field("entryId"),)),
    Command("clone", clone),
    Command("export_html", export_html, (Field("outputPath", required=False),)),
)
