"""The package manager: what is installed, and in which order it counts.

Names are imported when first used, so that a command pays for nothing it does not need.

Pure.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pi_pkg.diagnostics import Diagnostic
    from pi_pkg.errors import (
        InstallError,
        NoSuchPackage,
        PackageError,
        ProjectNotTrusted,
        ResolveError,
        SettingsError,
        SourceError,
        TrustError,
    )
    from pi_pkg.locations import CONFIG_DIR_NAME, Locations, default_agent_dir
    from pi_pkg.provenance import Provenance
    from pi_pkg.settings.model import Layer, PackageEntry, Settings
    from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source

__all__ = [
    "CONFIG_DIR_NAME",
    "Diagnostic",
    "GitSource",
    "InstallError",
    "Layer",
    "LocalSource",
    "Locations",
    "NoSuchPackage",
    "PackageEntry",
    "PackageError",
    "ProjectNotTrusted",
    "Provenance",
    "PypiSource",
    "ResolveError",
    "Settings",
    "SettingsError",
    "Source",
    "SourceError",
    "TrustError",
    "default_agent_dir",
]

_HOME_OF: Final = {
    "pi_pkg.diagnostics": ("Diagnostic",),
    "pi_pkg.errors": (
        "InstallError",
        "NoSuchPackage",
        "PackageError",
        "ProjectNotTrusted",
        "ResolveError",
        "SettingsError",
        "SourceError",
        "TrustError",
    ),
    "pi_pkg.locations": ("CONFIG_DIR_NAME", "Locations", "default_agent_dir"),
    "pi_pkg.provenance": ("Provenance",),
    "pi_pkg.settings.model": ("Layer", "PackageEntry", "Settings"),
    "pi_pkg.sources.model": ("GitSource", "LocalSource", "PypiSource", "Source"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME_OF.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
