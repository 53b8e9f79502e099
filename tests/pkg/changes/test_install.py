"""The order of a change, and what stands after each way in which it can fail.

Touches: files.
"""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_pkg.errors import InstallError, SettingsError
from pi_pkg.install.index import current_generation, read_index
from pi_pkg.manager import PackageManager
from pi_pkg.outcome import Report
from tests.support.builders import RecordingBuilder
from tests.support.package_cli import PackageCli, package_cli


def did(report: Report) -> list[tuple[str, str]]:
    return [(outcome.asked, outcome.did) for outcome in report.outcomes]


def in_force(pi: PackageCli) -> list[str]:
    """Sources in the record that is in force."""
    index = read_index(pi.locations.user_envs)
    return [package.source for package in index.packages] if index else []


def full_disk(path: Path, data: bytes) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def refuse() -> None:
    raise InstallError("not today.")


@pytest.fixture
def builder() -> RecordingBuilder:
    return RecordingBuilder()


@pytest.fixture
def manager(pi: PackageCli, builder: RecordingBuilder) -> PackageManager:
    return pi.manager(builder=builder)


def test_files_come_first_and_settings_last(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """While a generation is built, neither pointer nor settings know of it."""
    seen: list[tuple[bool, str | None]] = []
    builder.on_build = lambda: seen.append(
        (pi.user_settings.exists(), current_generation(pi.locations.user_envs))
    )
    manager.install(["pypi:a"])
    assert [(False, None)] == seen
    assert (["pypi:a"], ["pypi:a"]) == (pi.declared(), in_force(pi))


def test_settings_go_first_and_files_last(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """When a package is removed, the smaller generation is built from settings without it."""
    manager.install(["pypi:a", "pypi:b"])
    seen: list[list[str]] = []
    builder.on_build = lambda: seen.append(pi.declared())
    manager.remove(["pypi:a"])
    assert [["pypi:b"]] == seen
    assert ["pypi:b"] == in_force(pi)


def test_a_full_disk_leaves_everything_as_it_was(pi: PackageCli, builder: RecordingBuilder) -> None:
    """If the settings cannot be written, the generation that was in force is in force again."""
    pi.manager(builder=builder).install(["pypi:a"])
    before, text = current_generation(pi.locations.user_envs), pi.user_settings.read_bytes()
    report = pi.manager(builder=builder, write=full_disk).install(["pypi:b"])
    assert [("pypi:b", "refused")] == did(report)
    assert "No space left on device" in str(report.outcomes[0].error)
    assert (before, text) == (current_generation(pi.locations.user_envs), pi.user_settings.read_bytes())


def test_a_full_disk_at_the_first_install_leaves_nothing(pi: PackageCli, builder: RecordingBuilder) -> None:
    """Without an earlier generation none is in force afterwards."""
    pi.manager(builder=builder, write=full_disk).install(["pypi:a"])
    assert (None, False) == (current_generation(pi.locations.user_envs), pi.user_settings.exists())


def test_a_full_disk_stops_a_removal(pi: PackageCli, builder: RecordingBuilder) -> None:
    """The settings could not be changed, so nothing was."""
    pi.manager(builder=builder).install(["pypi:a"])
    with pytest.raises(SettingsError, match="No space left"):
        pi.manager(builder=builder, write=full_disk).remove(["pypi:a"])
    assert (["pypi:a"], ["pypi:a"]) == (pi.declared(), in_force(pi))


def test_an_interruption_leaves_everything_as_it_was(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """Ctrl-C while building reaches the caller; settings and pointer are untouched."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    manager.install(["pypi:a"])
    builder.on_build = interrupt
    with pytest.raises(KeyboardInterrupt):
        manager.install(["pypi:b"])
    assert (["pypi:a"], ["pypi:a"]) == (pi.declared(), in_force(pi))


def test_settings_broken_meanwhile_are_kept(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """Somebody breaks the file while we build: refused, their bytes stay, ours never come in force."""
    builder.on_build = lambda: pi.write({"agent/settings.toml": "broken = ="})
    report = manager.install(["pypi:a"])
    assert [("pypi:a", "refused")] == did(report)
    assert ("broken = =", None) == (pi.user_settings.read_text(), current_generation(pi.locations.user_envs))


def test_settings_changed_meanwhile_keep_the_change(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """Another key that somebody sets while we build is still there."""
    builder.on_build = lambda: pi.write({"agent/settings.toml": "theme = 'dark'\n"})
    manager.install(["pypi:a"])
    assert "theme = 'dark'" in pi.user_settings.read_text()
    assert ["pypi:a"] == pi.declared()


def test_those_that_go_together_are_built_together(
    manager: PackageManager, builder: RecordingBuilder
) -> None:
    """One build for all of them."""
    manager.install(["pypi:a", "pypi:b"])
    assert ["root pypi:a fresh", "root pypi:b fresh", "build pypi:a pypi:b"] == builder.log


def test_a_failing_one_is_left_out_alone(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """If they do not go together, each is tried on what succeeded before."""
    builder.refuses = {"pypi:b"}
    report = manager.install(["pypi:a", "pypi:b", "pypi:c"])
    assert [("pypi:a", "installed"), ("pypi:b", "refused"), ("pypi:c", "installed")] == did(report)
    assert (False, ["pypi:a", "pypi:c"], ["pypi:a", "pypi:c"]) == (report.ok, pi.declared(), in_force(pi))


def test_a_failed_clean_up_is_a_warning(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """D8, on purpose other than the reference: the settings go first, so the package is removed; that its
    files could not be is said, and nothing loads them."""
    manager.install(["pypi:a", "pypi:b"])
    builder.on_build = refuse
    report = manager.remove(["pypi:a"])
    assert (True, ["files-left"]) == (report.ok, [finding.code for finding in report.diagnostics])
    assert ["pypi:b"] == pi.declared()


def test_what_is_asked_for_is_fresh_and_the_rest_is_not(
    manager: PackageManager, builder: RecordingBuilder
) -> None:
    """Installing one package looks up that one only."""
    manager.install(["git:h.example/o/r"])
    builder.log.clear()
    manager.install(["pypi:a"])
    assert {"root git:h.example/o/r", "root pypi:a fresh"} == set(builder.log[:2])


@pytest.mark.parametrize(
    ("second", "expected"), [("1", ("unchanged", "1", "1")), ("2", ("changed", "1", "2"))]
)
def test_versions_before_and_after_are_observed(
    manager: PackageManager, builder: RecordingBuilder, second: str, expected: tuple[str, str, str]
) -> None:
    """The report compares records, not intentions."""
    manager.install(["pypi:a"])
    builder.versions = {"pypi:a": second}
    (outcome,) = manager.install(["pypi:a"]).outcomes
    assert expected == (outcome.did, outcome.before, outcome.after)


def test_two_changes_at_once_lose_nothing(pi: PackageCli) -> None:
    """Both packages are declared and in force, whoever came first."""
    threads = [
        threading.Thread(target=pi.manager(builder=RecordingBuilder()).install, args=([f"pypi:{name}"],))
        for name in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = [f"pypi:{name}" for name in "abcd"]
    assert (names, names) == (sorted(pi.declared()), sorted(in_force(pi)))


operations = st.lists(st.tuples(st.booleans(), st.sets(st.sampled_from("abcd"), min_size=1)), max_size=6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations)
def test_settings_and_record_always_agree(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[bool, set[str]]]
) -> None:
    """After any series of changes, what is declared is in force, in the same order, and nothing else."""
    pi = package_cli(tmp_path_factory.mktemp("series"))
    manager = pi.manager(builder=RecordingBuilder(refuses={"pypi:d"}))
    expected: list[str] = []
    for adding, names in changes:
        sources = [f"pypi:{name}" for name in sorted(names)]
        if adding:
            manager.install(sources)
            expected += [name for name in sources if name not in expected and name != "pypi:d"]
        else:
            manager.remove(sources)
            expected = [name for name in expected if name not in sources]
    assert expected == in_force(pi)
    assert not expected or expected == pi.declared()
