"""Dialogs that a client answers, and displays that it shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from hookspecs.ui import UIUnavailable
from pi_core.abort import AbortController
from pi_core.modes.rpc.ui import RpcUI


class Client:
    """What the client was asked, and the UI that asked it."""

    def __init__(self, limit_s: float | None = None) -> None:
        self.asked: list[dict[str, Any]] = []
        self.refused: list[tuple[str, str]] = []
        self.ui = RpcUI(
            lambda record: self.asked.append(dict(record)),
            lambda method, wrong: self.refused.append((method, wrong)),
            limit_s,
        )

    async def ask(self, dialog: Coroutine[Any, Any, Any], **answer: Any) -> Any:
        """The outcome of a dialog that the client answers; without an answer it stays open."""
        waiting = asyncio.ensure_future(dialog)
        await asyncio.sleep(0)
        if answer:
            self.answer(**answer)
        return await asyncio.wait_for(waiting, 10)

    def answer(self, place: int = -1, **answer: Any) -> None:
        self.ui.answer({"type": "extension_ui_response", "id": self.asked[place]["id"], **answer})


Ask = Callable[[RpcUI], Coroutine[Any, Any, Any]]

DIALOGS: dict[str, tuple[Ask, dict[str, Any]]] = {
    "select": (
        lambda ui: ui.select("t", ["a", "b"], timeout_s=2.5),
        {"method": "select", "title": "t", "options": ["a", "b"], "timeout": 2500},
    ),
    "confirm": (
        lambda ui: ui.confirm("t", "m"),
        {"method": "confirm", "title": "t", "message": "m"},
    ),
    "input": (
        lambda ui: ui.input("t", "p"),
        {"method": "input", "title": "t", "placeholder": "p"},
    ),
    "editor": (lambda ui: ui.editor("t", "p"), {"method": "editor", "title": "t", "prefill": "p"}),
}


@pytest.mark.parametrize(("ask", "expected"), DIALOGS.values(), ids=DIALOGS)
async def test_a_dialog_is_a_request(ask: Ask, expected: dict[str, Any]) -> None:
    """Its fields are the protocol's, its time limit milliseconds, and it has an id of its own."""
    client = Client()
    await client.ask(ask(client.ui), cancelled=True)
    (request,) = client.asked
    assert {"type": "extension_ui_request", "id": request["id"], **expected} == request


@pytest.mark.parametrize(
    ("ask", "answer", "expected"),
    [
        (DIALOGS["select"][0], {"value": "b"}, "b"),
        (DIALOGS["confirm"][0], {"confirmed": True}, True),
        (DIALOGS["confirm"][0], {"confirmed": False}, False),
        (DIALOGS["input"][0], {"value": ""}, ""),
        (DIALOGS["editor"][0], {"value": "x\ny"}, "x\ny"),
        (DIALOGS["select"][0], {"cancelled": True}, None),
        (DIALOGS["confirm"][0], {"cancelled": True}, False),
        (DIALOGS["input"][0], {"cancelled": True}, None),
        (DIALOGS["editor"][0], {"cancelled": True}, None),
    ],
)
async def test_an_answer_is_what_the_client_said(ask: Ask, answer: dict[str, Any], expected: Any) -> None:
    """76: a value, a yes or no, or nothing when it was cancelled."""
    client = Client()
    assert expected == await client.ask(ask(client.ui), **answer)
    assert [] == client.refused


@pytest.mark.parametrize(
    ("ask", "answer", "wrong"),
    [
        (DIALOGS["select"][0], {"value": "c"}, "was not among the options"),
        (DIALOGS["select"][0], {"value": 1}, 'no "value" that is a string'),
        (DIALOGS["select"][0], {"confirmed": True}, 'no "value" that is a string'),
        (DIALOGS["confirm"][0], {"value": "yes"}, 'no "confirmed" that is a boolean'),
        (DIALOGS["confirm"][0], {"confirmed": "true"}, 'no "confirmed" that is a boolean'),
        (DIALOGS["input"][0], {"other": 1}, 'no "value" that is a string'),
    ],
)
async def test_an_answer_that_was_not_offered_is_none(ask: Ask, answer: dict[str, Any], wrong: str) -> None:
    """Y01, Y03: the extension hears no, and somebody is told what the client did."""
    client = Client()
    assert not await client.ask(ask(client.ui), **answer)
    assert wrong in client.refused[0][1]


async def test_unavailable_and_cancelled_are_told_apart() -> None:
    """With `strict` a client that cannot answer is an error, and a person who declines is none."""
    client = Client()
    assert None is await client.ask(client.ui.input("t", strict=True), cancelled=True)
    with pytest.raises(UIUnavailable):
        await client.ask(client.ui.select("t", ["a"], strict=True), value="z")
    client.ui.leave()
    with pytest.raises(UIUnavailable):
        await client.ui.confirm("t", strict=True)
    assert (False, None) == (await client.ui.confirm("t"), await client.ui.editor("t"))


