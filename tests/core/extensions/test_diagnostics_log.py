"""The log of findings: whole lines, a size, and no trouble of its own."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hookspecs import TurnStart
from pi_core.extensions.diagnostics_log import MAX_DETAIL_CHARS, DiagnosticsLog, read_log
from pi_pkg import Diagnostic
from tests.core.extensions.support import running
from tests.core.extensions.ticking import on


def finding(text: str = "it broke", **more: Any) -> Diagnostic:
    return Diagnostic("error", "handler-raised", "turn_start", text, path="/x/a.py", **more)


def clock() -> Iterator[datetime]:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    while True:
        yield now
        now += timedelta(seconds=1)


def test_a_finding_is_a_line(tmp_path: Path) -> None:
    """With its time and process, what the log is about, and every field of the finding."""
    times = clock()
    log = DiagnosticsLog(tmp_path / "logs", about={"session": "s1"}, now=lambda: next(times))
    log.write(finding(detail="Traceback…"))
    (line,) = (tmp_path / "logs" / "diagnostics.jsonl").read_text(encoding="utf-8").splitlines()
    record = json.loads(line)
    assert {"time": "2026-01-02T03:04:05.000+00:00", "session": "s1", "detail": "Traceback…"}.items() <= (
        record.items()
    )
    assert ("handler-raised", "turn_start", "it broke", "/x/a.py") == tuple(
        record[key] for key in ("code", "stage", "message", "path")
    )


def test_nothing_is_written_before_there_is_something(tmp_path: Path) -> None:
    """A run without trouble leaves no folder."""
    DiagnosticsLog(tmp_path / "logs")
    assert [] == list(tmp_path.iterdir())
    assert () == read_log(tmp_path / "logs")


def test_equal_findings_are_one(tmp_path: Path) -> None:
    """A handler that fails at every token does not fill the log."""
    log = DiagnosticsLog(tmp_path)
    for text in ("a", "a", "b", "a"):
        log.write(finding(text))
    assert ["a", "b"] == [record["message"] for record in read_log(tmp_path)]


def test_a_full_file_is_moved_aside(tmp_path: Path) -> None:
    """The newest finding is in the file without a number, and the folder has a size."""
    log = DiagnosticsLog(tmp_path, max_bytes=1000, keep=2)
    for number in range(40):
        log.write(finding(f"{number:040}"))
    names = sorted(path.name for path in tmp_path.glob("*.jsonl"))
    assert ["diagnostics.1.jsonl", "diagnostics.2.jsonl", "diagnostics.jsonl"] == names
    assert all(path.stat().st_size <= 1000 for path in tmp_path.glob("*.jsonl"))
    told = [int(record["message"]) for record in read_log(tmp_path, keep=2)]
    assert list(range(told[0], 40)) == told
    assert told[-2:] == [int(record["message"]) for record in read_log(tmp_path, 2)]


def test_a_finding_larger_than_a_file_is_written(tmp_path: Path) -> None:
    """Its detail is cut, and it has a file for itself."""
    log = DiagnosticsLog(tmp_path, max_bytes=100)
    for text in ("a", "b"):
        log.write(finding(text, detail="x" * MAX_DETAIL_CHARS * 2))
    assert ["a", "b"] == [record["message"] for record in read_log(tmp_path)]
    assert (tmp_path / "diagnostics.jsonl").stat().st_size < MAX_DETAIL_CHARS + 500


def test_a_log_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    """It says why, and goes on when it can."""
    (tmp_path / "logs").write_text("a file", encoding="utf-8")
    log = DiagnosticsLog(tmp_path / "logs")
    log.write(finding("lost"))
    failures = [log.failure]
    (tmp_path / "logs").unlink()
    log.write(finding("kept"))
    failures.append(log.failure)
    assert [True, False] == [failure is not None for failure in failures]
    assert ["kept"] == [record["message"] for record in read_log(tmp_path / "logs")]


def test_odd_text_is_written(tmp_path: Path) -> None:
    """Line feeds stay inside the line, and half a character does no harm."""
    DiagnosticsLog(tmp_path).write(finding("two\nlines and \ud800"))
    (record,) = read_log(tmp_path)
    assert "two\nlines and ?" == record["message"]


def test_what_is_no_finding_is_left_out(tmp_path: Path) -> None:
    """Half a line after a crash does not hide the others."""
    log = DiagnosticsLog(tmp_path)
    log.write(finding("a"))
    with (tmp_path / "diagnostics.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"half": \n[]\n')
    log.write(finding("b"))
    assert ["a", "b"] == [record["message"] for record in read_log(tmp_path)]


def write_many(folder: str, name: str) -> None:
    log = DiagnosticsLog(Path(folder), max_bytes=20_000, keep=20)
    for number in range(100):
        log.write(finding(f"{name} {number}"))


def test_processes_share_a_log(tmp_path: Path) -> None:
    """Lines of several processes do not mix, and none is lost when files are moved."""
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=write_many, args=(str(tmp_path), name)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    told = [record["message"] for record in read_log(tmp_path, 1000, keep=20)]
    assert sorted(f"{name} {number}" for name in "ab" for number in range(100)) == sorted(told)


async def test_failures_of_extensions_are_logged(tmp_path: Path) -> None:
    """QUIET 85: whatever a runner reports is in the log, with its traceback, though nobody else listens."""

    def fails(event: Any, ctx: Any) -> None:
        raise ValueError(f"broken {event.turn_index}")

    runner = await running(on("turn_start", fails))
    end = DiagnosticsLog(tmp_path).listen(runner)
    await runner.emit(TurnStart(turn_index=0, timestamp=0))
    end()
    await runner.emit(TurnStart(turn_index=1, timestamp=0))
    (record,) = read_log(tmp_path)
    assert ("handler-raised", "turn_start", "<inline:1>") == (record["code"], record["stage"], record["path"])
    assert "test_diagnostics_log.py" in record["detail"]
