"""Programs that are left running at the end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import subprocess, sys
from pi_core.leftovers import end_leftovers
polite = subprocess.Popen(["sleep", "60"])
deaf = subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN);"
                         "print('up', flush=True); time.sleep(60)"], stdout=subprocess.PIPE)
deaf.stdout.readline()
daemon = subprocess.Popen(["sleep", "60"], start_new_session=True)
ended = subprocess.Popen(["true"])
ended.wait()
left = end_leftovers(0.2)
print(sorted(left) == sorted([polite.pid, deaf.pid]), deaf.wait() is not None, daemon.poll())
daemon.kill()
"""


def test_children_are_ended_and_daemons_are_not() -> None:
    """HANG 138, 139: politely, then by force; one with a session of its own was meant to stay."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True, timeout=20
    )
    assert "True True None\n" == done.stdout
