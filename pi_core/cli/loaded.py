"""What `--verbose` tells: everything that was loaded for a run, and where it comes from.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from pi_core.bootstrap import Prepared
from pi_core.session.session import Session
from pi_pkg import Provenance


def loaded_lines(prepared: Prepared, session: Session) -> Iterator[str]:
    """One line a thing, in the order in which they count: model, conversation, tools, extensions, files."""
    models, parts = session.parts.models, session.parts
    yield f"model {models.model.provider}/{models.model.id}, thinking {models.thinking}"
    yield f"conversation {parts.store.session_id}, {parts.store.session_file or 'in memory'}"
    yield f"tools {', '.join(parts.toolset.active_names) or 'none'}"
    resources = prepared.resources
    for extension in resources.extensions:
        yield _line("extension", extension.path, extension.provenance)
    for kind, found in (
        ("skill", resources.skills), ("prompt", resources.prompts), ("theme", resources.themes),
    ):  # fmt: skip
        for item in found:
            yield _line(kind, item.path, item.provenance)
    for file in parts.system.options(parts.toolset).context_files:
        yield f"instructions {file.path}"


def _line(kind: str, path: str, origin: Provenance) -> str:
    package = f", {origin.source}" if origin.origin == "package" else ""
    return f"{kind} {path} ({origin.scope}{package})"
