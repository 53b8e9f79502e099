"""The json mode: the session's header and then every event of the session, one record a line.

Touches: standard output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pi_core.modes.base import Output, Prompt, converse, finding_teller
from pi_core.session.events import SessionEvent
from pi_core.session.wire_events import wire_event

if TYPE_CHECKING:
    from pi_core.session.runtime import SessionRuntime


async def run_json(runtime: SessionRuntime, prompts: Sequence[Prompt], output: Output) -> int:
    """Write the header and have the conversation; `stream_to` writes what happens in it.

    The exit code is 0 even if a model failed: the stream says so.
    """
    output.write_json(runtime.session.header())
    await converse(runtime, prompts, "json")
    return 0


def stream_to(output: Output) -> Callable[[SessionEvent], None]:
    """A listener that writes every event. Findings are records like everything else, and lines besides."""
    tell = finding_teller()

    def listen(event: SessionEvent) -> None:
        output.write_json(wire_event(event))
        tell(event)

    return listen
