"""What a scope keeps, what it lets go, and how a machine that does not play along is named.

Touches: files, git, processes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_pkg.install.generation import generations
from tests.support.builders import RecordingBuilder
from tests.support.gitrepos import GitRepo
from tests.support.package_cli import PackageCli


def test_old_generations_go(pi: PackageCli) -> None:
    """As many stay as the settings say, the one in force among them."""
    pi.write({"agent/settings.toml": "[install]\nkeep-generations = 2\n"})
    manager = pi.manager(builder=RecordingBuilder())
    for name in "abcd":
        manager.install([f"pypi:{name}"])
    assert ["000003", "000004"] == [name[:6] for name in generations(pi.locations.user_envs)]


def test_a_held_generation_stays(pi: PackageCli) -> None:
    """What a running session imports from is not taken away under it."""
    pi.write({"agent/settings.toml": "[install]\nkeep-generations = 1\n"})
    manager = pi.manager(builder=RecordingBuilder())
    manager.install(["pypi:a"])
    (held,) = manager.hold(trusted=True).values()
    for name in "bc":
        manager.install([f"pypi:{name}"])
    assert held.generation in generations(pi.locations.user_envs)
    held.close()
    manager.install(["pypi:d"])
    assert held.generation not in generations(pi.locations.user_envs)


def test_checkouts_that_nobody_uses_go(pi: PackageCli, tmp_path: Path) -> None:
    """C12: once no generation needs a commit, its folder goes with its empty parents."""
    repo = GitRepo(tmp_path.resolve() / "remotes")
    repo.commit({"extensions/a.py": ""})
    pi.write({"agent/settings.toml": "[install]\nkeep-generations = 1\n"})
    pi.run("install", f"git:{repo.url}")
    (checkout,) = pi.locations.checkouts.glob(f"**/{repo.head()}")
    os.utime(checkout, (1, 1))
    pi.package("proj/a")
    pi.run("remove", f"git:{repo.url}")
    pi.run("install", "./a")
    assert [] == list(pi.locations.checkouts.glob("*"))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('backend = "npm"', 'Use "auto", "uv" or "pip".'),
        ("index-url = 5", "index-url"),
        ('index-url = "http://plain.example/simple"', "plain.example"),
    ],
)
def test_a_wrong_install_table_is_named(pi: PackageCli, table: str, said: str) -> None:
    """A change that cannot know where code comes from is refused; listing needs none of it."""
    pi.package("proj/a")
    pi.write({"agent/settings.toml": f"[install]\n{table}\n"})
    done = pi.run("install", "./a")
    assert (1, True) == (done.code, said in done.err)
    assert 0 == pi.run("list").code


def test_an_agent_folder_that_cannot_be_written_is_named(pi: PackageCli) -> None:
    """One sentence and exit 1, for people and programs."""
    pi.package("proj/a")
    pi.locations.agent_dir.write_text("no folder")
    done = pi.run("install", "./a")
    assert (1, "") == (done.code, done.out)
    assert str(pi.locations.agent_dir) in done.err
    assert 1 == pi.run("install", "./a", "--json").code


def test_a_project_folder_that_cannot_be_written_is_named(pi: PackageCli) -> None:
    """The generation that was built does not come in force."""
    pi.package("proj/a")
    pi.locations.project_config_dir.write_text("no folder")
    done = pi.run("install", "-l", "./a")
    assert (1, True) == (done.code, str(pi.project_settings) in done.err)
