"""What is told where no line of an extension is seen: exits out of the blue, dialogs without a person."""

from __future__ import annotations

from typing import Any

import pytest

from pi_core.api import ExtensionAPI, SessionStart
from pi_core.dispatch.plan import Failure
from pi_core.extensions.strays import stray_failure
from pi_core.testing import Harness


@pytest.mark.parametrize(
    ("error", "said"), [(SystemExit(5), "sys.exit(5) was called"), (KeyboardInterrupt(), "KeyboardInterrupt")]
)
def test_an_exit_that_nobody_owns_is_a_finding(error: BaseException, said: str) -> None:
    """`loop.call_soon(sys.exit)` leaves no frame that leads to a file; a line is told, no traceback."""
    failure = stray_failure({"exception": error}, ())
    assert failure is not None
    assert ("<runtime>", "event_loop", said) == (failure.extension, failure.event, failure.message)


def test_other_errors_that_nobody_owns_go_the_usual_way() -> None:
    """They may be of a library, or ours."""
    assert None is stray_failure({"exception": ValueError("x")}, ())


@pytest.mark.parametrize(
    ("method", "arguments", "answer", "said"),
    [
        ("confirm", ("t", "m"), False, "so the answer was no;"),
        ("select", ("t", ["a"]), None, "so nothing was answered;"),
        ("input", ("t",), None, "so nothing was answered;"),
    ],
)
async def test_a_dialog_without_a_person(
    method: str, arguments: tuple[Any, ...], answer: object, said: str
) -> None:
    """The finding says what the extension got."""
    got: list[object] = []

    def extension(pi: ExtensionAPI) -> None:
        @pi.on("session_start")
        async def ask(event: Any, ctx: Any) -> None:
            got.append(await getattr(ctx.ui, method)(*arguments))

    async with Harness(extension) as harness:
        await harness.emit(SessionStart(reason="startup"))
        told = [finding.message for finding in harness.findings if isinstance(finding, Failure)]
    assert ([answer], 1) == (got, len(told))
    assert said in told[0]
