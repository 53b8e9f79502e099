"""The words of trust: what is gated, what was decided earlier, and what is decided now.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from pi_pkg.values import dataclass, field

Step: TypeAlias = Literal[
    "no-project", "override", "no-resources", "extension", "stored", "default", "prompt", "headless"
]
"""Which rule decided; `no-project` is the home folder, whose `.pi` is the user's own."""

Answer: TypeAlias = Literal[
    "trust-content", "trust-folder", "trust-parent", "trust-session", "deny-folder", "deny-session"
]
"""What a person can answer when asked."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Everything of a project that is read as code or instructions."""

    paths: tuple[str, ...]
    """Absolute paths that exist, sorted; empty: nothing needs trust."""
    digest: str | None
    """`sha256:…` over names and contents, links by what they lead to; None: empty, or too much to cover."""
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What the digest is made of: names relative to the project, and marks of their content."""


@dataclass(frozen=True, slots=True)
class StoredDecision:
    """An earlier decision about one folder."""

    trusted: bool
    digest: str | None = None
    """The content it is about; None: the folder, whatever it will hold."""
    by: str = ""
    """Who decided: a user name or an extension's path."""
    when: str = ""
    """ISO 8601 time with zone."""
    how: str = ""
    """Through what: a prompt, a command, an extension's answer."""
    guard: bool = False
    """Whether the content held a guard, whose loss must not go unnoticed."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one extension answered to `project_trust`."""

    extension: str
    answer: str | None
    """`yes`, `no` or `undecided`; any other text is no; None: it raised or answered nothing."""
    remember: bool = False


@dataclass(frozen=True, slots=True)
class TrustFacts:
    """All that a decision may depend on."""

    folder: str
    """Canonical path of the project."""
    surface: Surface
    override: bool | None = None
    """`--approve` is True, `--no-approve` False."""
    stored: tuple[tuple[str, StoredDecision], ...] = ()
    """Earlier decisions of the folder and the folders above it, nearest first."""
    default: str = "ask"
    """`default-project-trust`; anything but `always` and `never` asks."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the project's files exist for this run."""

    trusted: bool
    step: Step
    changed: bool = False
    """Its content was trusted once and is another now."""
    guard_lost: bool = False
    """What was trusted held a guard and no longer matches: a run without a person must not start."""
    remember: tuple[tuple[str, StoredDecision | None], ...] = ()
    """Changes for the store: folder and new decision, None to forget it."""
    silent: tuple[str, ...] = ()
    """Extensions that raised or gave no answer, in load order."""

    @property
    def said(self) -> bool:
        """Whether somebody said so, for this project or for a folder above it: not a default, not silence."""
        return self.step in {"override", "extension", "stored", "prompt"}
