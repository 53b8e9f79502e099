"""A client of `pi --mode rpc`: starts it, says one thing, answers its questions, prints what comes of it.

Touches: a child process, standard output.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any

COMMAND = (sys.executable, "-m", "pi_core.cli.main", "--mode", "rpc", "--no-session")


class Client:
    """One `pi` at work. Records are objects of one line each; `answers` are given to dialogs in order."""

    def __init__(self, answers: Sequence[str] = (), command: Sequence[str] = COMMAND) -> None:
        self._process = subprocess.Popen(
            [*command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._answers = list(answers)

    def talk(self, message: str) -> Iterator[str]:
        """Say something; yields what is to be shown, until nothing goes on any more."""
        self._send({"id": "say", "type": "prompt", "message": message})
        started = True
        for record in self._records():
            match record:
                case {"type": "response", "id": "say", "success": False}:
                    yield f"refused: {record['error']}"
                    return
                case {"type": "response", "id": "say"}:
                    started = record.get("data", {}).get("disposition") == "started"
                case {"type": "extension_ui_request"}:
                    yield from self._ask(record)
                case {
                    "type": "message_update",
                    "assistantMessageEvent": {"type": "text_delta", "delta": text},
                }:
                    yield text
                case {"type": "tool_execution_start"}:
                    yield f"[{record['toolName']} {json.dumps(record['args'])}]\n"
                case {"type": "agent_settled"}:
                    yield "\n"
                    return
            if record.get("id") == "say" and not started:
                return

    def close(self) -> int:
        """End pi by the end of its input; returns its exit code."""
        _open(self._process.stdin).close()
        for _ in self._records():
            pass
        return self._process.wait()

    def _ask(self, request: Mapping[str, Any]) -> Iterator[str]:
        """Answer a dialog; a note needs none."""
        method = request["method"]
        if method == "notify":
            yield f"{request['message']}\n"
        if method not in ("confirm", "select", "input", "editor"):
            return
        yield f"? {request['title']}\n"
        answer = self._answers.pop(0) if self._answers else None
        self._send({"type": "extension_ui_response", "id": request["id"], **answer_for(method, answer)})

    def _send(self, record: Mapping[str, Any]) -> None:
        pipe = _open(self._process.stdin)
        pipe.write(json.dumps(record).encode() + b"\n")
        pipe.flush()

    def _records(self) -> Iterator[dict[str, Any]]:
        for line in _open(self._process.stdout):
            yield json.loads(line)


def answer_for(method: str, answer: str | None) -> dict[str, Any]:
    """The fields that answer a dialog; None leaves it."""
    if answer is None:
        return {"cancelled": True}
    return {"confirmed": answer == "yes"} if method == "confirm" else {"value": answer}


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None, "the process was started with pipes"
    return pipe


def main(words: Sequence[str] | None = None) -> int:
    """The command `pi-rpc-demo`."""
    parser = argparse.ArgumentParser(prog="pi-rpc-demo", description="Say one thing to pi over RPC.")
    parser.add_argument("message")
    parser.add_argument("--answers", default="", help="answers to dialogs, with commas between them")
    given = parser.parse_args(words)
    client = Client([answer for answer in given.answers.split(",") if answer])
    for text in client.talk(given.message):
        print(text, end="", flush=True)
    return client.close()
