"""A rule decides where one fits; where none does, the question goes on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pi_sample_project_trust import extension
from pi_sample_project_trust.rules import Rules, host_and_path, rules_of, verdict

from pi_core.api import ProjectTrust
from pi_core.testing.plugin import HarnessMaker

RULES = Rules(yes=("/home/me/work/*",), no=("/home/me/work/old/*",), remotes=("github.com/mine/*",))


@pytest.mark.parametrize(
    ("cwd", "remote", "said"),
    [
        ("/home/me/work/app", None, "yes"),
        ("/home/me/work/old/app", "github.com/mine/app", "no"),
        ("/tmp/app", "github.com/mine/app", "yes"),
        ("/tmp/app", "github.com/theirs/app", "undecided"),
        ("/tmp/app", None, "undecided"),
    ],
)
def test_a_no_counts_first(cwd: str, remote: str | None, said: str) -> None:
    """Folders and remotes are judged by patterns."""
    assert verdict(cwd, remote, RULES) == said


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://github.com/mine/app.git", "github.com/mine/app"),
        ("git@github.com:mine/app.git", "github.com/mine/app"),
        ("ssh://git@GitHub.com:22/mine/app", "github.com/mine/app"),
        ("nonsense", None),
    ],
)
def test_a_remote_is_host_and_path(url: str, place: str | None) -> None:
    """Scheme, user, port and ending do not count."""
    assert host_and_path(url) == place


def test_odd_settings_decide_nothing() -> None:
    """Neither a table of another shape nor a number is a rule."""
    assert rules_of("yes", Path("/home/me")) == Rules()
    assert rules_of({"yes": ["~/x", 1], "no": "all"}, Path("/home/me")) == Rules(yes=("/home/me/x",))


def test_a_clone_of_ours_is_trusted(pi_harness: HarnessMaker, tmp_path: Path) -> None:
    """git is asked where it came from."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    remote = ["git", "-C", str(tmp_path), "remote", "add", "origin", "git@github.com:mine/app.git"]
    subprocess.run(remote, check=True)
    settings = {"project-trust": {"remotes": ["github.com/mine/*"]}}
    pi = pi_harness(extension, settings=settings)
    assert pi.emit(ProjectTrust(cwd=str(tmp_path))).trusted == "yes"


def test_without_rules_nobody_is_overruled(pi_harness: HarnessMaker) -> None:
    """The answer is undecided, which leaves the question to the person."""
    assert pi_harness(extension).emit(ProjectTrust(cwd="/tmp/app")) is None
