"""pi as a library: sessions for embedders, and the extension system alone.

Authors of extensions import `pi_core.api`. Names are imported when first used, so that a command
pays for nothing it does not need.

Pure.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # `typing` costs more than all the rest of `pi --version`
if TYPE_CHECKING:
    from pi_core.embedding import create_runtime, create_session
    from pi_core.errors import AgentError
    from pi_core.extensions.headless import HeadlessUI
    from pi_core.extensions.runner import Runner
    from pi_core.extensions.standalone import Loaded, discover_and_load
    from pi_core.history.sessions import memory_session, open_session
    from pi_core.resources.loader import ResourceLoader, ResourceRequest, Resources
    from pi_core.session.runtime import SessionRuntime
    from pi_core.session.session import Session
    from pi_core.version import VERSION

__all__ = [
    "VERSION",
    "AgentError",
    "HeadlessUI",
    "Loaded",
    "ResourceLoader",
    "ResourceRequest",
    "Resources",
    "Runner",
    "Session",
    "SessionRuntime",
    "create_runtime",
    "create_session",
    "discover_and_load",
    "memory_session",
    "open_session",
]

_HOME_OF = {
    "AgentError": "pi_core.errors",
    "HeadlessUI": "pi_core.extensions.headless",
    "Loaded": "pi_core.extensions.standalone",
    "ResourceLoader": "pi_core.resources.loader",
    "ResourceRequest": "pi_core.resources.loader",
    "Resources": "pi_core.resources.loader",
    "Runner": "pi_core.extensions.runner",
    "Session": "pi_core.session.session",
    "SessionRuntime": "pi_core.session.runtime",
    "VERSION": "pi_core.version",
    "create_runtime": "pi_core.embedding",
    "create_session": "pi_core.embedding",
    "discover_and_load": "pi_core.extensions.standalone",
    "memory_session": "pi_core.history.sessions",
    "open_session": "pi_core.history.sessions",
}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(home), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
