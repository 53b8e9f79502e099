"""What model servers send, on each of the four wires: an answer as server-sent events.

Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, assert_never

Wire: TypeAlias = Literal[
    "openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"
]
WIRES: tuple[Wire, ...] = (
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "google-generative-ai",
)


@dataclass(frozen=True, slots=True)
class Say:
    """Text, a piece a delta."""

    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Think:
    """Reasoning, a piece a delta. `sealed` is what the vendor wants back, base64 on the Gemini wire."""

    pieces: tuple[str, ...]
    sealed: str = "c2VhbGVk"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; its arguments arrive as pieces of JSON, at once on the Gemini wire."""

    id: str
    name: str
    pieces: tuple[str, ...]


Block: TypeAlias = Say | Think | Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What the answer used. `prompt` counts everything that was sent, cached or not."""

    prompt: int = 120
    cached: int = 0
    written: int = 0
    output: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A good answer. `stop` is its end in our words."""

    blocks: tuple[Block, ...] = (Say(("Hel", "lo")),)
    stop: Literal["stop", "length", "refused"] = "stop"
    tokens: Tokens = field(default_factory=Tokens)


def wire_of(path: str) -> Wire:
    """The wire that is spoken at a path."""
    if path.endswith("/chat/completions"):
        return "openai-completions"
    if path.endswith("/responses"):
        return "openai-responses"
    return "anthropic-messages" if path.endswith("/messages") else "google-generative-ai"


def frames(wire: Wire, answer: Answer) -> list[bytes]:
    """The answer as server-sent events, in order."""
    match wire:
        case "openai-completions":
            return [*map(_plain, _completions(answer)), b"data: [DONE]\n\n"]
        case "openai-responses":
            return [_named(event) for event in _responses(answer)]
        case "anthropic-messages":
            return [_named(event) for event in _messages(answer)]
        case "google-generative-ai":
            return [_plain(event) for event in _gemini(answer)]
        case _:
            assert_never(wire)


def broken_frame(wire: Wire, message: str) -> bytes:
    """An error that comes in the middle of an answer whose status was good."""
    if wire == "anthropic-messages":
        return _named({"type": "error", "error": {"type": "overloaded_error", "message": message}})
    if wire == "openai-responses":
        return _named({"type": "error", "code": "server_error", "message": message, "sequence_number": 9})
    if wire == "google-generative-ai":
        return _plain({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})
    return _plain({"error": {"message": message, "type": "server_error", "code": None, "param": None}})


def refusal(wire: Wire, status: int, message: str) -> bytes:
    """The body of an answer whose status is bad."""
    if wire == "anthropic-messages":
        return json.dumps({"type": "error", "error": {"type": "some_error", "message": message}}).encode()
    if wire == "google-generative-ai":
        return json.dumps({"error": {"code": status, "message": message, "status": "FAILED"}}).encode()
    return json.dumps({"error": {"message": message, "type": "some_error", "code": None}}).encode()


def _plain(event: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(event)}\n\n".encode()


def _named(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _calls(answer: Answer) -> bool:
    return any(isinstance(block, Call) for block in answer.blocks)


def _completions(answer: Answer) -> Iterator[dict[str, Any]]:
    calls = 0
    yield _chunk({"role": "assistant", "content": ""})
    for block in answer.blocks:
        match block:
            case Say(pieces):
                yield from (_chunk({"content": piece}) for piece in pieces)
            case Think(pieces):
                yield from (_chunk({"reasoning_content": piece}) for piece in pieces)
            case Call(call_id, name, pieces):
                start = {"index": calls, "id": call_id, "type": "function"}
                yield _chunk({"tool_calls": [{**start, "function": {"name": name, "arguments": ""}}]})
                for piece in pieces:
                    yield _chunk({"tool_calls": [{"index": calls, "function": {"arguments": piece}}]})
                calls += 1
    ends = {"stop": "tool_calls" if calls else "stop", "length": "length", "refused": "content_filter"}
    yield _chunk({}, ends[answer.stop])
    tokens = answer.tokens
    usage = {
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.prompt + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
    }
    yield {**_chunk({}), "choices": [], "usage": usage}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    known = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**known, "choices": [choice]}


def _responses(answer: Answer) -> Iterator[dict[str, Any]]:
    events = _response_events(answer)
    yield from ({**event, "sequence_number": number} for number, event in enumerate(events))


