"""What opening a long conversation costs, adding to it and to a short one, and listing many.

Times are of the fastest of a few rounds, in one process. Lines are of 4 KB, as a coding session has them
on average, and of 500 bytes, the worst that was seen.

Touches: files.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from hookspecs.messages import UserMessage
from pi_core.history.listing import list_sessions
from pi_core.history.sessions import open_session

Row = tuple[str, float, float | None]

MEGABYTES = 50
ROUNDS = 3
APPENDS = 200
LISTED = 200


def rows() -> list[Row]:
    """Label, measured value, budget."""
    with tempfile.TemporaryDirectory() as folder:
        return _rows(Path(folder))


def _rows(folder: Path) -> list[Row]:
    measured: list[Row] = []
    for line_bytes in (4096, 512):
        path = written(folder / f"{line_bytes}.jsonl", line_bytes)
        data = path.read_bytes()
        parse_s = fastest(lambda data=data: [json.loads(line) for line in data.splitlines()])  # type: ignore[misc]  # bound now
        open_s = fastest(lambda path=path: open_session(path))  # type: ignore[misc]  # bound now
        label = f"{MEGABYTES} MB of {line_bytes}-byte lines"
        measured.append((f"{label}: opening, in s", open_s, 2.0))
        measured.append((f"{label}: opening, against reading the JSON alone", open_s / parse_s, 3.0))
    short = folder / "short.jsonl"
    short.write_text(json.dumps(HEADER) + "\n")
    measured.append(("an append to an empty session, in ms", append_s(short) * 1000, 1.0))
    measured.append((f"an append to {MEGABYTES} MB, in ms", append_s(folder / "4096.jsonl") * 1000, 1.0))
    return [*measured, *_listing(folder)]


def _listing(folder: Path) -> list[Row]:
    """A folder of long conversations, all links to one file."""
    many = folder / "many"
    many.mkdir()
    one = written(folder / "one.jsonl", 1024, megabytes=5)
    for n in range(LISTED):
        (many / f"{n}.jsonl").hardlink_to(one)
    seconds = fastest(lambda: list_sessions(many))
    return [(f"listing {LISTED} sessions of 5 MB, in s", seconds, 4.0)]


HEADER = {"type": "session", "version": 3, "id": "long", "timestamp": "2025-01-02T03:04:05.000Z", "cwd": "/w"}


def written(path: Path, line_bytes: int, *, megabytes: int = MEGABYTES) -> Path:
    """A session of about so many megabytes, a chain of messages."""
    text = "x" * (line_bytes - 200)
    with path.open("w") as file:
        file.write(json.dumps(HEADER) + "\n")
        for n in range(megabytes * 1_000_000 // line_bytes):
            message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1}
            entry = {"type": "message", "id": f"{n:08x}", "parentId": f"{n - 1:08x}" if n else None}
            file.write(json.dumps({**entry, "timestamp": HEADER["timestamp"], "message": message}) + "\n")
    return path


def append_s(path: Path) -> float:
    """Seconds of one append."""
    store = open_session(path)

    def appends() -> None:
        for _ in range(APPENDS):
            store.append_message(UserMessage(content="x", timestamp=1))

    return fastest(appends) / APPENDS


def fastest(action: Callable[[], object]) -> float:
    """Seconds of the fastest round."""
    spent = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        action()
        spent.append(time.perf_counter() - begin)
    return min(spent)
