"""Other sessions in the place of this one, and what a client and the extensions hear of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agent_cli import AgentCli
from tests.support.rpc_client import RpcClient, rpc

WITNESS = """
    def extension(pi):
        @pi.on("session_start")
        def start(event, ctx):
            ctx.ui.notify(f"start {event.reason}")
            ctx.ui.set_status("witness", "here")
        @pi.on("resources_discover")
        def discover(event, ctx):
            ctx.ui.notify(f"discover {event.reason}")
        @pi.on("session_shutdown")
        def end(event, ctx):
            ctx.ui.notify(f"end {event.reason}")
    """
VETO = """
    from pi_core.api import Cancel
    def extension(pi):
        pi.on("session_before_switch", lambda event, ctx: Cancel())
        pi.on("session_before_fork", lambda event, ctx: Cancel())
    """


def notes(client: RpcClient, start: int = 0) -> list[str]:
    """What the extension said, in order."""
    return [record["message"] for record in client.records[start:] if record.get("method") == "notify"]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("new_session", "new"), ("switch_session", "resume"), ("clone", "fork"), ("fork", "fork")],
)
def test_a_replacement_begins_once(pi: AgentCli, kind: str, reason: str) -> None:
    """54: the extensions hear one end, one begin and one discovery, before the client has its answer."""
    pi.user_extension(WITNESS)
    with rpc(pi) as client:
        client.run("hello")
        state = client.data("get_state")
        (message,) = client.data("get_fork_messages")["messages"]
        fields = {
            "switch_session": {"sessionPath": state["sessionFile"]},
            "fork": {"entryId": message["entryId"]},
        }.get(kind, {})
        start = len(client.records)
        answer = client.data(kind, **fields)
        assert [f"end {reason}", f"start {reason}", "discover startup"] == notes(client, start)
        assert {"cancelled": False, **({"text": "hello"} if kind == "fork" else {})} == answer
        kept = {"new_session": 0, "fork": 0, "clone": 2, "switch_session": 2}[kind]
        now = client.data("get_state")
        assert kept == now["messageCount"]
        assert (kind == "switch_session") == (now["sessionId"] == state["sessionId"])
        client.run("again")
        assert kept + 2 == client.data("get_state")["messageCount"]


@pytest.mark.parametrize("kind", ["new_session", "switch_session", "fork", "clone"])
def test_a_replacement_that_an_extension_cancels_is_an_answer(pi: AgentCli, kind: str) -> None:
    """46: it is a success that says so; everything is as it was."""
    pi.user_extension(VETO)
    with rpc(pi) as client:
        client.run("hello")
        before = client.data("get_state")
        (message,) = client.data("get_fork_messages")["messages"]
        fields = {"sessionPath": before["sessionFile"], "entryId": message["entryId"]}
        assert {"cancelled": True} == client.data(kind, **fields)
        assert before == client.data("get_state")


def test_what_extensions_show_goes_with_them(pi: AgentCli) -> None:
    """A status is taken away between the end of the old extensions and the begin of the new ones."""
    pi.user_extension(WITNESS)
    with rpc(pi) as client:
        client.data("get_state")
        start = len(client.records)
        client.data("new_session")
        statuses = [r.get("statusText") for r in client.records[start:] if r.get("method") == "setStatus"]
    assert [None, "here"] == statuses


def test_a_new_session_may_name_its_parent(client: RpcClient) -> None:
    """The parent stands in the header of its file."""
    client.run("hello")
    parent = client.data("get_state")["sessionFile"]
    client.data("new_session", parentSession=parent)
    client.run("hello")
    header = Path(client.data("get_state")["sessionFile"]).read_text(encoding="utf-8").partition("\n")[0]
    assert f'"parentSession":"{parent}"' in header


def test_a_fork_of_what_was_never_stored_is_refused(client: RpcClient) -> None:
    """49: nothing is torn down."""
    answer = client.ask("clone")
    assert (False, True) == (answer["success"], "was not stored yet" in answer["error"])
    assert client.ask("get_state")["success"]


def test_replacements_that_are_asked_for_at_once_come_one_after_another(client: RpcClient) -> None:
    """Each is answered, and the last one is the session that stays."""
    client.run("hello")
    asked = [client.send("new_session") for _ in range(3)]
    assert all(client.answer_to(own_id)["success"] for own_id in asked)
    assert 0 == client.data("get_state")["messageCount"]


def test_a_session_is_written_as_a_page(client: RpcClient, pi: AgentCli) -> None:
    """The answer names the file, which is where it was asked for or in the working folder."""
    client.run("hello")
    assert str(pi.project / "out.html") == client.data("export_html", outputPath="out.html")["path"]
    path = Path(client.data("export_html")["path"])
    assert pi.project == path.parent
    assert "hello" in path.read_text(encoding="utf-8")


def test_the_command_line_writes_a_page_too(pi: AgentCli) -> None:
    """`--export IN [OUT]` says where the page is; what is no session is a failure."""
    pi.run("-p", "hello")
    (session,) = pi.sessions()
    ran = pi.run("--export", str(session), "page.html")
    assert (0, f"Exported to: {pi.project / 'page.html'}\n") == (ran.code, ran.out)
    assert "hello" in (pi.project / "page.html").read_text(encoding="utf-8")
    assert (1, 2) == (pi.run("--export", "none.jsonl").code, pi.run("--export", "a", "b", "c").code)
