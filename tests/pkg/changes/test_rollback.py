"""Going back: generation and settings agree afterwards, whatever was changed in between.

Touches: files.
"""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_pkg.errors import InstallError, SettingsError
from pi_pkg.install.index import current_generation
from pi_pkg.manager import PackageManager
from tests.pkg.changes.kit import did, in_force
from tests.support.builders import RecordingBuilder
from tests.support.package_cli import PackageCli, package_cli


@pytest.fixture
def builder() -> RecordingBuilder:
    return RecordingBuilder()


@pytest.fixture
def manager(pi: PackageCli, builder: RecordingBuilder) -> PackageManager:
    return pi.manager(builder=builder)


def full_disk(path: Path, data: bytes) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_update_is_undone(pi: PackageCli, manager: PackageManager, builder: RecordingBuilder) -> None:
    """The version goes back; the settings said the same all the time, and stay."""
    manager.install(["pypi:a"])
    text = pi.user_settings.read_bytes()
    builder.versions = {"pypi:a": "2"}
    manager.update()
    (outcome,) = manager.rollback().outcomes
    assert ("updated", "2", "1") == (outcome.did, outcome.before, outcome.after)
    assert (["pypi:a 1"], text) == (in_force(pi), pi.user_settings.read_bytes())


def test_an_installation_is_undone(pi: PackageCli, manager: PackageManager) -> None:
    """What was not there then leaves the settings, and the report says so."""
    manager.install(["pypi:a"])
    manager.install(["pypi:b"])
    report = manager.rollback()
    assert [("pypi:a", "unchanged"), ("pypi:b", "removed")] == did(report)
    assert "taken out of the settings" == report.outcomes[1].note
    assert (["pypi:a"], ["pypi:a 1"]) == (pi.declared(), in_force(pi))


def test_a_removal_is_undone_with_its_filters(pi: PackageCli, manager: PackageManager) -> None:
    """What was there then comes back as it was declared; the last package too."""
    manager.install(["pypi:a"])
    entry = {"source": "pypi:a", "extensions": ["!x"], "skills": []}
    pi.write(
        {"agent/settings.toml": 'packages = [{ source = "pypi:a", extensions = ["!x"], skills = [] }]\n'}
    )
    manager.remove(["pypi:a"])
    assert [("pypi:a", "installed")] == did(manager.rollback())
    assert ([entry], ["pypi:a 1"]) == (pi.declared(), in_force(pi))


def test_a_changed_source_goes_back_and_keeps_todays_filters(pi: PackageCli, manager: PackageManager) -> None:
    """Only the text of the source is changed."""
    manager.install(["pypi:a@1"])
    manager.install(["pypi:a@^1"])
    pi.write({"agent/settings.toml": '# mine\npackages = [{ source = "pypi:a@^1", skills = [] }]\n'})
    manager.rollback()
    assert [{"source": "pypi:a@1", "skills": []}] == pi.declared()
    assert pi.user_settings.read_text().startswith("# mine\n")


def test_any_kept_generation_can_be_named(pi: PackageCli, manager: PackageManager) -> None:
    """By name or by number, back and forth."""
    for name in "abc":
        manager.install([f"pypi:{name}"])
    first, _, last = (one.index.generation for one in manager.generations())
    manager.rollback("1")
    assert (first, ["pypi:a"]) == (current_generation(pi.locations.user_envs), pi.declared())
    manager.rollback(last)
    assert ["pypi:a", "pypi:b", "pypi:c"] == pi.declared()


@pytest.mark.parametrize(
    ("asked", "said"), [(None, "no older generation"), ("7", "no generation '7'"), ("../x", "no generation")]
)
def test_what_is_not_kept_is_refused(
    pi: PackageCli, manager: PackageManager, asked: str | None, said: str
) -> None:
    """The kept ones are named, and nothing is changed."""
    manager.install(["pypi:a"])
    with pytest.raises(InstallError, match=said):
        manager.rollback(asked)
    assert ["pypi:a"] == pi.declared()


def test_a_dry_run_says_it(pi: PackageCli, manager: PackageManager) -> None:
    """What would go and come, and nothing does."""
    manager.install(["pypi:a"])
    manager.install(["pypi:b"])
    report = manager.rollback(dry_run=True)
    assert ["leave pypi:a unchanged at 1", "remove pypi:b"] == [one.note for one in report.outcomes]
    assert ["pypi:a", "pypi:b"] == pi.declared()


def test_a_full_disk_leaves_everything_as_it_was(
    pi: PackageCli, manager: PackageManager, builder: RecordingBuilder
) -> None:
    """If the settings cannot follow, the generation does not either."""
    manager.install(["pypi:a"])
    manager.install(["pypi:b"])
    with pytest.raises(SettingsError, match="No space left"):
        pi.manager(builder=builder, write=full_disk).rollback()
    assert (["pypi:a", "pypi:b"], ["pypi:a 1", "pypi:b 1"]) == (pi.declared(), in_force(pi))


def test_the_list_and_the_command(pi: PackageCli, manager: PackageManager) -> None:
    """Kept generations are shown with what they hold; as JSON too."""
    manager.install(["pypi:a"])
    manager.install(["pypi:b"])
    shown = pi.run("rollback", "--list").out.splitlines()
    assert ["pypi:a 1", "pypi:a 1, pypi:b 1  (in force)"] == [line.split("  ", 2)[2] for line in shown]
    found = pi.run("rollback", "--list", "--json").document["observed"]
    assert [False, True] == [item["in_force"] for item in found]
    done = pi.run("rollback")
    assert done.out.endswith("in force: " + found[0]["generation"] + "\n")
    assert "removed pypi:b (taken out of the settings)\n" in done.out


steps = st.lists(
    st.tuples(st.sampled_from(["install", "remove", "update", "back"]), st.sampled_from("abc")), max_size=8
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_settings_and_generation_always_agree(
    tmp_path_factory: pytest.TempPathFactory, taken: list[tuple[str, str]]
) -> None:
    """After any series of changes and returns, what is declared is what is in force."""
    pi = package_cli(tmp_path_factory.mktemp("series"))
    builder = RecordingBuilder()
    manager = pi.manager(builder=builder)
    manager.install(["pypi:a"])
    for number, (step, name) in enumerate(taken):
        builder.versions = {f"pypi:{name}": f"{number + 2}"}
        try:
            match step:
                case "install":
                    manager.install([f"pypi:{name}"])
                case "remove":
                    manager.remove([f"pypi:{name}"])
                case "update":
                    manager.update()
                case _:
                    manager.rollback()
        except InstallError:
            assert "back" == step  # there was nothing older
        assert sorted(pi.declared()) == sorted(line.split()[0] for line in in_force(pi))
