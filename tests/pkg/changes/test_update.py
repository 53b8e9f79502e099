"""What an update looks at, moves and leaves; nothing that did not move is touched.

Touches: files.
"""

from __future__ import annotations

import pytest

from pi_pkg.manager import PackageManager
from tests.pkg.changes.kit import did, in_force, times
from tests.support.builders import RecordingBuilder
from tests.support.package_cli import PackageCli


@pytest.fixture
def builder() -> RecordingBuilder:
    return RecordingBuilder()


@pytest.fixture
def manager(pi: PackageCli, builder: RecordingBuilder) -> PackageManager:
    """`a`, `b` and `c` are installed, each at version 1."""
    manager = pi.manager(builder=builder)
    manager.install(["pypi:a", "pypi:b@1", "pypi:c"])
    builder.log.clear()
    return manager


def test_where_nothing_moved_nothing_is_built_or_written(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """Everything is looked up once, and no file is changed."""
    before = times(pi.folder)
    assert [("pypi:a", "unchanged"), ("pypi:b@1", "unchanged"), ("pypi:c", "unchanged")] == did(
        manager.update()
    )
    assert "look pypi:a pypi:b@1 pypi:c" == builder.log[0]
    assert not [line for line in builder.log if line.startswith("build")]
    assert before == times(pi.folder)


def test_what_is_newer_moves(pi: PackageCli, manager: PackageManager, builder: RecordingBuilder) -> None:
    """Versions before and after are observed, the settings stay byte for byte."""
    text = pi.user_settings.read_bytes()
    builder.versions = {"pypi:a": "2"}
    (moved, *_) = manager.update().outcomes
    assert ("updated", "1", "2") == (moved.did, moved.before, moved.after)
    assert ["pypi:a 2", "pypi:b@1 1", "pypi:c 1"] == in_force(pi)
    assert text == pi.user_settings.read_bytes()


def test_a_pin_stays_and_tells(manager: PackageManager, builder: RecordingBuilder) -> None:
    """An exact version is left where it is, and what is newer is named."""
    builder.versions = {"pypi:b": "3"}
    (pin,) = (one for one in manager.update().outcomes if one.pinned)
    assert ("pypi:b@1", "unchanged", "1", "3") == (pin.asked, pin.did, pin.after, pin.available)
    assert not [line for line in builder.log if line.startswith("build")]


def test_an_older_release_is_no_news(manager: PackageManager, builder: RecordingBuilder) -> None:
    """D4: an index that offers less than what is installed moves nothing."""
    manager.install(["pypi:a"])
    builder.versions = {"pypi:a": "0.9"}
    assert ("pypi:a", "unchanged") in did(manager.update(["pypi:a"]))


def test_one_that_fails_does_not_stop_the_others(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """What could not be looked up keeps its version; the rest moves; the report is not ok."""
    builder.versions = {"pypi:a": "2", "pypi:c": "2"}
    builder.refuses = {"pypi:a"}
    report = manager.update()
    assert ("pypi:a", "refused") in did(report)
    assert (False, ["pypi:b@1 1", "pypi:c 2"]) == (report.ok, in_force(pi)[1:])
    assert "pypi:a 1" == in_force(pi)[0]


def test_only_what_is_named_is_looked_at(manager: PackageManager, builder: RecordingBuilder) -> None:
    """C10: any version in the argument names the package."""
    builder.versions = {"pypi:a": "2", "pypi:c": "2"}
    assert [("pypi:c", "updated")] == did(manager.update(["pypi:c@7"]))
    assert "look pypi:c" == builder.log[0]


def test_a_check_changes_nothing(pi: PackageCli, manager: PackageManager, builder: RecordingBuilder) -> None:
    """It says what an update would do, and not even a lock file is new."""
    builder.versions = {"pypi:a": "2"}
    before = times(pi.folder)
    report = manager.update(check=True)
    assert "update pypi:a 1 → 2" == report.outcomes[0].note
    assert (["look pypi:a pypi:b@1 pypi:c"], before) == (builder.log, times(pi.folder))


def test_without_packages_no_file_is_made(pi: PackageCli) -> None:
    """Neither a lock nor a folder, of the user or of the project; with a trusted project too."""
    pi.write({"proj/.pi/settings.toml": "theme = 'x'\n"})
    before = times(pi.folder)
    for words in (["update"], ["update", "-l", "-a"], ["update", "--check"], ["sync"], ["sync", "-l", "-a"]):
        assert 0 == pi.run(*words).code
    assert before == times(pi.folder)


def test_what_the_environment_provides_is_not_looked_up(pi: PackageCli) -> None:
    """The host's copy is what would be imported; its own installer moves it."""
    import pluggy

    pi.environ["PIP_NO_INDEX"] = "1"
    pi.run("install", "pypi:pluggy")
    found = pluggy.__version__
    line = f"pypi:pluggy unchanged at {found} (satisfied by environment {found})\n"
    assert line in pi.run("update").out


def test_what_was_never_installed_is(pi: PackageCli, builder: RecordingBuilder) -> None:
    """An entry that somebody wrote by hand is brought here."""
    pi.write({"agent/settings.toml": 'packages = ["pypi:a", "pypi:b"]\n'})
    assert [("pypi:a", "installed"), ("pypi:b", "installed")] == did(pi.manager(builder=builder).update())
    assert ["pypi:a 1", "pypi:b 1"] == in_force(pi)


def test_an_edited_entry_is_brought_in_line(pi: PackageCli, manager: PackageManager) -> None:
    """The settings are the truth: another version there is another version here."""
    pi.write({"agent/settings.toml": 'packages = ["pypi:a@>=2"]\n'})
    builder = RecordingBuilder(versions={"pypi:a": "2"})
    pi.manager(builder=builder).update()
    assert ["pypi:a@>=2 2"] == in_force(pi)


def test_an_entry_that_is_no_source_is_refused(pi: PackageCli, builder: RecordingBuilder) -> None:
    """It is one of the packages that were examined, and the others go on."""
    pi.write({"agent/settings.toml": 'packages = ["npm:x", "env:y", "pypi:a"]\n'})
    assert [("npm:x", "refused"), ("pypi:a", "installed")] == did(pi.manager(builder=builder).update())


def test_a_path_is_used_in_place(pi: PackageCli, builder: RecordingBuilder) -> None:
    """NOOP 12: there is nothing to look up, and the whole path is shown."""
    folder = pi.package("proj/a")
    manager = pi.manager(builder=builder)
    manager.install(["./a"])
    (outcome,) = manager.update().outcomes
    assert (str(folder), "unchanged", "used in place") == (outcome.asked, outcome.did, outcome.note)


def test_an_unknown_source_is_refused_with_the_nearest(manager: PackageManager) -> None:
    """NOOP 6: without its prefix, or misspelt; what is known beside it is updated all the same."""
    report = manager.update(["a", "pypi:bb@1", "pypi:c"])
    hints = [outcome.error.hint for outcome in report.outcomes if outcome.error]
    assert ["Did you mean pypi:a?", "Did you mean pypi:b@1?"] == hints
    assert ("pypi:c", "unchanged") in did(report)


def test_offline_nothing_is_examined(
    manager: PackageManager, pi: PackageCli, builder: RecordingBuilder
) -> None:
    """C14: it says so, and an unknown source is an error all the same."""
    offline = pi.manager(builder=builder, offline=True)
    report = offline.update()
    assert (True, (), ["offline"]) == (report.ok, report.outcomes, [one.code for one in report.diagnostics])
    assert [("zzz", "refused")] == did(offline.update(["zzz"]))
    assert [] == builder.log
