"""A client of `pi --mode rpc`: the start, the cost of a streamed reply, and the memory behind a slow reader.

Touches: files, processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from tests.bench.measure import BIN, bare_python, command, interleaved, quiet_environ

ROUNDS = 15
DELTAS = 10_000
MANY = 400_000
PAUSE_S = 10.0
PROVIDER = """
from pi_core.api import ProviderConfig
from pi_core.api import Done, StreamStart, TextDelta, TextEnd, TextStart
from hookspecs.messages import AssistantMessage, TextContent

async def stream(model, context, options):
    count = int(context.messages[-1].content[0].text)
    message = AssistantMessage(api=model.api, provider=model.provider, model=model.id)
    yield StreamStart(partial=message)
    yield TextStart(content_index=0)
    text = ""
    for number in range(count):
        yield TextDelta(content_index=0, delta=f"{number} ")
    yield TextEnd(content_index=0, content="all")
    yield Done(message=AssistantMessage(
        api=model.api, provider=model.provider, model=model.id, content=[TextContent(text="all")]))

def extension(pi):
    pi.register_provider("fast", ProviderConfig(stream=stream, models=[{"id": "m"}]))
"""


class Client:
    """One process: `ask` waits for an answer, `read` takes the next record."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, kind: str, **fields: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"id": "1", "type": kind, **fields}).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> bytes:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def until(self, mark: bytes) -> list[bytes]:
        lines = [self.read()]
        while mark not in lines[-1]:
            lines.append(self.read())
        return lines

    @property
    def cpu_s(self) -> float:
        """Processor time of the process so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory_mb(self) -> float:
        """Memory that is in use now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
        return int(line.split()[1]) / 1024


@contextmanager
def serving(home: Path, *words: str) -> Iterator[Client]:
    process = subprocess.Popen(
        [str(BIN / "pi"), "--mode", "rpc", *words], cwd=home, env=quiet_environ(home),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield Client(process)
    finally:
        process.kill()
        process.communicate()


def first_answer(home: Path) -> Callable[[], None]:
    """From the start of the process to the first answer; the process is not waited for."""

    def run() -> None:
        with serving(home, "--no-session") as client:
            client.send("get_state")
            client.until(b'"response"')

    return run


def streamed(client: Client) -> tuple[float, float]:
    """Processor milliseconds and wall milliseconds a delta; all of them must come, in order."""
    client.send("get_state")
    client.until(b'"response"')
    client.send("prompt", message="1")
    client.until(b'"agent_settled"')
    cpu, wall = client.cpu_s, time.perf_counter()
    client.send("prompt", message=str(DELTAS))
    lines = client.until(b'"agent_settled"')
    cpu, wall = client.cpu_s - cpu, time.perf_counter() - wall
    deltas = [json.loads(line)["assistantMessageEvent"]["delta"] for line in lines if b'"text_delta"' in line]
    if deltas != [f"{number} " for number in range(DELTAS)]:
        raise AssertionError("deltas were lost or came out of order")
    return cpu / DELTAS * 1000, wall / DELTAS * 1000


def behind_a_pause(client: Client) -> float:
    """How many megabytes more are in use when the client has not read for a while, at the most."""
    client.send("get_state")
    client.until(b'"response"')
    before = most = client.memory_mb
    client.send("prompt", message=str(MANY))
    client.until(b'"text_delta"')
    end = time.monotonic() + PAUSE_S
    while time.monotonic() < end:
        most = max(most, client.memory_mb)
        time.sleep(0.1)
    return most - before


def rows() -> list[tuple[str, float, float | None]]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        extension = home / "provider.py"
        extension.write_text(PROVIDER, encoding="utf-8")
        words = ("--no-session", "-ne", "-e", str(extension), "--model", "fast/m")
        bare, answer = interleaved(
            [command(bare_python(), cwd=home, environ=quiet_environ(home)), first_answer(home)], ROUNDS
        )
        costs = []
        for _ in range(3):
            with serving(home, *words) as client:
                costs.append(streamed(client))
        with serving(home, *words) as client:
            memory = behind_a_pause(client)
    return [
        ("start to first answer / python -c pass", answer / bare, 20.0),
        ("start to first answer (ms)", answer * 1000, None),
        ("processor time a delta (ms)", median(cpu for cpu, _ in costs), 0.2),
        ("wall time a delta (ms)", median(wall for _, wall in costs), None),
        ("memory behind a reader that pauses 10 s (MB)", memory, 16.0),
    ]
