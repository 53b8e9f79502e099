"""Extensions that ask a client, over the real protocol."""

from __future__ import annotations

import time

from tests.support.agent_cli import AgentCli
from tests.support.rpc_client import RpcClient, rpc

ROUND = """
    from pi_core.api import UIUnavailable

    def extension(pi):
        @pi.command("round")
        async def all_of_them(args, ctx):
            answers = [
                await ctx.ui.confirm("sure?", "really"),
                await ctx.ui.select("which?", ["a", "b"]),
                await ctx.ui.input("name?", timeout_s=0.05),
                await ctx.ui.editor("text?", "before"),
                await ctx.ui.custom(lambda *_: None),
                ctx.ui.can("select"), ctx.ui.can("custom"),
            ]
            ctx.ui.set_status("k", "on")
            ctx.ui.set_widget("w", ["one", "two"], placement="below")
            ctx.ui.set_title("title")
            ctx.ui.set_editor_text("text")
            ctx.ui.notify(repr(answers), "warning")
            raise ValueError("at the end")

        @pi.command("strict")
        async def strict(args, ctx):
            try:
                answer = await ctx.ui.select("which?", ["a"], strict=True)
            except UIUnavailable:
                answer = "unavailable"
            ctx.ui.notify(f"strict {answer}")
    """


def note(client: RpcClient, start: int = 0) -> str:
    message: str = client.dialog("notify", start)["message"]
    return message


def test_every_dialog_goes_round(pi: AgentCli) -> None:
    """76: yes, a choice, a time-out, a dismissal; then the displays, the failure, and the answer last."""
    pi.user_extension(ROUND)
    with rpc(pi) as client:
        own_id = client.send("prompt", message="/round")
        client.reply(client.dialog("confirm"), confirmed=True)
        client.reply(client.dialog("select"), value="b")
        assert 50 == client.dialog("input")["timeout"]
        client.reply(client.dialog("editor"), cancelled=True)
        assert client.answer_to(own_id)["success"]
        assert "[True, 'b', None, None, None, True, False]" == note(client)
        shown = [record["method"] for record in client.of_type("extension_ui_request")]
        assert ["setStatus", "setWidget", "setTitle", "set_editor_text", "notify"] == shown[4:]
        kinds = [record["type"] for record in client.records]
        assert ["extension_error", "response"] == kinds[-2:]
        assert 1 == len(client.of_type("extension_error")), "only the failure is one"
        told = [record for record in client.of_type("diagnostic") if "ui.custom" in record["message"]]
        assert ["handler-ui-unavailable"] == [record["code"] for record in told]


def test_commands_run_while_a_dialog_is_open(pi: AgentCli) -> None:
    """A client may ask, prompt and finish a run before it answers."""
    pi.user_extension(ROUND)
    with rpc(pi) as client:
        own_id = client.send("prompt", message="/strict")
        request = client.dialog("select")
        client.run("hello")
        client.reply(request, value="a")
        assert client.answer_to(own_id)["success"]
        assert "strict a" == note(client)


def test_any_number_of_dialogs_may_be_open(pi: AgentCli) -> None:
    """A client that answers the last one first gets an answer to every command."""
    pi.user_extension(ROUND)
    with rpc(pi) as client:
        asked = [client.send("prompt", message="/strict") for _ in range(500)]
        client.look_for(lambda record: len(client.of_type("extension_ui_request")) == len(asked))
        for request in reversed(client.of_type("extension_ui_request")):
            client.reply(request, value="a")
        assert all(client.answer_to(own_id)["success"] for own_id in asked)


def test_an_answer_that_was_not_offered_is_told(pi: AgentCli) -> None:
    """The extension learns that nobody answered, the client that it did something wrong."""
    pi.user_extension(ROUND)
    with rpc(pi) as client:
        client.send("prompt", message="/strict")
        request = client.dialog("select")
        client.reply(request, value="z")
        client.reply(request, value="a")
        assert "strict unavailable" == note(client)
        finding = client.look_for(lambda record: record.get("code") == "ui-answer-refused")
        assert "'z' was not among the options" in finding["message"]


def test_an_abort_cancels_open_dialogs(pi: AgentCli) -> None:
    """A guard that asks hears no, so the call is refused; the client may forget the dialog."""
    pi.user_extension("""
        from pi_core.api import Block
        def extension(pi):
            @pi.on("tool_call")
            async def ask(event, ctx):
                if not await ctx.ui.confirm("run?", event.input["command"]):
                    return Block(reason="not allowed")
        """)
    with rpc(pi) as client:
        client.data("prompt", message="run: echo ran")
        client.dialog("confirm")
        client.data("abort")
        (result,) = client.of_type("tool_execution_end")
        assert result["isError"]
        assert "ran" not in str(result["result"])


def test_a_client_that_does_not_answer_has_a_limit(pi: AgentCli) -> None:
    """`[ui] dialog-limit-s`: a dialog without a time limit of its own ends as unavailable."""
    pi.user_extension(ROUND)
    pi.write(str(pi.agent_dir / "settings.toml"), "[ui]\ndialog-limit-s = 0.1\n")
    with rpc(pi) as client:
        client.send("prompt", message="/strict")
        assert 100 == client.dialog("select")["timeout"]
        assert "strict unavailable" == note(client)


def test_dialogs_at_the_start_can_be_answered(pi: AgentCli) -> None:
    """113: session_start may ask; commands wait until it is done, answers do not."""
    pi.user_extension("""
        def extension(pi):
            @pi.on("session_start")
            async def start(event, ctx):
                ctx.ui.notify(str(await ctx.ui.input("who?")))
        """)
    with rpc(pi) as client:
        own_id = client.send("get_state")
        client.reply(client.dialog("input"), value="me")
        assert client.answer_to(own_id)["success"]
        kinds = [record.get("method", record["type"]) for record in client.records]
        assert kinds.index("notify") < kinds.index("response")
        assert "me" == note(client)


def test_a_client_that_goes_away_leaves_no_dialog_open(pi: AgentCli) -> None:
    """An open question is unavailable at once, so the process ends without waiting for it."""
    pi.user_extension(ROUND)
    with rpc(pi) as client:
        client.send("prompt", message="/strict")
        client.dialog("select")
        before = time.monotonic()
        assert 0 == client.close()
        assert time.monotonic() - before < 5
        assert "strict unavailable" == note(client)
