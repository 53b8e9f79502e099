"""What went wrong on the way to a model, in the words that the host reads: the status first, if there is one.

Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx2
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError

MAX_CHARACTERS: Final = 1000
NO_STREAM: Final = "ended without content or tool calls"
TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
NO_END: Final = "without a `finish_reason`"
BROKE_OFF: Final = "Connection error: the stream ended before the answer did"


def wording(error: BaseException) -> str:
    """One line about the error. Where a connection broke or time ran out, it says that word."""
    return one_line(_said(error))


def is_told(error: Exception) -> bool:
    """Whether the error is the server's, or the connection's, and not of who reads the answer."""
    return isinstance(error, ModelHTTPError) or _transport_error(error) is not None


def unstreamed(body_start: bytes, error: Exception) -> str:
    """The error of an answer that nobody could read, by the start of its body."""
    told = _of_body(body_start.decode(errors="replace").strip())
    if told:
        return one_line(f"The server answered without a stream: {told}")
    return BROKE_OFF if NO_STREAM in str(error) else wording(error)


def asked_wait_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long a server asks to wait, in seconds: it says so in several ways. None if it does not."""
    for name, scale in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return max(0.0, float(headers.get(name, "")) / scale)
        except ValueError:
            continue
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, round((until - now).total_seconds()))
    except (ValueError, TypeError):
        return None


def one_line(text: str) -> str:
    """The text without line ends, as far as anybody reads it."""
    return " ".join(text.split())[:MAX_CHARACTERS]


def _said(error: BaseException) -> str:
    if isinstance(error, ModelHTTPError):
        told = _of_body(error.body) or "(no body)"
        return told if told.startswith(str(error.status_code)) else f"{error.status_code} {told}"
    cause = _transport_error(error)
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return f"Connection error at {_address(cause)}: {_named(cause)}"
    if isinstance(cause, httpx2.TimeoutException):
        return f"Request timed out ({_named(cause)})"
    if cause is not None:
        return f"Connection error: {_named(cause)}"
    if isinstance(error, ModelAPIError):
        if NO_END in error.message:
            return BROKE_OFF
        return _of_body(getattr(error, "body", None)) or error.message
    return _named(error)


def _transport_error(error: BaseException | None) -> httpx2.TransportError | None:
    """The error of the connection under what the libraries made of it."""
    while error is not None and not isinstance(error, httpx2.TransportError):
        error = error.__cause__ or error.__context__
    return error


def _address(error: httpx2.TransportError) -> str:
    url = error.request.url
    return f"{url.host}:{url.port}" if url.port else url.host


def _of_body(body: Any) -> str | None:
    """The message in a vendor's error: `error.message` or `message`, else the body as JSON."""
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            return _title(body) or None
    if not isinstance(body, dict):
        return None if body is None else str(body)
    inner = body.get("error")
    place = inner if isinstance(inner, dict) else body
    message = place.get("message")
    if not isinstance(message, str):
        return inner if isinstance(inner, str) else json.dumps(body, default=str)
    kind = place.get("type") or place.get("status") or place.get("code")
    named = isinstance(kind, str) and kind not in (*message.split(), "OK")
    return f"{_title(message)} ({kind})" if named else _title(message) or None


def _title(text: str) -> str:
    """The title of a page, any other text as it is: proxies answer with pages."""
    title = TITLE.search(text)
    return title[1] if title else text


def _named(error: BaseException) -> str:
    return str(error) or type(error).__name__
