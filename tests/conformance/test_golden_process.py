"""The golden traces once more, from the real command: its standard output, and what a file heard.

Case numbers are those of the host page, part 13.A.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.agent_cli import agent_cli
from tests.support.golden import extension_trace, golden, stream_trace
from tests.support.golden_cases import CASES, recorded

EXTENSION = """
    from pathlib import Path
    from tests.support.golden_cases import CASES, recorder

    def extension(pi):
        recorder(Path("heard.jsonl"))(pi)
        CASES["{number}"].extension(pi)
    """
NOT_IN_TRACES = ("session", "diagnostic")


@pytest.mark.parametrize("number", CASES)
def test_the_command_sounds_like_the_recorded_one(number: str, tmp_path: Path) -> None:
    """`pi --mode json` writes the recorded stream, extensions hear the recorded events, the code is 0."""
    case, pi = CASES[number], agent_cli(tmp_path)
    expected = golden(case.golden)
    script = pi.write("script.json", json.dumps(case.script))
    pi.write("ext.py", EXTENSION.format(number=number))
    pi.write(str(pi.agent_dir / "settings.toml"), case.settings)
    ran = pi.run("--mode", "json", "-e", "./ext.py", *case.prompts, env={"PI_SCRIPT": str(script)})
    assert (0, "session") == (ran.code, ran.records[0]["type"]), ran.err
    assert expected.stream == stream_trace(
        record for record in ran.records if record["type"] not in NOT_IN_TRACES
    )
    assert expected.extensions == extension_trace(recorded(pi.project / "heard.jsonl"))
