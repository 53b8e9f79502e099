"""Commands that turn something while the session lives: model, thinking, queues, automatic things, the name.

Touches: the session's file, the user's settings file.
"""

from __future__ import annotations

from typing import Any, Final, get_args

from hookspecs.definitions import ThinkingLevel
from hookspecs.wire import to_wire
from pi_core.agent.queues import QueueMode
from pi_core.modes.rpc.call import Call, Command, Data, Field, RefusedError
from pi_core.modes.rpc.wire import model_to_wire

_MODE: Final = (Field("mode", choices=get_args(QueueMode)),)
_ENABLED: Final = (Field("enabled", "boolean"),)
_NOTHING_ELSE: Final = Data("null")
"""An answer: there is nothing else to choose."""


async def set_model(call: Call) -> dict[str, Any]:
    """Use another model; the answer is the model."""
    session, provider, model_id = call.session, call.given["provider"], call.given["modelId"]
    model = session.parts.models.registry.find(provider, model_id)
    if model is None:
        raise RefusedError(f"Model not found: {provider}/{model_id}")
    if not await session.controls.set_model(model, by_person=True):
        raise RefusedError(f"No API key for {provider}/{model_id}")
    return model_to_wire(session.parts.models.model)


async def cycle_model(call: Call) -> dict[str, Any] | Data:
    """Go on to the next model; null if there is no other."""
    session = call.session
    model = await session.controls.cycle_model(1)
    if model is None:
        return _NOTHING_ELSE
    scoped = session.parts.settings.get("model", "enabled-models")
    level = session.parts.models.thinking
    return {"model": model_to_wire(model), "thinkingLevel": level, "isScoped": bool(scoped)}


async def get_available_models(call: Call) -> dict[str, Any]:
    """The models for which there is a key, as their providers list them now."""
    await call.session.parts.models.registry.refresh()
    registry = call.session.parts.models.registry
    return {"models": [model_to_wire(model) for model in registry.models() if registry.is_usable(model)]}


async def set_thinking_level(call: Call) -> None:
    """Think harder or less hard, as far as the model can."""
    call.session.controls.set_thinking_level(call.given["level"], by_person=True)


async def cycle_thinking_level(call: Call) -> dict[str, Any] | Data:
    """Go on to the next level; null if the model has only one."""
    level = call.session.controls.cycle_thinking_level()
    return _NOTHING_ELSE if level is None else {"level": level}


async def get_available_thinking_levels(call: Call) -> dict[str, Any]:
    """The levels of the model, from none to the most."""
    return {"levels": list(call.session.controls.available_thinking_levels())}


async def set_steering_mode(call: Call) -> None:
    """How many of the steering messages one turn takes."""
    call.session.controls.set_steering_mode(call.given["mode"])


async def set_follow_up_mode(call: Call) -> None:
    """How many of the follow-ups one turn takes."""
    call.session.controls.set_follow_up_mode(call.given["mode"])


async def set_auto_compaction(call: Call) -> None:
    """Summarise long conversations by themselves, or not."""
    call.session.controls.set_auto_compaction(call.given["enabled"])


async def set_auto_retry(call: Call) -> None:
    """Send requests again that failed for a passing reason, or not."""
    call.session.controls.set_auto_retry(call.given["enabled"])


async def abort_retry(call: Call) -> None:
    """Do not wait for the next attempt."""
    call.session.abort_retry()


async def compact(call: Call) -> Any:
    """Summarise what was said; what goes on is aborted first. Answered when it is done."""
    return to_wire(await call.session.compact(call.given.get("customInstructions")))


async def set_session_name(call: Call) -> None:
    """Name the session."""
    name = call.given["name"].strip()
    if not name:
        raise RefusedError("The name of a session cannot be empty")
    call.session.controls.set_session_name(name)


COMMANDS = (
    Command("set_model", set_model, (Field("provider"), Field("modelId"))),
    Command("cycle_model", cycle_model),
    Command("get_available_models", get_available_models),
    Command("set_thinking_level", set_thinking_level, (Field("level", choices=get_args(ThinkingLevel)),)),
    Command("cycle_thinking_level", cycle_thinking_level),
    Command("get_available_thinking_levels", get_available_thinking_levels),
    Command("set_steering_mode", set_steering_mode, _MODE),
    Command("set_follow_up_mode", set_follow_up_mode, _MODE),
    Command("set_auto_compaction", set_auto_compaction, _ENABLED),
    Command("set_auto_retry", set_auto_retry, _ENABLED),
    Command("abort_retry", abort_retry),
    Command("compact", compact, (Field("customInstructions", required=False),)),
    Command("set_session_name", set_session_name, (Field("name"),)),
)
