"""What a failure of an extension tells of the extension itself."""

from __future__ import annotations

from pathlib import Path

from pi_core.api import ExtensionAPI, ExtensionContext, Input
from pi_core.dispatch.plan import Failure
from pi_core.session.events import ExtensionError
from pi_core.session.session import Session
from pi_pkg import Provenance
from tests.support.session_bench import SessionBench


async def test_a_failure_says_where_its_extension_comes_from(tmp_path: Path) -> None:
    """As a tool or a command of that extension does; a fault of nobody's says nothing."""

    def extension(pi: ExtensionAPI) -> None:
        pi.command("boom")(lambda args, ctx: 1 / 0)

        @pi.on(Input)
        def fails(event: Input, ctx: ExtensionContext) -> None:
            raise ValueError("no")

    async def run(session: Session) -> None:
        await session.prompt("/boom")
        await session.prompt("hello")
        session.parts.channel.report(Failure("<runtime>", "turn", "nobody's"))

    bench = await SessionBench(tmp_path, [], extension).run(then=run)
    ours = Provenance("<inline:2>", "inline", "temporary", "top-level")
    assert [("command", ours), ("input", ours), ("turn", None)] == [
        (event.event, event.source_info) for event in bench.events if isinstance(event, ExtensionError)
    ]
