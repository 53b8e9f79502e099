"""Three providers. Each has a file of its own: `parrot.py`, `workshop.py`, `cloud.py`."""

from __future__ import annotations

from collections.abc import Mapping

from pi_core.api import ExtensionAPI, ExtensionContext, SessionStart
from pi_sample_provider_demo import cloud, parrot, workshop


def extension(pi: ExtensionAPI) -> None:
    """The parrot is there at once; the others where the settings say where they are."""
    pi.register_provider("parrot", parrot.provider())

    @pi.on("session_start")
    async def start(event: SessionStart, ctx: ExtensionContext) -> None:
        table = pi.get_settings().get("provider-demo")
        given = table if isinstance(table, Mapping) else {}
        if isinstance(address := given.get("cloud"), str):
            pi.register_provider("cloud", cloud.provider(address))
        if isinstance(address := given.get("workshop"), str):
            try:
                pi.register_provider("workshop", await workshop.provider(address))
            except OSError as error:
                problem = f"The workshop at {address} does not answer: {error}"
                if not ctx.has_ui:
                    raise OSError(problem) from error  # pi tells it in a line; the run goes on
                ctx.ui.notify(problem, "warning")
