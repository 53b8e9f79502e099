"""What the text of a failed request says: too long for the model, worth trying again, or neither.

Providers have no common codes, and what reaches a session is a sentence, so the sentences are
the table. A number counts as a status only where it stands as one.

Pure.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from hookspecs.messages import AssistantMessage

_OVERFLOW: Final = (
    # OpenAI, Azure, DeepSeek, OpenRouter, vLLM
    r"context[_ ]length[_ ]exceeded",
    r"maximum (context|model|prompt|sequence) length",
    r"exceeds? (the |this |its )?(model'?s? )?(maximum )?(available )?context",
    r"request too large for .*(tokens per min|tpm)",
    # Anthropic, Bedrock, Fireworks
    r"prompt (is )?too long",
    r"input is too long",
    r"exceeds? (the )?context limit",
    r"request_too_large",
    r"\b413\b.*\(no body\)",
    # Gemini, Vertex
    r"input token count.*exceeds",
    # xAI, Copilot, Moonshot, MiniMax, Mistral, Groq, DashScope, Cohere
    r"prompt token count.*exceeds",
    r"exceeded model token limit",
    r"context window exceeds limit",
    r"too large for model with .* context",
    r"reduce the length of (the|your) (messages|prompt|input)",
    r"range of input length should be",
    r"total number of tokens in the prompt cannot exceed",
    # llama.cpp, LM Studio, Ollama, SGLang, text-generation-inference, vLLM
    r"exceed_context_size",
    r"greater than the context length",
    r"exceeded max context length",
    r"longer than the (model'?s? )?(maximum )?(model|context) length",
    r"tokens \+ `?max_new_tokens`? must be",
    r"must have less than \d+ tokens",
    r"exceeds? (the |this )?model'?s? (maximum )?(context|input|token)",
    r"token limit exceeded",
)

_RATE: Final = (
    r"rate.?limit",
    r"too many requests",
    r"throttl",
    r"too many tokens, please wait",
)

_QUOTA: Final = (
    r"insufficient.{0,3}(quota|credits?|balance|funds)",
    r"current quota",
    r"quota (was |is |has been )?(exceeded|exhausted|reached)",
    r"exceeded.{0,20}\bquota\b",
    r"\bbilling\b",
    r"payment required",
    r"credit balance is too low",
    r"(out of|no remaining|not enough|more) credits",
    r"(usage|spending|spend|monthly|weekly|daily|hard|account) (usage )?limit",
)

_TRANSIENT: Final = (
    *_RATE,
    r"overloaded",
    r"at capacity|over capacity|capacity (exceeded|constraints)",
    r"resource (has been )?exhausted|resource_exhausted",
    r"(service|temporarily|currently|server is|model is|endpoint is) ?(is )?(un|not )available",
    r"unavailable",
    r"(internal|server)[ _]?(server )?error",
    r"bad gateway|gateway time-?out|upstream (connect|request|error)",
    r"time-?d? ?-?out|deadline.exceeded",
    r"network|socket hang up|fetch failed|\bdns\b|name resolution|getaddrinfo",
    r"connect(ion)?( was| is| has been)? ?(error|reset|refused|closed|aborted|lost|failed|broken|terminated)",
    r"(closed|lost|reset) (the )?connection|connection attempts failed|disconnected",
    r"\b(econnreset|econnrefused|etimedout|epipe|enotfound|eai_again|enetunreach|ehostunreach)\b",
    r"\bterminated\b|\bgoaway\b|protocol.?error|stream.?reset",
    r"premature|incomplete (chunked )?read|unexpected (eof|end of)|stream ended|broke off",
    r"loading model|model is (still )?loading|warming up",
    r"(please )?(try|retry)( your request)? (again|later)|retry your request",
)

_REFUSED: Final = frozenset({400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 415, 422})
"""Statuses that will be the same the next time."""
_PASSING: Final = frozenset({408, 409, 425, 429, 499})
_PAYMENT: Final = 402

_STATUS: Final = (
    r"^\W*(?:error\W*)?(?:http\W*)?(?:status\W*)?(?:code\W*)?(?P<first>[45]\d\d)\b(?!\s*tokens)"
    r"|(?:\bstatus[ _]?code|\bstatus|\bhttp(?:/[\d.]+)?|\berror|\bcode)"
    r"\W{1,4}(?P<named>[45]\d\d)\b(?!\s*tokens)",
)
_WAIT: Final = (
    r"\bretry-after\W{1,4}(?P<after>\d+)\b"
    r"|(?:try again|retry|wait)\D{0,12}(?:(?P<minutes>\d+)m(?!s))?\s*"
    r"(?:(?P<amount>\d+(?:\.\d+)?)\s*(?P<unit>ms|milliseconds?|s\b|sec\w*))?",
)


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern of all, made at the first failure: no start waits for it."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE | re.DOTALL)


def is_overflow(message: AssistantMessage, context_window: int | None) -> bool:
    """Whether a request did not fit the model. Some servers say so, some count more than the window has
    (`context_window` in tokens; 0 or None: unknown), some stop for length before the first word."""
    if message.stop_reason == "error":
        return is_overflow_text(message.error_message or "")
    usage = message.usage
    sent = usage.input + usage.cache_read + usage.cache_write
    if message.stop_reason == "length":
        return usage.output == 0 and not message.content
    return message.stop_reason == "stop" and bool(context_window) and sent > (context_window or 0)


def is_retryable(message: AssistantMessage, context_window: int | None) -> bool:
    """Whether the same request may succeed in a moment. Never after an abort or a good answer."""
    if message.stop_reason != "error" or is_overflow(message, context_window):
        return False
    return is_transient_text(message.error_message or "")


def is_overflow_text(text: str) -> bool:
    """Whether an error says that the request is too long, rather than that there are too many of them."""
    found = _any_of(_OVERFLOW).search(text)
    if found is None:
        return False
    is_rate = _any_of(_RATE).search(text) is not None
    return not is_rate or "too large" in found.group().lower()


def is_quota_text(text: str) -> bool:
    """Whether an error says that the account has nothing left. One that names a short wait does not."""
    if status_of(text) == _PAYMENT:
        return True
    return _any_of(_QUOTA).search(text) is not None and asked_delay_s(text) is None


def is_transient_text(text: str) -> bool:
    """Whether an error sounds as if it may pass."""
    if is_overflow_text(text) or is_quota_text(text):
        return False
    status = status_of(text)
    if status is not None:
        if status >= 500 or status in _PASSING:
            return True
        if status in _REFUSED:
            return False
    return _any_of(_TRANSIENT).search(text) is not None


def status_of(text: str) -> int | None:
    """The HTTP status that an error names; None if it names none."""
    found = _any_of(_STATUS).search(text)
    if found is None:
        return None
    return int(found["first"] or found["named"])


def asked_delay_s(text: str) -> float | None:
    """How long an error asks to wait, in seconds; None if it does not say."""
    for found in _any_of(_WAIT).finditer(text):
        if found["after"]:
            return float(found["after"])
        if found["amount"] or found["minutes"]:
            unit = (found["unit"] or "s").lower()
            amount = float(found["amount"] or 0) / (1000 if unit.startswith("m") else 1)
            return amount + 60 * int(found["minutes"] or 0)
    return None
