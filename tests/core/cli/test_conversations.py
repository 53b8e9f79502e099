"""Where conversations are kept, and how one is continued."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_cli import AgentCli


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def asked(path: Path) -> list[str]:
    """The texts of the person's messages in a file."""
    messages = [entry["message"] for entry in entries(path) if entry["type"] == "message"]
    return [message["content"][0]["text"] for message in messages if message["role"] == "user"]


def test_a_conversation_is_stored_from_header_to_answer(pi: AgentCli) -> None:
    """64: header, model, thinking level, then what was said; each entry a child of the one before."""
    pi.run("-p", "hello")
    (path,) = pi.sessions()
    header, *rest = entries(path)
    assert ("session", 3, str(pi.project)) == (header["type"], header["version"], header["cwd"])
    assert ["model_change", "thinking_level_change", "message", "message"] == [
        entry["type"] for entry in rest
    ]
    assert [None, *(entry["id"] for entry in rest[:-1])] == [entry["parentId"] for entry in rest]


def test_nothing_said_leaves_no_file(pi: AgentCli) -> None:
    """63: a run that is a command of an extension, and nothing else, stores no conversation."""
    pi.user_extension('def extension(pi):\n    @pi.command("hi")\n    def hi(args, ctx): pass')
    assert (0, []) == (pi.run("-p", "/hi").code, pi.sessions())


def test_no_session_leaves_no_file(pi: AgentCli) -> None:
    """--no-session keeps the conversation in memory."""
    assert (0, []) == (pi.run("-p", "--no-session", "hello").code, pi.sessions())


def test_continue_goes_on_with_the_newest(pi: AgentCli) -> None:
    """-c appends to the last conversation of this folder; the model is not recorded again."""
    pi.run("-p", "one")
    pi.run("-p", "-c", "two")
    (path,) = pi.sessions()
    assert ["one", "two"] == asked(path)
    assert 1 == sum(entry["type"] == "model_change" for entry in entries(path))


def test_a_conversation_is_opened_by_path_and_by_the_beginning_of_its_id(pi: AgentCli) -> None:
    """--session takes a file, an id, or the start of one."""
    pi.run("-p", "one")
    (path,) = pi.sessions()
    session_id = entries(path)[0]["id"]
    codes = [
        pi.run("-p", "--session", word, "more").code for word in (str(path), session_id, session_id[:-4])
    ]
    assert ([0, 0, 0], ["one", "more", "more", "more"]) == (codes, asked(path))


def test_a_chosen_id_begins_and_finds_a_conversation(pi: AgentCli) -> None:
    """--session-id opens the conversation of that id, or begins it."""
    for text in ("one", "two"):
        pi.run("-p", "--session-id", "my.id", text)
    (path,) = pi.sessions()
    assert ("my.id", ["one", "two"]) == (entries(path)[0]["id"], asked(path))


def test_a_folder_of_conversations_is_flat(pi: AgentCli) -> None:
    """--session-dir, and the variable of that name, keep all files in one folder; -c looks there."""
    pi.run("-p", "--session-dir", "talks", "one")
    pi.run("-p", "-c", "two", env={"PI_CODING_AGENT_SESSION_DIR": "talks"})
    (path,) = (pi.project / "talks").glob("*.jsonl")
    assert (["one", "two"], []) == (asked(path), pi.sessions())


def test_a_conversation_has_a_name(pi: AgentCli) -> None:
    """--name is stored in the conversation."""
    pi.run("-p", "--name", "first try", "hello")
    (path,) = pi.sessions()
    assert ["first try"] == [entry["name"] for entry in entries(path) if entry["type"] == "session_info"]


def test_the_conversation_decides_the_working_folder(pi: AgentCli) -> None:
    """Opened from elsewhere, tools run where the conversation began; if that is gone, nothing starts."""
    pi.run("-p", "one")
    (path,) = pi.sessions()
    elsewhere = AgentCli(pi.home, pi.home)
    assert str(pi.project) in elsewhere.run("-p", "--session", str(path), "run: pwd").out
    pi.project.rename(pi.project.with_name("moved"))
    gone = elsewhere.run("-p", "--session", str(path), "x")
    assert (1, "") == (gone.code, gone.out)
    assert f"its working folder {pi.project} is gone" in gone.err


@pytest.mark.parametrize("text", ["not json\n", '{"type":"other"}\n'])
def test_a_file_that_is_no_conversation_is_refused_untouched(pi: AgentCli, text: str) -> None:
    """--session with another file ends with 1 and leaves the file as it is."""
    path = pi.write("x.jsonl", text)
    ran = pi.run("-p", "--session", str(path), "x")
    assert (1, text) == (ran.code, path.read_text(encoding="utf-8"))


def test_entries_of_extensions_are_stored_in_place(pi: AgentCli) -> None:
    """65: entry, name and label are children of the leaf before; the first two are told."""
    pi.user_extension(
        """
        def extension(pi):
            @pi.on("agent_end")
            def mark(event, ctx):
                entry = pi.append_entry("state", {"n": 1})
                pi.set_session_name("  My\\nName ")
                pi.set_label(entry, "here")
        """
    )
    ran = pi.run("--mode", "json", "x")
    (path,) = pi.sessions()
    found = entries(path)[-3:]
    assert ["custom", "session_info", "label"] == [entry["type"] for entry in found]
    assert [found[0]["id"], found[1]["id"]] == [found[1]["parentId"], found[2]["parentId"]]
    assert ["My Name"] == [record["name"] for record in ran.of_type("session_info_changed")]
    assert [found[0]] == [record["entry"] for record in ran.of_type("entry_appended")]


def test_a_copy_of_a_conversation(pi: AgentCli) -> None:
    """--fork takes a file, an id or its beginning, from any folder; the copy names its origin and its own."""
    elsewhere = AgentCli(pi.home, pi.home)
    elsewhere.run("-p", "--session-id", "origin", "one")
    (origin,) = pi.sessions()
    before = origin.read_bytes()
    for number, word in enumerate((str(origin), "origin", "ori")):
        assert 0 == pi.run("-p", "--fork", word, "--session-id", f"copy{number}", "two").code
    copies = [path for path in pi.sessions() if path != origin]
    assert ([["one", "two"]] * 3, before) == ([asked(path) for path in copies], origin.read_bytes())
    headers = [entries(path)[0] for path in copies]
    assert [(str(pi.project), str(origin), f"copy{number}") for number in range(3)] == sorted(
        (header["cwd"], header["parentSession"], header["id"]) for header in headers
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--fork", "there", "--session-id", "here"], 1, "there is one already"),
        (["--fork", "nobody"], 1, "no conversation in"),
        (["--fork", "./gone.jsonl"], 1, "there is no such file"),
        (["--fork", "there", "-c"], 2, "--fork begins a conversation of its own"),
        (["--fork", "there", "--session", "x"], 2, "does not go with --session"),
        (["--fork", "there", "--no-session"], 2, "does not go with --no-session"),
        (["--session", "there"], 1, "--fork there"),
        (["--session-id", "-bad-"], 1, "an id begins and ends with a letter or digit"),
    ],
)
def test_conversations_that_cannot_be(pi: AgentCli, words: list[str], code: int, said: str) -> None:
    """Each refusal is one sentence, says what to do, and leaves no file behind."""
    AgentCli(pi.home, pi.home).run("-p", "--session-id", "there", "one")
    pi.run("-p", "--session-id", "here", "two")
    ran = pi.run("-p", *words, "x")
    assert (code, "", 2) == (ran.code, ran.out, len(pi.sessions()))
    assert said in ran.err
    assert "Traceback" not in ran.err
