"""The event that lets extensions bring skills, prompts and themes, and its answer.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from hookspecs.unset import UNSET, Unset
from hookspecs.values import dataclass


@dataclass(kw_only=True)
class ResourcesDiscover:
    """Follows every session_start; the reason is "reload" after a reload and else "startup"."""

    event_name: ClassVar[str] = "resources_discover"
    cwd: str
    reason: Literal["startup", "reload"] = "startup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Paths of files or folders; relative ones count from the session's working folder."""

    skill_paths: Sequence[str] | Unset = UNSET
    prompt_paths: Sequence[str] | Unset = UNSET
    theme_paths: Sequence[str] | Unset = UNSET
