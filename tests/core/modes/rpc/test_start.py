"""What the start of the rpc mode does without."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.sources import ROOT
from tests.support.agent_cli import AgentCli
from tests.support.rpc_client import rpc

NOT_NEEDED = (
    "aiohttp",
    "httpx2",
    "markdown_it",
    "openai",
    "pydantic",
    "pydantic_ai",
    "rich",
    "textual",
    "tomlkit",
)
SCRIPT = f"""
import sys
import pi_core.cli.agent, pi_core.modes.rpc.server
print(sorted(set({NOT_NEEDED!r}) & set(sys.modules)))
"""


def test_a_client_waits_for_no_library_that_its_start_does_not_need() -> None:
    """Neither a vendor's, nor a terminal's, nor the reader of Markdown is loaded before it is asked for."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert "[]\n" == done.stdout


FAKE = """
    import asyncio, sys, types

    LIBRARY = types.ModuleType("pi_core.providers.pydantic_ai")
    TOLD = []
    LIBRARY.warm = lambda api: TOLD.append(api)
    sys.modules[LIBRARY.__name__] = LIBRARY

    def extension(pi):
        @pi.command("warmed")
        async def warmed(args, ctx):
            ctx.ui.notify(" ".join(TOLD) or "nothing")
            while not TOLD:
                await asyncio.sleep(0.01)
            ctx.ui.notify(" ".join(TOLD))
    """


def test_the_libraries_of_the_model_are_loaded_after_the_first_answer(pi: AgentCli) -> None:
    """No first prompt waits for them: they are loaded when the client has its first answer, and once."""
    pi.user_extension(FAKE)
    with rpc(pi, "--model", "openai/gpt-5", "--api-key", "k") as client:
        client.data("get_state")
        client.data("get_state")
        client.data("prompt", message="/warmed")
        notices = [record["message"] for record in client.of_type("extension_ui_request")]
        assert "openai-responses" == notices[-1]
