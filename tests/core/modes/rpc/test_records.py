"""Records on their way to a client that reads, reads slowly, or does not read."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pi_core.modes.base import Output
from pi_core.modes.rpc.records import Records


@contextmanager
def pipe() -> Iterator[tuple[int, Output]]:
    """A pipe: the client's end, and the output that leads there."""
    reading, writing = os.pipe()
    try:
        yield reading, Output(writing)
    finally:
        try:
            os.close(reading)
        except OSError:
            pass  # the test has closed it
        for thread in threading.enumerate():
            if thread.name == "pi-rpc-output":
                thread.join(10)
        os.close(writing)


def never() -> None:
    raise AssertionError("the client counts as gone")


async def read_lines(descriptor: int, count: int) -> list[dict[str, object]]:
    pieces: list[bytes] = []
    while count > 0:
        pieces.append(await asyncio.to_thread(os.read, descriptor, 65536))
        count -= pieces[-1].count(b"\n")
    return [json.loads(line) for line in b"".join(pieces).split(b"\n") if line]


async def test_records_arrive_whole_and_in_order() -> None:
    """Also those that are longer than a pipe holds."""
    sent = [{"n": number, "text": "é" * (number * 1000)} for number in range(100)]
    with pipe() as (descriptor, output):
        records = Records(output, never)
        for record in sent:
            records.write(record)
        assert sent == await read_lines(descriptor, len(sent))
        await records.finish()


async def test_there_is_no_room_until_the_client_reads() -> None:
    """Whoever waits for room goes on when little enough is left."""
    with pipe() as (descriptor, output):
        records = Records(output, never, enough=100_000)
        records.write({"text": "x" * 300_000})
        waiting = asyncio.ensure_future(records.room())
        await asyncio.sleep(0)
        assert (True, False) == (records.is_full, waiting.done())
        await read_lines(descriptor, 1)
        await asyncio.wait_for(waiting, 10)
        assert not records.is_full
        await records.finish()


async def test_a_client_that_never_reads_counts_as_gone_at_a_limit() -> None:
    """What cannot wait is bounded too; it is told once, and later records are dropped."""
    told: list[bool] = []
    with pipe() as (_, output):
        records = Records(output, lambda: told.append(True), enough=1000, most=500_000)
        for _ in range(100):
            records.write({"text": "x" * 20_000})
        assert [True] == told
        assert records.waiting < 600_000
        await records.finish(patience_s=0.05)


async def test_the_end_waits_only_as_long_as_the_client_reads() -> None:
    """A client that takes nothing holds the end for its patience, and no longer."""
    with pipe() as (_, output):
        records = Records(output, never)
        records.write({"text": "x" * 300_000})
        await asyncio.wait_for(records.finish(patience_s=0.05), 10)
        assert records.waiting > 0


async def test_nobody_waits_for_a_client_that_went_away() -> None:
    """A broken pipe makes room for everybody, and what comes later is dropped."""
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    with pipe() as (descriptor, output):

        def tell() -> None:
            loop.call_soon_threadsafe(gone.set)

        output.on_closed = tell
        records = Records(output, never, enough=10)
        os.close(descriptor)
        records.write({"text": "x" * 1000})
        await asyncio.wait_for(gone.wait(), 10)
        await asyncio.wait_for(records.room(), 10)
        records.write({"text": "dropped"})
        await records.finish()


@pytest.mark.parametrize("text", ["\ud800", "\u2028", "\x00"])
async def test_a_record_is_one_line_of_utf8(text: str) -> None:
    """Halves of characters, separators and control characters stand as escapes or as they are."""
    with pipe() as (descriptor, output):
        records = Records(output, never)
        records.write({"text": text})
        assert [{"text": text}] == await read_lines(descriptor, 1)
        await records.finish()
