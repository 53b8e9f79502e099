"""`pi trace FILE`: what a journal of `--trace-events` tells a person.

Touches: files, standard output, standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pi_core.extensions.trace_report import TOP, trace_text
from pi_core.modes.base import say, text_for
from pi_pkg import Locations


def run(words: Sequence[str], locations: Locations, environ: Mapping[str, str]) -> int:
    """Print the report of a journal; returns the exit code: 1 for a file that is no journal, 2 for misuse."""
    try:
        given = _parser().parse_args(words)
    except SystemExit as left:  # argparse has said what is wrong, or shown its help
        return int(left.code or 0)
    try:
        lines = Path(given.file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        say(f"pi: cannot read {given.file}: {error.strerror or error}.")
        return 1
    if not any(line.startswith('{"journal"') for line in lines[:1]):
        say(f"pi: {given.file} is no journal of --trace-events.")
        return 1
    sys.stdout.write(text_for(sys.stdout, trace_text(lines, call=given.call, top=given.top)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pi trace",
        description="Show the slowest handlers of a journal, and the way of one tool call through them.",
        epilog="A journal is written by: pi --trace-events FILE …",
    )
    parser.add_argument("file", metavar="FILE", help="the journal")
    parser.add_argument("--call", metavar="ID", help="the tool call to follow; the slowest one by default")
    parser.add_argument("--top", metavar="N", type=int, default=TOP, help="how many handlers to list")
    return parser
