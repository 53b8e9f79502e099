"""Everything that an author needs to test an extension: a harness, a scripted model, a recording UI.

Pure.
"""

from __future__ import annotations

from pi_core.providers.script import Script
from pi_core.testing.harness import Harness
from pi_core.testing.host import MemorySession, RecordingHost
from pi_core.testing.ui import Call, RecordingUI

__all__ = ["Call", "Harness", "MemorySession", "RecordingHost", "RecordingUI", "Script"]
