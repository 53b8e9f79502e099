"""The project's scope: what needs trust, what our own commands may do, how deltas speak about the user.

Touches: files, processes.
"""

from __future__ import annotations

import os

import pytest

from pi_pkg.trust.model import StoredDecision
from pi_pkg.trust.store import TrustStore, canonical_folder
from tests.support.package_cli import PackageCli


def test_a_fresh_project_stays_usable(pi: PackageCli) -> None:
    """What `install -l` writes into a pristine folder is trusted, so the next `list` shows it."""
    pi.package("proj/a")
    assert "installed ./a in the project\n" == pi.run("install", "-l", "./a").out
    assert "Project packages:\n  ../a\n" in pi.run("list").out


def test_packages_of_a_project_live_with_the_user(pi: PackageCli) -> None:
    """A clone can bring no interpreter and no package: only the settings stand in the project."""
    pi.package("proj/a")
    pi.run("install", "-l", "./a")
    assert ["settings.toml"] == os.listdir(pi.locations.project_config_dir)
    assert pi.locations.project_envs.is_dir()


def test_an_untrusted_project_is_refused(pi: PackageCli) -> None:
    """M4, B6: exit 1, nothing changed, and how to approve."""
    pi.package("proj/a")
    pi.write({"proj/.pi/settings.toml": "theme = 'x'\n"})
    for command in ("install", "remove"):
        done = pi.run(command, "-l", "./a")
        assert 1 == done.code
        assert "is not trusted; refused to" in done.err
        assert "--approve" in done.err
    assert "theme = 'x'\n" == pi.project_settings.read_text()


def test_an_approval_is_for_one_run(pi: PackageCli) -> None:
    """L6: `--approve` lets the command in and stores nothing."""
    pi.package("proj/a")
    pi.write({"proj/.pi/settings.toml": "theme = 'x'\n"})
    assert 0 == pi.run("install", "-l", "./a", "--approve").code
    assert not pi.locations.trust_store.exists()
    assert "is not trusted" in pi.run("list").err
    assert "../a" in pi.run("list", "-a").out


@pytest.mark.parametrize("word", ["-na", "--no-approve"])
def test_a_refusal_beats_everything(pi: PackageCli, word: str) -> None:
    """The last of `-a` and `-na` counts; without the project there is nothing to say about it."""
    pi.package("proj/a")
    pi.run("install", "-l", "./a")
    done = pi.run("list", "-a", word)
    assert ("No packages installed.\n", "") == (done.out, done.err)


def test_a_clone_with_packages_is_not_read(pi: PackageCli) -> None:
    """Without trust its packages do not exist, not even as findings."""
    pi.write({"proj/.pi/settings.toml": 'packages = ["npm:x", "./gone"]\n'})
    done = pi.run("list", "--json")
    assert ([], ["project-not-trusted"]) == (done.document["observed"], done.codes)


def test_a_malformed_store_is_named(pi: PackageCli) -> None:
    """L13: whoever asks the store fails; an approval goes past it."""
    pi.write({"proj/.pi/settings.toml": "", "agent/trust.toml": "{bad"})
    done = pi.run("list")
    assert (1, True) == (done.code, "trust.toml:1:1: not valid TOML" in done.err)
    assert 0 == pi.run("list", "--approve").code


def test_a_folder_decision_covers_what_will_come(pi: PackageCli) -> None:
    """L4: trust in the folder holds whatever the files say later."""
    pi.write({"proj/.pi/settings.toml": 'packages = ["../a"]\n'})
    pi.package("proj/a")
    folder = canonical_folder(pi.locations.project_dir)
    TrustStore(pi.locations.trust_store).record([(folder, StoredDecision(True))])
    pi.write({"proj/.pi/settings.toml": 'packages = ["../a"]\ntheme = "new"\n'})
    assert "../a" in pi.run("list").out


def test_removing_in_the_wrong_scope_says_where_it_is(pi: PackageCli) -> None:
    """A package of the project is not removed from the user's settings."""
    pi.package("proj/a")
    pi.run("install", "-l", "./a")
    done = pi.run("remove", "./a")
    assert 1 == done.code
    assert "The project declares it: add -l." in done.err
    assert ["../a"] == pi.declared(pi.project_settings)


def test_a_delta_installs_nothing(pi: PackageCli) -> None:
    """A project entry with `autoload = false` speaks about the user's installation."""
    pi.package("proj/a", "one", "two")
    pi.package("proj/b")
    pi.run("install", "./a")
    delta = '{ source = "../a", autoload = false, extensions = ["-extensions/one.py"] }'
    pi.write({"proj/.pi/settings.toml": f"packages = [{delta}]\n"})
    pi.run("install", "-l", "-a", "./b")
    items = pi.run("list", "-a", "--json").document["observed"]
    states = {(item["scope"], item["source"]): [
        (os.path.basename(found["path"]), found["enabled"]) for found in item["resources"]["extensions"]
    ] for item in items}  # fmt: skip
    assert [("two.py", True)] == states["user", "../proj/a"]
    assert [("one.py", False)] == states["project", "../a"]
    assert [("ext.py", True)] == states["project", "../b"]


def test_user_only_keys_of_a_project_are_reported(pi: PackageCli) -> None:
    """A project cannot choose an index; the key does nothing and is named."""
    pi.write({"proj/.pi/settings.toml": "[install]\nindex-url = 'http://evil.example/'\n"})
    assert ["settings-key-user-only"] == pi.run("list", "-a", "--json").codes
