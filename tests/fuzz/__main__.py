"""`python -m tests.fuzz TARGET [SECONDS [FOLDER]]`: coverage-guided fuzzing of one target, from its corpus.

What is found is printed with its input and ends the run; the folder gets that input, and every other one
that reached something new. The corpus itself is not changed.

Touches: files, standard output.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

CORPUS = Path(__file__).parent / "corpus"
LONGEST = 2048
"""Bytes of an input."""


def main(name: str, seconds: str = "60", folder: str = "fuzzed") -> None:
    """Fuzz until the time is over or a target fails. Does not return: the engine ends the process."""
    with atheris.instrument_imports(include=["pi_pkg", "tomllib"]):
        from tests.fuzz.targets import TARGETS  # instrumented as they are imported

    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=10", "-seed=1", "-verbosity=0"]
    found = Path(folder)
    found.mkdir(parents=True, exist_ok=True)
    arguments = [sys.argv[0], *options, f"-artifact_prefix={found}/", str(found), str(CORPUS / name)]
    atheris.Setup(arguments, TARGETS[name], enable_python_coverage=True)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
