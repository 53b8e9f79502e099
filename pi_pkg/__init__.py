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
        NoProject,
        NoSuchPackage,
        PackageError,
        ProjectNotTrusted,
        ResolveError,
        SettingsError,
        SourceError,
        TrustError,
    )
    from pi_pkg.fetched import Fetched
    from pi_pkg.install.generation import Held
    from pi_pkg.inventory import Wanted, resolved
    from pi_pkg.listed import ListedPackage, ListedResource, Listing
    from pi_pkg.locations import (
        AGENT_DIR_VARIABLE,
        CONFIG_DIR_NAME,
        RESOURCE_TYPES,
        Locations,
        ResourceType,
        default_agent_dir,
    )
    from pi_pkg.manager import PackageManager
    from pi_pkg.outcome import Outcome, Report
    from pi_pkg.provenance import Provenance
    from pi_pkg.resources.model import ResolvedResources, Resource
    from pi_pkg.settings.model import Layer, PackageEntry, Settings
    from pi_pkg.settings.store import given_settings, read_settings, save_setting
    from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source
    from pi_pkg.sources.parse import parse_source
    from pi_pkg.toggle.model import Toggled, Wish, token_of
    from pi_pkg.toggle.shown import Group, groups_of
    from pi_pkg.toggle.switching import switch
    from pi_pkg.trust.gate import notice, project_trust, surface, trust_facts
    from pi_pkg.trust.model import Answer, Decision, StoredDecision, Surface, TrustFacts, Vote
    from pi_pkg.trust.record import allow_content, decide_folder, forget, person, remember_decision
    from pi_pkg.trust.snapshot import changes_since
    from pi_pkg.trust.standing import Standing, standing_of
    from pi_pkg.trust.store import TrustStore

__all__ = [
    "AGENT_DIR_VARIABLE",
    "CONFIG_DIR_NAME",
    "RESOURCE_TYPES",
    "Answer",
    "Decision",
    "Diagnostic",
    "Fetched",
    "GitSource",
    "Group",
    "Held",
    "InstallError",
    "Layer",
    "ListedPackage",
    "ListedResource",
    "Listing",
    "LocalSource",
    "Locations",
    "NoProject",
    "NoSuchPackage",
    "Outcome",
    "PackageEntry",
    "PackageError",
    "PackageManager",
    "ProjectNotTrusted",
    "Provenance",
    "PypiSource",
    "Report",
    "ResolveError",
    "ResolvedResources",
    "Resource",
    "ResourceType",
    "Settings",
    "SettingsError",
    "Source",
    "SourceError",
    "Standing",
    "StoredDecision",
    "Surface",
    "Toggled",
    "TrustError",
    "TrustFacts",
    "TrustStore",
    "Vote",
    "Wanted",
    "Wish",
    "allow_content",
    "changes_since",
    "decide_folder",
    "default_agent_dir",
    "forget",
    "given_settings",
    "groups_of",
    "notice",
    "parse_source",
    "person",
    "project_trust",
    "read_settings",
    "remember_decision",
    "resolved",
    "save_setting",
    "standing_of",
    "surface",
    "switch",
    "token_of",
    "trust_facts",
]

_HOME_OF: Final = {
    "pi_pkg.diagnostics": ("Diagnostic",),
    "pi_pkg.errors": (
        "InstallError",
        "NoProject",
        "NoSuchPackage",
        "PackageError",
        "ProjectNotTrusted",
        "ResolveError",
        "SettingsError",
        "SourceError",
        "TrustError",
    ),
    "pi_pkg.fetched": ("Fetched",),
    "pi_pkg.install.generation": ("Held",),
    "pi_pkg.inventory": ("Wanted", "resolved"),
    "pi_pkg.locations": (
        "AGENT_DIR_VARIABLE",
        "CONFIG_DIR_NAME",
        "RESOURCE_TYPES",
        "Locations",
        "ResourceType",
        "default_agent_dir",
    ),
    "pi_pkg.manager": ("PackageManager",),
    "pi_pkg.listed": ("ListedPackage", "ListedResource", "Listing"),
    "pi_pkg.outcome": ("Outcome", "Report"),
    "pi_pkg.provenance": ("Provenance",),
    "pi_pkg.resources.model": ("ResolvedResources", "Resource"),
    "pi_pkg.settings.model": ("Layer", "PackageEntry", "Settings"),
    "pi_pkg.settings.store": ("given_settings", "read_settings", "save_setting"),
    "pi_pkg.sources.model": ("GitSource", "LocalSource", "PypiSource", "Source"),
    "pi_pkg.sources.parse": ("parse_source",),
    "pi_pkg.toggle.model": ("Toggled", "Wish", "token_of"),
    "pi_pkg.toggle.shown": ("Group", "groups_of"),
    "pi_pkg.toggle.switching": ("switch",),
    "pi_pkg.trust.gate": ("notice", "project_trust", "surface", "trust_facts"),
    "pi_pkg.trust.model": ("Answer", "Decision", "StoredDecision", "Surface", "TrustFacts", "Vote"),
    "pi_pkg.trust.record": ("allow_content", "decide_folder", "forget", "person", "remember_decision"),
    "pi_pkg.trust.snapshot": ("changes_since",),
    "pi_pkg.trust.standing": ("Standing", "standing_of"),
    "pi_pkg.trust.store": ("TrustStore",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME_OF.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
