"""Commands that the person runs beside the conversation.

Touches: files, processes.
"""

from __future__ import annotations

from typing import Any

from hookspecs.wire import to_wire
from pi_core.modes.rpc.call import Call, Command, Field


async def bash(call: Call) -> Any:
    """Run a command; its output is told as it comes, and the answer has the end of it."""
    own_id = call.given.get("id")
    return to_wire(
        await call.session.execute_bash(
            call.given["command"],
            exclude_from_context=bool(call.given.get("excludeFromContext")),
            execution_id=own_id if isinstance(own_id, str | int) else None,
        )
    )


async def abort_bash(call: Call) -> None:
    """Stop the commands that run."""
    call.session.abort_bash()


COMMANDS = (
    Command("bash", bash, (Field("command"), Field("excludeFromContext", "boolean", required=False))),
    Command("abort_bash", abort_bash),
)
