"""All sample packages together, as a person has them: installed by the command, listed, loaded and run."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.samples.test_own_tests import ROOT, SAMPLES
from tests.support.agent_cli import AgentCli, Ran, agent_cli

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("installed-samples")]


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> AgentCli:
    """Somebody with a copy of the samples in the working folder, who installed all of them at once."""
    cli = agent_cli(tmp_path_factory.mktemp("person"))
    (cli.project / "sample-packages").symlink_to(ROOT / "sample-packages")
    cli.write("schema.json", '{"type": "object", "properties": {"city": {"type": "string"}}}')
    cli.write(
        str(cli.agent_dir / "settings.toml"),
        '[model]\ndefault-provider = "scripted"\ndefault-model = "scripted"\n',
    )
    done = cli.run("install", *(f"./sample-packages/{package.name}" for package in SAMPLES))
    assert done.code == 0, done.out + done.err
    return cli


def commands(package: Path) -> list[list[str]]:
    """The commands of a README that begin with `pi` and ask for something; `pi` alone waits for a person."""
    text = (package / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    typed = [line for kind, block in blocks if not kind for line in block.splitlines()]
    lines = [shlex.split(line, comments=True) for line in typed if line.startswith("pi ")]
    return [words for words in lines if words and words[0] == "pi" and len(words) > 1]


def test_every_package_is_listed_as_it_should_be(person: AgentCli) -> None:
    """Each has its state, and something that it brings."""
    listed: list[dict[str, Any]] = json.loads(person.run("list", "--json").out)["observed"]
    assert len(SAMPLES) == len(listed)
    assert [] == [item["source"] for item in listed if item["state"] != "ok"]
    assert [] == [item["source"] for item in listed if not any(item["resources"].values())]


def test_they_live_together(person: AgentCli) -> None:
    """One run with all of them. The bundle hands on a tool that is installed beside it: that is told."""
    ran = person.run("--mode", "json", "run: echo together")
    told = [record for record in ran.of_type("diagnostic") if record["severity"] != "info"]
    assert (0, ["tool-clash"]) == (ran.code, [record["code"] for record in told])
    assert "team-bundle" in told[0]["message"]
    assert "together" in ran.of_type("tool_execution_end")[0]["result"]["content"][0]["text"]


RUNNABLE = [
    pytest.param(words, id=f"{package.name}: {' '.join(words)[:60]}")
    for package in SAMPLES
    for words in commands(package)
    if words[1] != "install" and "-p" in words + ["-p"] * (words[1] == "list")
]


@pytest.mark.parametrize("words", RUNNABLE)
def test_the_command_of_its_readme_runs(person: AgentCli, words: list[str]) -> None:
    """As it stands on the page; whatever it is about, it comes to an end without a failure."""
    ran: Ran = person.run(*words[1:])
    assert ran.code == 0, ran.out + ran.err
    assert "Traceback" not in ran.err


def test_each_readme_has_a_command_and_says_what_it_shows() -> None:
    """A sample is an idea: the page names it, and how to see it."""
    for package in SAMPLES:
        text = (package / "README.md").read_text(encoding="utf-8")
        assert commands(package), package.name
        assert f"# {package.name}\n" in text
        assert re.search(r"\bshows?\b", text, re.IGNORECASE), package.name
