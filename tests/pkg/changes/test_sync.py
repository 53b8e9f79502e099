"""What a repair does: the settings are the truth, and nothing moves.

Touches: files.
"""

from __future__ import annotations

import json
import shutil

import pytest

from pi_pkg.install.index import current_generation
from tests.pkg.changes.kit import did, in_force, times
from tests.support.builders import RecordingBuilder
from tests.support.package_cli import PackageCli


@pytest.fixture
def builder() -> RecordingBuilder:
    return RecordingBuilder()


def test_nothing_to_do_is_said(pi: PackageCli, builder: RecordingBuilder) -> None:
    """Where all is as declared, no file is written; without packages too."""
    assert "nothing to do: everything is as the settings say\n" == pi.run("sync").out
    pi.manager(builder=builder).install(["pypi:a"])
    before = times(pi.folder)
    assert ((), before) == (pi.manager(builder=builder).sync().outcomes, times(pi.folder))


def test_what_is_missing_is_built(pi: PackageCli, builder: RecordingBuilder) -> None:
    """Entries that were never installed are; what is there stays where it is."""
    pi.manager(builder=builder).install(["pypi:a"])
    builder.versions = {"pypi:a": "2"}
    pi.write({"agent/settings.toml": 'packages = ["pypi:a", "pypi:b"]\n'})
    assert [("pypi:b", "installed")] == did(pi.manager(builder=builder).sync())
    assert ["pypi:a 1", "pypi:b 1"] == in_force(pi)


def test_what_no_settings_name_goes(pi: PackageCli, builder: RecordingBuilder) -> None:
    """SCOPE 48: a deleted entry leaves no orphan behind, the last one neither."""
    pi.manager(builder=builder).install(["pypi:a", "pypi:b"])
    pi.write({"agent/settings.toml": 'packages = ["pypi:b"]\n'})
    report = pi.manager(builder=builder).sync()
    assert ([("pypi:a", "removed")], ["pypi:b 1"]) == (did(report), in_force(pi))
    pi.write({"agent/settings.toml": "packages = []\n"})
    assert [("pypi:b", "removed")] == did(pi.manager(builder=builder).sync())
    assert current_generation(pi.locations.user_envs) is None


def test_another_ref_in_the_settings_is_brought_here(pi: PackageCli, builder: RecordingBuilder) -> None:
    """A colleague moves the pin of a project; a repair follows the file."""
    pi.manager(builder=builder).install(["git:h.example/o/r@v1"])
    pi.write({"agent/settings.toml": 'packages = ["git:h.example/o/r@v2"]\n'})
    assert "package-outdated" in pi.run("list", "--json").codes
    pi.manager(builder=builder).sync()
    assert "git:h.example/o/r@v2" == in_force(pi)[0].split()[0]
    assert "package-outdated" not in pi.run("list", "--json").codes


def test_a_damaged_generation_is_built_again(pi: PackageCli, builder: RecordingBuilder) -> None:
    """Its record is gone, so everything is missing."""
    pi.manager(builder=builder).install(["pypi:a"])
    (record,) = pi.locations.user_envs.glob("*/pi-index.json")
    shutil.rmtree(record.parent)
    assert [("pypi:a", "installed")] == did(pi.manager(builder=builder).sync())


def test_what_another_python_built_is_built_again(pi: PackageCli, builder: RecordingBuilder) -> None:
    """ISO 78: the finding names the command, and the command repairs it."""
    pi.manager(builder=builder).install(["pypi:a"])
    (record,) = pi.locations.user_envs.glob("*/pi-index.json")
    record.write_text(json.dumps({**json.loads(record.read_text()), "python-tag": "cpython-39"}))
    assert "pi sync" in pi.run("list").err
    pi.manager(builder=builder).sync()
    assert "generation-incompatible" not in pi.run("list", "--json").codes


def test_one_that_fails_does_not_stop_the_others(pi: PackageCli) -> None:
    """It stays missing, with its reason; the rest is there."""
    pi.write({"agent/settings.toml": 'packages = ["pypi:a", "pypi:b", "pypi:c"]\n'})
    report = pi.manager(builder=RecordingBuilder(refuses={"pypi:b"})).sync()
    assert [("pypi:a", "installed"), ("pypi:b", "refused"), ("pypi:c", "installed")] == did(report)
    assert ["pypi:a 1", "pypi:c 1"] == in_force(pi)


def test_a_dry_run_changes_nothing(pi: PackageCli, builder: RecordingBuilder) -> None:
    """It says what a repair would do."""
    pi.write({"agent/settings.toml": 'packages = ["pypi:a"]\n'})
    report = pi.manager(builder=builder).sync(dry_run=True)
    assert ["install pypi:a 1"] == [outcome.note for outcome in report.outcomes]
    assert [] == in_force(pi)