def _response_events(answer: Answer) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": _response("in_progress")}
    for place, block in enumerate(answer.blocks):
        match block:
            case Say(pieces):
                yield from _message_item(place, pieces)
            case Think(pieces, sealed):
                yield from _reasoning_item(place, pieces, sealed)
            case Call(call_id, name, pieces):
                yield from _call_item(place, call_id, name, pieces)
    reasons = {"length": "max_output_tokens", "refused": "content_filter"}
    tokens = answer.tokens
    usage = {
        "input_tokens": tokens.prompt,
        "output_tokens": tokens.output,
        "total_tokens": tokens.prompt + tokens.output,
        "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    status = "completed" if answer.stop == "stop" else "incomplete"
    details = {"reason": reasons[answer.stop]} if answer.stop in reasons else None
    whole = {**_response(status), "usage": usage, "incomplete_details": details}
    yield {"type": f"response.{status}", "response": whole}


def _response(status: str) -> dict[str, Any]:
    known = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": [], "tools": []}
    return {**known, "status": status, "tool_choice": "auto", "parallel_tool_calls": True}


def _message_item(place: int, pieces: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    item = {"type": "message", "id": f"msg_{place}", "role": "assistant"}
    at = {"output_index": place, "item_id": f"msg_{place}", "content_index": 0}
    part = {"type": "output_text", "annotations": []}
    full = {**part, "text": "".join(pieces)}
    new = {**item, "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": place, "item": new}
    yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
    for piece in pieces:
        yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **at, "text": full["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **at, "part": full}
    whole = {**item, "status": "completed", "content": [full]}
    yield {"type": "response.output_item.done", "output_index": place, "item": whole}


def _reasoning_item(place: int, pieces: tuple[str, ...], sealed: str) -> Iterator[dict[str, Any]]:
    item = {"type": "reasoning", "id": f"rs_{place}"}
    at = {"output_index": place, "item_id": f"rs_{place}", "summary_index": 0}
    full = {"type": "summary_text", "text": "".join(pieces)}
    yield {"type": "response.output_item.added", "output_index": place, "item": {**item, "summary": []}}
    yield {"type": "response.reasoning_summary_part.added", **at, "part": {**full, "text": ""}}
    for piece in pieces:
        yield {"type": "response.reasoning_summary_text.delta", **at, "delta": piece}
    yield {"type": "response.reasoning_summary_text.done", **at, "text": full["text"]}
    yield {"type": "response.reasoning_summary_part.done", **at, "part": full}
    whole = {**item, "summary": [full], "encrypted_content": sealed}
    yield {"type": "response.output_item.done", "output_index": place, "item": whole}


def _call_item(place: int, call_id: str, name: str, pieces: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    item = {"type": "function_call", "id": f"fc_{place}", "call_id": call_id, "name": name}
    at = {"output_index": place, "item_id": f"fc_{place}"}
    new = {**item, "arguments": "", "status": "in_progress"}
    yield {"type": "response.output_item.added", "output_index": place, "item": new}
    for piece in pieces:
        yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
    whole = "".join(pieces)
    yield {"type": "response.function_call_arguments.done", **at, "arguments": whole, "name": name}
    done = {**item, "arguments": whole, "status": "completed"}
    yield {"type": "response.output_item.done", "output_index": place, "item": done}


def _messages(answer: Answer) -> Iterator[dict[str, Any]]:
    tokens = answer.tokens
    usage = {
        "input_tokens": tokens.prompt - tokens.cached - tokens.written,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation_input_tokens": tokens.written,
        "output_tokens": 1,
    }
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    ends = {"stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": {**message, **ends, "usage": usage}}
    yield {"type": "ping"}
    for place, block in enumerate(answer.blocks):
        start, deltas = _anthropic_block(block)
        yield {"type": "content_block_start", "index": place, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": place, "delta": delta}
        yield {"type": "content_block_stop", "index": place}
    reasons = {"stop": "tool_use" if _calls(answer) else "end_turn", "length": "max_tokens"}
    end = {"stop_reason": reasons.get(answer.stop, "refusal"), "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {**usage, "output_tokens": tokens.output}}
    yield {"type": "message_stop"}


def _anthropic_block(block: Block) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    match block:
        case Say(pieces):
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in pieces]
        case Think((), sealed):
            return {"type": "redacted_thinking", "data": sealed}, []
        case Think(pieces, sealed):
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
            start = {"type": "thinking", "thinking": "", "signature": ""}
            return start, [*deltas, {"type": "signature_delta", "signature": sealed}]
        case Call(call_id, name, pieces):
            call: dict[str, Any] = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
            return call, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        case _:
            assert_never(block)


def _gemini(answer: Answer) -> Iterator[dict[str, Any]]:
    sealed: str | None = None
    for block in answer.blocks:
        match block:
            case Say(pieces):
                parts: list[dict[str, Any]] = [{"text": piece} for piece in pieces]
            case Think(pieces, signature):
                parts = [{"text": piece, "thought": True} for piece in pieces]
                sealed = signature
                yield from (_candidate(part) for part in parts)
                continue
            case Call(call_id, name, pieces):
                arguments = json.loads("".join(pieces) or "{}")
                parts = [{"functionCall": {"id": call_id, "name": name, "args": arguments}}]
            case _:
                assert_never(block)
        if sealed is not None:
            parts[0]["thoughtSignature"], sealed = sealed, None
        yield from (_candidate(part) for part in parts)
    ends = {"stop": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}
    tokens = answer.tokens
    usage = {
        "promptTokenCount": tokens.prompt,
        "cachedContentTokenCount": tokens.cached,
        "candidatesTokenCount": tokens.output,
        "totalTokenCount": tokens.prompt + tokens.output,
    }
    yield {**_candidate({"text": ""}, ends[answer.stop]), "usageMetadata": usage}


def _candidate(part: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": [part]}}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": "m", "responseId": "resp-1"}
