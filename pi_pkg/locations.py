"""The places pi reads and writes, computed from three folders that the edge hands in.

Touches: files (only to resolve links of the project folder).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pi_pkg.values import dataclass

CONFIG_DIR_NAME: Final = ".pi"
"""Name of pi's folder inside a project, and inside the home folder. A packager may re-brand it here."""

ResourceType: TypeAlias = Literal["extensions", "skills", "prompts", "themes"]
RESOURCE_TYPES: Final[tuple[ResourceType, ...]] = ("extensions", "skills", "prompts", "themes")
"""The four kinds of resource, in the order in which they are always listed."""

AGENT_DIR_VARIABLE: Final = "PI_CODING_AGENT_DIR"
"""Environment variable that moves the agent folder; read at the edge only."""


def default_agent_dir(home: Path) -> Path:
    """The agent folder of a home folder when no variable moves it."""
    return home / CONFIG_DIR_NAME / "agent"


@dataclass(frozen=True, slots=True)
class Locations:
    """Every path pi owns. All three folders are absolute; they need not exist."""

    agent_dir: Path
    """The user's folder: settings, trust, sessions, generations."""
    project_dir: Path
    """The working folder; its `.pi` is the project scope."""
    home: Path
    """The home folder, for `~` and `.agents`."""

    # The user's files.
    @property
    def user_settings(self) -> Path:
        return self.agent_dir / "settings.toml"

    @property
    def trust_store(self) -> Path:
        return self.agent_dir / "trust.toml"

    @property
    def auth_file(self) -> Path:
        return self.agent_dir / "auth.json"

    @property
    def models_file(self) -> Path:
        return self.agent_dir / "models.json"

    @property
    def keybindings_file(self) -> Path:
        return self.agent_dir / "keybindings.toml"

    @property
    def sessions_dir(self) -> Path:
        return self.agent_dir / "sessions"

    @property
    def logs_dir(self) -> Path:
        return self.agent_dir / "logs"

    # Code that pi brought here.
    @property
    def user_envs(self) -> Path:
        """Scope folder of the user's generations."""
        return self.agent_dir / "envs"

    @property
    def checkouts(self) -> Path:
        """Git checkouts of every scope, named by repository and commit."""
        return self.agent_dir / "checkouts"

    @property
    def runs(self) -> Path:
        """Packages of one run (`-e`)."""
        return self.agent_dir / "runs"

    @property
    def project_data_dir(self) -> Path:
        """What pi keeps about this project, in the user's folder: a clone can bring nothing into it."""
        return self.agent_dir / "projects" / project_key(self.project_dir)

    @property
    def project_envs(self) -> Path:
        """Scope folder of the project's generations."""
        return self.project_data_dir / "envs"

    @property
    def tree_memory(self) -> Path:
        """What source trees offered when they were last read; may be deleted at any time."""
        return self.agent_dir / "cache" / "trees.json"

    # The project's files.
    @property
    def has_project(self) -> bool:
        """Whether the working folder is a project: not the home folder, and not above the user's own files.

        There `.pi` is the user's, and nothing of it is a project's.
        """
        if os.path.realpath(self.project_dir) == os.path.realpath(self.home):
            return False
        return os.path.realpath(self.project_config_dir) != os.path.realpath(self.agent_dir)

    @property
    def project_config_dir(self) -> Path:
        return self.project_dir / CONFIG_DIR_NAME

    @property
    def project_settings(self) -> Path:
        return self.project_config_dir / "settings.toml"

    @property
    def project_lock(self) -> Path:
        return self.project_config_dir / "pylock.toml"

    def resource_dir(self, scope: Literal["user", "project"], kind: ResourceType) -> Path:
        """The folder that is searched for resources of a kind without being named in settings."""
        return (self.agent_dir if scope == "user" else self.project_config_dir) / kind


def project_key(project_dir: Path) -> str:
    """A folder name for a project: sixteen hex digits of its real path, the same through any link."""
    import hashlib  # start-up time: loads the crypto library, and `pi list` rarely needs it

    return hashlib.sha256(os.path.realpath(project_dir).encode("utf-8", "surrogateescape")).hexdigest()[:16]