async def test_late_and_repeated_answers_are_passed_over() -> None:
    """Y02: the first answer counts, and one to a dialog that nobody asked is nothing."""
    client = Client()
    waiting = asyncio.ensure_future(client.ui.select("t", ["a", "b"]))
    await asyncio.sleep(0)
    client.answer(value="a")
    client.answer(value="b")
    assert "a" == await waiting
    client.answer(value="b")
    client.ui.answer({"type": "extension_ui_response", "id": "nobody", "value": "b"})
    client.ui.answer({"type": "extension_ui_response"})
    assert [] == client.refused


async def test_dialogs_stay_open_side_by_side() -> None:
    """Each gets its own answer, in whatever order they come."""
    client = Client()
    both = asyncio.gather(client.ui.input("one"), client.ui.input("two"))
    await asyncio.sleep(0)
    client.answer(1, value="2")
    client.answer(0, value="1")
    assert ("1", "2") == tuple(await both)


async def test_a_time_limit_is_no_answer() -> None:
    """Y04: the dialog ends by itself, and a late answer changes nothing."""
    client = Client()
    assert None is await client.ask(client.ui.input("t", timeout_s=0.01))
    client.answer(value="late")
    assert (None, 1) == (await client.ui.input("t", timeout_s=0), len(client.asked))


async def test_a_client_that_does_not_answer_is_unavailable_at_the_limit_of_the_host() -> None:
    """A dialog without a limit of its own ends by that of the settings, which its request names."""
    client = Client(limit_s=0.01)
    with pytest.raises(UIUnavailable):
        await client.ask(client.ui.editor("t", strict=True))
    assert 10 == client.asked[0]["timeout"]


async def test_a_signal_ends_its_dialog() -> None:
    """Y05: a signal that was raised before asks nobody; one that is raised later cancels."""
    client, controller = Client(), AbortController()
    waiting = asyncio.ensure_future(client.ui.confirm("t", signal=controller.signal))
    await asyncio.sleep(0)
    controller.abort()
    assert not await asyncio.wait_for(waiting, 10)
    assert None is await client.ui.select("t", ["a"], signal=controller.signal)
    assert 1 == len(client.asked)


async def test_extensions_that_go_take_what_they_show_along() -> None:
    """Open dialogs are cancelled; statuses and widgets are taken away, and only those that are there."""
    client = Client()
    client.ui.set_status("s", "on")
    client.ui.set_status("gone", "on")
    client.ui.set_status("gone", None)
    client.ui.set_widget("w", ["line"])
    waiting = asyncio.ensure_future(client.ui.confirm("t"))
    await asyncio.sleep(0)
    before = len(client.asked)
    client.ui.clear()
    assert not await waiting
    assert [
        {"method": "setStatus", "statusKey": "s"},
        {"method": "setWidget", "widgetKey": "w"},
    ] == [
        {name: value for name, value in request.items() if name not in ("type", "id")}
        for request in client.asked[before:]
    ]


@pytest.mark.parametrize(
    ("show", "expected"),
    [
        (lambda ui: ui.notify("m", "warning"), {"method": "notify", "message": "m", "notifyType": "warning"}),
        (lambda ui: ui.set_status("k", "t"), {"method": "setStatus", "statusKey": "k", "statusText": "t"}),
        (lambda ui: ui.set_status("k", None), {"method": "setStatus", "statusKey": "k"}),
        (
            lambda ui: ui.set_widget("k", ["a"], placement="below"),
            {
                "method": "setWidget",
                "widgetKey": "k",
                "widgetLines": ["a"],
                "widgetPlacement": "belowEditor",
            },
        ),
        (lambda ui: ui.set_widget("k", None), {"method": "setWidget", "widgetKey": "k"}),
        (lambda ui: ui.set_title("t"), {"method": "setTitle", "title": "t"}),
        (lambda ui: ui.set_editor_text("t"), {"method": "set_editor_text", "text": "t"}),
        (lambda ui: ui.paste_to_editor("t"), {"method": "set_editor_text", "text": "t"}),
    ],
)
def test_a_display_is_a_request_without_an_answer(
    show: Callable[[RpcUI], None], expected: dict[str, Any]
) -> None:
    """Y07: its fields are the protocol's; a field that is absent takes something away."""
    client = Client()
    show(client.ui)
    (request,) = client.asked
    assert {"type": "extension_ui_request", "id": request["id"], **expected} == request


async def test_what_is_made_of_components_reaches_nobody() -> None:
    """Y06: `custom` answers None, a widget of components is passed over, and `can` says so before."""
    client = Client()
    assert None is await client.ui.custom(lambda *_: None)
    client.ui.set_widget("k", lambda *_: None)
    client.ui.set_header(lambda *_: None)
    assert [] == client.asked
    assert (True, True, False, False) == tuple(
        map(client.ui.can, ("select", "set_status", "custom", "set_header"))
    )
    assert "Theme switching not supported in RPC mode" == client.ui.set_theme("dark")["error"]
    with pytest.raises(UIUnavailable):
        await client.ui.custom(lambda *_: None, strict=True)
