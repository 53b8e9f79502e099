"""Which packages go together: as many as possible, and never fewer than before.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_pkg.errors import InstallError
from pi_pkg.install.generation import generations
from pi_pkg.install.index import GenerationIndex
from pi_pkg.install.plan import Root
from tests.pkg.changes.kit import did, in_force
from tests.support.builders import RecordingBuilder
from tests.support.package_cli import PackageCli, package_cli


@dataclass
class QuarrelsomeBuilder(RecordingBuilder):
    """Some pairs never go together."""

    quarrels: Collection[frozenset[str]] = ()

    def build(self, scope_dir: Path, roots: Sequence[Root], *, renew: Collection[str]) -> GenerationIndex:
        here = {root.identity for root in roots}
        if any(pair <= here for pair in self.quarrels):
            raise InstallError("they do not go together.")
        return super().build(scope_dir, roots, renew=renew)


def pair(*names: str) -> frozenset[str]:
    return frozenset(f"pypi:{name}" for name in names)


def test_two_that_quarrel_leave_room_for_a_third(pi: PackageCli) -> None:
    """ENV 174: the first keeps working, the second is refused, the third goes in."""
    builder = QuarrelsomeBuilder(quarrels=[pair("one", "two")])
    report = pi.manager(builder=builder).install(["pypi:one", "pypi:two", "pypi:three"])
    assert [("pypi:one", "installed"), ("pypi:two", "refused"), ("pypi:three", "installed")] == did(report)


def test_a_declared_one_that_never_fitted_is_in_nobodys_way(pi: PackageCli) -> None:
    """ENV 174: a quarrel that stands in the settings neither stops an update of a third nor an install."""
    builder = QuarrelsomeBuilder(quarrels=[pair("one", "two")])
    pi.manager(builder=builder).install(["pypi:one", "pypi:three"])
    pi.write({"agent/settings.toml": 'packages = ["pypi:one", "pypi:two", "pypi:three"]\n'})
    builder.versions = {"pypi:three": "2"}
    report = pi.manager(builder=builder).update()
    assert ("pypi:two", "refused") in did(report)
    assert ["pypi:one 1", "pypi:three 2"] == in_force(pi)
    report = pi.manager(builder=builder).install(["pypi:four"])
    assert (True, "pypi:two") == (report.ok, report.diagnostics[0].source)
    assert ["pypi:one 1", "pypi:three 2", "pypi:four 1"] == in_force(pi)


def test_what_no_longer_fits_gives_way(pi: PackageCli) -> None:
    """After the environment changed, an old package may be the one that does not fit; it is named."""
    builder = QuarrelsomeBuilder()
    pi.manager(builder=builder).install(["pypi:old", "pypi:good"])
    builder.quarrels = [frozenset({"pypi:old"})]
    report = pi.manager(builder=builder).install(["pypi:new"])
    assert [("pypi:new", "installed")] == did(report)
    assert "'pypi:old' was left out: they do not go together." in {
        item.message for item in report.diagnostics
    }
    assert ["pypi:good 1", "pypi:new 1"] == in_force(pi)


def test_attempts_leave_nothing_behind(pi: PackageCli) -> None:
    """However many builds it took, one generation is new."""
    builder = QuarrelsomeBuilder(quarrels=[pair("a", "d"), pair("b", "c")])
    pi.manager(builder=builder).install([f"pypi:{name}" for name in "abcd"])
    assert 1 == len(generations(pi.locations.user_envs))


names = st.sets(st.sampled_from("abcdef"), min_size=1)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=names,
    asked=names,
    quarrels=st.sets(st.frozensets(st.sampled_from("abcdef"), min_size=2, max_size=2)),
)
def test_nobody_is_lost_and_nobody_who_fits_is_refused(
    tmp_path_factory: pytest.TempPathFactory, before: set[str], asked: set[str], quarrels: set[frozenset[str]]
) -> None:
    """What was in force stays; what was refused quarrels with something that is in force."""
    pi = package_cli(tmp_path_factory.mktemp("quarrel"))
    builder = QuarrelsomeBuilder(quarrels=[pair(*sorted(two)) for two in quarrels])
    manager = pi.manager(builder=builder)
    manager.install([f"pypi:{name}" for name in sorted(before)])
    earlier = set(in_force(pi))
    report = manager.install([f"pypi:{name}" for name in sorted(asked)])
    now = {line.split()[0] for line in in_force(pi)}
    assert earlier <= set(in_force(pi))
    for outcome in report.outcomes:
        fights = any(outcome.asked in two and len(two & now) == 1 for two in builder.quarrels)
        assert outcome.ok or fights
