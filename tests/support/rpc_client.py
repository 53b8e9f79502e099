"""A client of `pi --mode rpc`: sends commands to a real process and waits for records that it looks for.

Touches: processes.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.support.agent_cli import COMMAND, AgentCli

Record = dict[str, Any]
PATIENCE_S = 30.0


class RpcClient:
    """One process and everything that it said, in order. A thread reads as long as `reading` is set."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.records: list[Record] = []
        self.noise: list[bytes] = []
        """Lines of its output that are no records."""
        self.err = b""
        self.reading = threading.Event()
        self.reading.set()
        self._came = threading.Condition()
        self._ended = False
        self._number = 0
        self._threads = [
            threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)
        ]
        for thread in self._threads:
            thread.start()

    # saying

    def write(self, data: bytes) -> None:
        """Bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, kind: str, **fields: Any) -> str:
        """A command with an id of its own, which is returned."""
        self._number += 1
        own_id = f"c{self._number}"
        self.write(json.dumps({"id": own_id, "type": kind, **fields}).encode() + b"\n")
        return own_id

    def ask(self, kind: str, **fields: Any) -> Record:
        """A command and its answer."""
        return self.answer_to(self.send(kind, **fields))

    def data(self, kind: str, **fields: Any) -> Any:
        """The data of an answer that must be a success."""
        answer = self.ask(kind, **fields)
        assert answer["success"], answer
        return answer.get("data")

    def run(self, message: str) -> list[Record]:
        """A prompt, and everything that is told until the session has settled."""
        start = len(self.records)
        self.data("prompt", message=message)
        self.wait("agent_settled", start)
        return self.records[start:]

    def reply(self, request: Record, **answer: Any) -> None:
        """The answer to a dialog."""
        record = {"type": "extension_ui_response", "id": request["id"], **answer}
        self.write(json.dumps(record).encode() + b"\n")

    # hearing

    def answer_to(self, own_id: Any) -> Record:
        """The answer to a command, which may have come already."""
        return self.look_for(lambda record: record["type"] == "response" and record.get("id") == own_id)

    def wait(self, kind: str, start: int = 0) -> Record:
        """The first record of a type behind a place."""
        return self.look_for(lambda record: record["type"] == kind, start)

    def dialog(self, method: str, start: int = 0) -> Record:
        """The first request of a kind behind a place."""
        return self.look_for(lambda record: record.get("method") == method, start)

    def look_for(self, wanted: Callable[[Record], bool], start: int = 0) -> Record:
        deadline = time.monotonic() + PATIENCE_S
        with self._came:
            while True:
                for record in self.records[start:]:
                    if wanted(record):
                        return record
                start = max(start, len(self.records))
                left = deadline - time.monotonic()
                if left <= 0 or self._ended:
                    raise AssertionError(f"nothing came; {self.records[-3:]} {self.err!r}")
                self._came.wait(left)

    def of_type(self, kind: str) -> list[Record]:
        return [record for record in self.records if record["type"] == kind]

    # the end

    def close(self) -> int:
        """Close our side and wait for the end; the exit code."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass  # it has ended before
        return self.wait_for_end()

    def wait_for_end(self) -> int:
        code = self.process.wait(timeout=PATIENCE_S)
        for thread in self._threads:
            thread.join(PATIENCE_S)
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.reading.wait()
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                self.noise.append(line)
                continue
            with self._came:
                self.records.append(record)
                self._came.notify_all()
        with self._came:
            self._ended = True
            self._came.notify_all()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.err += line


@contextmanager
def rpc(pi: AgentCli, *words: str, env: Mapping[str, str] | None = None) -> Iterator[RpcClient]:
    """A running `pi --mode rpc`; what is left of it is killed at the end."""
    process = subprocess.Popen(
        [*COMMAND, "--mode", "rpc", *words], cwd=pi.project, env=pi.environ(env),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    client = RpcClient(process)
    try:
        yield client
    finally:
        process.kill()
        client.reading.set()
        client.wait_for_end()
        for pipe in (process.stdin, process.stdout, process.stderr):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass  # what it did not read is lost with it
