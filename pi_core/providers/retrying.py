"""How often a failed request is made again, and how long to wait before.

Pure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields
from typing import Any, Final, TypeAlias

from hookspecs.values import dataclass
from pi_core.abort import AbortSignal
from pi_core.providers.failures import asked_delay_s
from pi_pkg import Diagnostic

LONGEST_ASKED_MS: Final = 60_000
"""A server that asks for a longer wait is not waited for that long."""

CANCELLED: Final = "Retry cancelled"
"""How a series of repetitions ends that somebody stopped."""

Pause: TypeAlias = Callable[[float, AbortSignal], Awaitable[None]]
"""Waits so many seconds, or until the signal is aborted."""


async def pause(seconds: float, signal: AbortSignal) -> None:
    """Let time pass, until the signal is aborted."""
    try:
        async with asyncio.timeout(seconds):
            await signal.wait()
    except TimeoutError:
        return


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """The settings table `[retry]`."""

    enabled: bool = True
    max_retries: int = 3
    """How often a request is made again, the first time not counted."""
    base_delay_ms: int = 2000
    """The wait before the first repetition; it doubles each time."""
    longest_asked_ms: int = LONGEST_ASKED_MS
    """The longest wait that a server may ask for (`[retry.provider]`, `max-retry-delay-ms`)."""

    @property
    def limit(self) -> int:
        """How many repetitions there are at most."""
        return self.max_retries if self.enabled else 0

    def delay_ms(self, attempt: int, error_text: str = "") -> int:
        """The wait before repetition `attempt`, counted from 1; longer if the error asks for it."""
        doubled = self.base_delay_ms << (attempt - 1)
        asked_s = asked_delay_s(error_text) or 0.0
        asked_ms = round(asked_s * 1000)
        return max(doubled, asked_ms) if asked_ms <= self.longest_asked_ms else doubled


def retry_settings(settings: Mapping[str, Any]) -> RetrySettings:
    """The table `[retry]` of the effective settings; what cannot count keeps its default."""
    return _read(settings)[0]


def retry_findings(settings: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """What is wrong with the table `[retry]`."""
    return _read(settings)[1]


def _read(settings: Mapping[str, Any]) -> tuple[RetrySettings, tuple[Diagnostic, ...]]:
    table = settings.get("retry")
    if table is None:
        return RetrySettings(), ()
    if not isinstance(table, Mapping):
        return RetrySettings(), (_wrong("retry", "must be a table"),)
    names = {spec.name.replace("_", "-"): spec.name for spec in fields(RetrySettings)}
    del names["longest-asked-ms"]  # it stands in a table of its own
    good: dict[str, Any] = _of_provider(table.get("provider"))
    findings: list[Diagnostic] = []
    for key, value in table.items():
        if key == "provider":
            continue
        name = names.get(str(key))
        if name is None:
            findings.append(_wrong(f"retry.{key}", f"is unknown; there are {', '.join(names)}"))
        elif (count := _count(name, value)) is not None:
            good[name] = count
        else:
            wanted = "true or false" if name == "enabled" else "a number, 0 or more"
            findings.append(_wrong(f"retry.{key}", f"must be {wanted}, not {value!r}"))
    return RetrySettings(**good), tuple(findings)


def _count(name: str, value: Any) -> int | None:
    """The value as the field has it; None if it cannot count."""
    if isinstance(value, bool) or name == "enabled":
        return value if isinstance(value, bool) and name == "enabled" else None
    is_whole = isinstance(value, int) or (isinstance(value, float) and name == "base_delay_ms")
    return int(value) if is_whole and value >= 0 else None


def _of_provider(table: Any) -> dict[str, int]:
    longest = table.get("max-retry-delay-ms") if isinstance(table, Mapping) else None
    if isinstance(longest, int | float) and not isinstance(longest, bool) and longest >= 0:
        return {"longest_asked_ms": int(longest)}
    return {}


def _wrong(what: str, problem: str) -> Diagnostic:
    return Diagnostic("warning", "bad-retry", "settings", f"{what} {problem}; it is left out")
