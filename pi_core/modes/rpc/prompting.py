"""Commands that say something to the agent, or make it stop.

Pure.
"""

from __future__ import annotations

from typing import Any

from hookspecs.messages import ImageContent
from hookspecs.wire import content_from_wire
from pi_core.errors import BusyError
from pi_core.modes.rpc.call import Call, Command, Field, RefusedError
from pi_core.session.entrance import Disposition
from pi_core.session.prompting import QueueName

_QUEUES: dict[str | None, QueueName] = {"steer": "steer", "followUp": "follow_up"}
BUSY = 'The agent is working. Set "streamingBehavior" to "steer" or "followUp" to queue the message.'


async def prompt(call: Call) -> dict[str, Any]:
    """Answered as soon as it is known what becomes of it; what follows is told by events."""

    def accepted(disposition: Disposition) -> None:
        if disposition != "handled":  # a command is answered when it has ended
            call.succeed({"disposition": disposition})

    try:
        disposition = await call.session.prompt(
            call.given["message"],
            images=_images(call),
            source="rpc",
            deliver_as=_QUEUES.get(call.given.get("streamingBehavior")),
            on_accepted=accepted,
        )
    except BusyError:
        raise RefusedError(BUSY) from None
    return {"disposition": disposition}


async def steer(call: Call) -> dict[str, Any]:
    """Say something in between. It waits for the end of the turn; without one, for the next prompt."""
    return await _queue(call, "steer")


async def follow_up(call: Call) -> dict[str, Any]:
    """Say something for when all is done. If nothing goes on it waits for the next prompt."""
    return await _queue(call, "follow_up")


async def _queue(call: Call, deliver_as: QueueName) -> dict[str, Any]:
    queued = await call.session.queue(call.given["message"], deliver_as, images=_images(call), source="rpc")
    return {"disposition": queued}


async def clear_queue(call: Call) -> dict[str, Any]:
    """Take back what waits; the answer has the texts."""
    steering, follow_ups = call.session.controls.clear_queue()
    return {"steering": steering, "followUp": follow_ups}


async def abort(call: Call) -> None:
    """Answered when nothing goes on any more. Open dialogs count as cancelled."""
    call.ui.cancel()
    await call.runtime.abort()


def _images(call: Call) -> list[ImageContent]:
    images: list[ImageContent] = []
    for place, given in enumerate(call.given.get("images") or ()):
        try:
            image = content_from_wire(given)
        except (ValueError, AttributeError):
            image = None
        if not isinstance(image, ImageContent) or not isinstance(image.data, str):
            raise RefusedError(f'image {place} is not {{"type": "image", "data": BASE64, "mimeType": TYPE}}')
        images.append(image)
    return images


_SAID = (Field("message"), Field("images", "array", required=False))
COMMANDS = (
    Command(
        "prompt",
        prompt,
        (*_SAID, Field("streamingBehavior", required=False, choices=("steer", "followUp"))),
    ),
    Command("steer", steer, _SAID),
    Command("follow_up", follow_up, _SAID),
    Command("clear_queue", clear_queue),
    Command("abort", abort),
)
