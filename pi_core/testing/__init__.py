"""Everything that an author needs to test an extension: harness, scripted session, recording UI.

The fixtures of `pi_core.testing.plugin` are there without an import. Names are imported when first used.

Pure.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pi_core.providers.script import Script
    from pi_core.testing.clock import Clock
    from pi_core.testing.harness import Harness
    from pi_core.testing.host import MemorySession, RecordingHost
    from pi_core.testing.package import PackageContents
    from pi_core.testing.plain import PlainHarness, PlainSession
    from pi_core.testing.session import ScriptedSession
    from pi_core.testing.ui import Call, RecordingUI
    from pi_core.testing.wheel import WheelBuildError

__all__ = [
    "Call",
    "Clock",
    "Harness",
    "MemorySession",
    "PackageContents",
    "PlainHarness",
    "PlainSession",
    "RecordingHost",
    "RecordingUI",
    "Script",
    "ScriptedSession",
    "WheelBuildError",
]

_HOME_OF: Final = {
    "Call": "pi_core.testing.ui",
    "Clock": "pi_core.testing.clock",
    "Harness": "pi_core.testing.harness",
    "MemorySession": "pi_core.testing.host",
    "PackageContents": "pi_core.testing.package",
    "PlainHarness": "pi_core.testing.plain",
    "PlainSession": "pi_core.testing.plain",
    "RecordingHost": "pi_core.testing.host",
    "RecordingUI": "pi_core.testing.ui",
    "Script": "pi_core.providers.script",
    "ScriptedSession": "pi_core.testing.session",
    "WheelBuildError": "pi_core.testing.wheel",
}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(home), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
