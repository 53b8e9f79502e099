"""How decisions get into the store, and what a command of ours may vouch for.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.errors import NoProject, ProjectNotTrusted
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer
from pi_pkg.trust.gate import project_trust, said_trust
from pi_pkg.trust.model import Decision, StoredDecision
from pi_pkg.trust.record import allow_content, decide_folder, forget, own_change, remember_decision
from pi_pkg.trust.snapshot import changes_between, snapshot_path
from pi_pkg.trust.store import TrustStore, canonical_folder

USER = Layer("user", "u")


@pytest.fixture
def places(tmp_path: Path) -> Locations:
    places = Locations(tmp_path / "agent", tmp_path / "proj", tmp_path / "home")
    places.project_config_dir.mkdir(parents=True)
    return places


def put(places: Locations, path: str, text: str = "x") -> Path:
    target = places.project_dir / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return target


def stored(places: Locations) -> StoredDecision | None:
    return TrustStore(places.trust_store).read().get(canonical_folder(places.project_dir))


def is_trusted(places: Locations) -> bool:
    return project_trust(places, USER).trusted


def change(places: Locations, act: Callable[[], object], *, override: bool | None = None) -> None:
    with own_change(places, USER, override=override, doing="test", command="pi test", by="ann"):
        act()


def test_who_when_and_how_are_kept(places: Locations) -> None:
    """TRUST 71: an entry says who decided, when and through what."""
    put(places, ".pi/settings.toml", "")
    allow_content(places, by="ann", how="pi trust")
    decision = stored(places)
    assert decision is not None
    assert ("ann", "pi trust", True) == (decision.by, decision.how, decision.when.endswith("+00:00"))


def test_an_answer_is_stored_with_its_person(places: Locations) -> None:
    """What a prompt or an extension decided gets the same facts; forgetting is a change, too."""
    put(places, ".pi/settings.toml", "")
    folder, parent = canonical_folder(places.project_dir), canonical_folder(places.project_dir.parent)
    asked = ((folder, None), (parent, StoredDecision(True, how="prompt")))
    decide_folder(places, False, by="x", how="y")
    remember_decision(places, Decision(True, "prompt", remember=asked), by="ann")
    assert (None, {parent}) == (stored(places), set(TrustStore(places.trust_store).read()))
    assert "ann" == TrustStore(places.trust_store).read()[parent].by


def test_nothing_to_remember_writes_nothing(places: Locations) -> None:
    """A trust for one session leaves no file behind."""
    remember_decision(places, Decision(True, "prompt"))
    assert not places.trust_store.exists()
    assert forget(places) is None


GUARDED = '[tool.pi]\nextensions = ["ext.py"]\nguard = true\n'


def with_guard(places: Locations) -> None:
    put(places, "gate/pyproject.toml", GUARDED)
    put(places, "gate/ext.py", "def extension(pi): ...\n")
    put(places, ".pi/settings.toml", 'packages = ["../gate"]\n')


def test_a_guard_is_remembered(places: Locations) -> None:
    """The decision knows that its content held one, and so does the loss of it."""
    with_guard(places)
    allow_content(places, by="", how="pi trust")
    put(places, ".pi/settings.toml", "packages = []\n")
    assert project_trust(places, USER).guard_lost


def test_content_without_a_guard_has_none_to_lose(places: Locations) -> None:
    """A package that is switched off, or asks for nothing, guards nothing."""
    with_guard(places)
    put(places, ".pi/settings.toml", 'packages = [{ source = "../gate", extensions = [] }]\n')
    decision = allow_content(places, by="", how="pi trust")
    assert decision is not None
    assert not decision.guard


def test_our_own_change_of_a_guarded_project_keeps_the_guard(places: Locations) -> None:
    """What our commands change is trusted as it is then, its guard included."""
    change(places, lambda: with_guard(places))
    decision = stored(places)
    assert decision is not None
    assert (True, True) == (decision.guard, is_trusted(places))


def write_settings(places: Locations) -> None:
    put(places, ".pi/settings.toml", 'packages = ["../lib", "../tools"]\n')


def add_extension(places: Locations) -> None:
    write_settings(places)
    put(places, ".pi/extensions/evil.py")


def change_extension(places: Locations) -> None:
    write_settings(places)
    put(places, ".pi/extensions/a.py", "evil")


def delete_extension(places: Locations) -> None:
    write_settings(places)
    (places.project_config_dir / "extensions" / "a.py").unlink()


def change_declared_tree(places: Locations) -> None:
    write_settings(places)
    put(places, "lib/l.py", "evil")


@pytest.mark.parametrize(
    ("act", "ours"),
    [
        (write_settings, True), (add_extension, False), (change_extension, False),
        (delete_extension, False), (change_declared_tree, False),
    ],
)  # fmt: skip
def test_a_command_vouches_for_its_own_change_only(
    places: Locations, act: Callable[[Locations], None], ours: bool
) -> None:
    """What somebody else changes meanwhile does not slip in with it."""
    put(places, ".pi/extensions/a.py")
    put(places, "lib/l.py")
    put(places, "tools/t.py")
    put(places, ".pi/settings.toml", 'packages = ["../lib"]\n')
    allow_content(places, by="", how="pi trust")
    change(places, lambda: act(places))
    assert ours == is_trusted(places)


def test_a_failed_change_records_nothing(places: Locations) -> None:
    """Only what was done is vouched for."""

    def fail() -> None:
        put(places, ".pi/settings.toml", "")
        raise LookupError

    with pytest.raises(LookupError):
        change(places, fail)
    assert not places.trust_store.exists()


def test_a_trusted_parent_needs_no_record(places: Locations) -> None:
    """A decision about a folder covers what will come; a record would end with the next edit."""
    folder = canonical_folder(places.project_dir.parent)
    TrustStore(places.trust_store).record([(folder, StoredDecision(True))])
    change(places, lambda: put(places, ".pi/settings.toml", ""))
    assert stored(places) is None


def test_content_that_changed_is_undecided_whatever_its_parent_is(places: Locations) -> None:
    """Who trusted this content wants to be asked about another."""
    put(places, ".pi/settings.toml", "")
    allow_content(places, by="", how="pi trust")
    folder = canonical_folder(places.project_dir.parent)
    TrustStore(places.trust_store).record([(folder, StoredDecision(True))])
    put(places, ".pi/settings.toml", "a = 1")
    assert not is_trusted(places)


def test_no_change_without_trust(places: Locations) -> None:
    """B6, M4: an untrusted project is not changed."""
    put(places, ".pi/settings.toml", "")
    with pytest.raises(ProjectNotTrusted, match="--approve"):
        change(places, lambda: None)


def test_the_home_folder_is_no_project(places: Locations) -> None:
    """Its `.pi` is the user's: nothing of it is gated, read or changed as a project's, even if approved."""
    home = Locations(places.agent_dir, places.home, places.home)
    put(home, ".pi/extensions/a.py")
    put(home, ".pi/settings.toml", "")
    for override in (None, True):
        decision = project_trust(home, USER, override=override)
        assert (False, "no-project") == (decision.trusted, decision.step)
        with pytest.raises(NoProject, match="is no project"):
            change(home, lambda: None, override=override)


def test_the_folder_around_the_users_own_files_is_no_project(tmp_path: Path) -> None:
    """Where `PI_CODING_AGENT_DIR` is the `.pi` of a folder, its settings are the user's only."""
    places = Locations(tmp_path / "w" / ".pi", tmp_path / "w", tmp_path / "home")
    put(places, ".pi/settings.toml", "")
    assert not places.has_project


@pytest.mark.parametrize(
    ("default", "override", "trusted"), [("always", None, False), ("always", True, True)]
)
def test_an_update_needs_a_word(
    places: Locations, default: str, override: bool | None, trusted: bool
) -> None:
    """L15: what runs by itself counts neither on the default nor on an empty project."""
    user = Layer("user", "u", {"default-project-trust": default})
    assert trusted == said_trust(places, user, override=override).trusted
    put(places, ".pi/settings.toml", "")
    assert trusted == said_trust(places, user, override=override).trusted
    allow_content(places, by="", how="pi trust")
    assert said_trust(places, user).trusted


def test_what_was_trusted_is_kept_with_the_user(places: Locations) -> None:
    """A clone can bring no account of what was trusted."""
    put(places, ".pi/settings.toml", "")
    allow_content(places, by="", how="pi trust")
    assert snapshot_path(places).is_relative_to(places.agent_dir)
    assert not list(places.project_dir.rglob("trusted.json"))


marks = st.dictionaries(
    st.sampled_from(["a", "a/b", "a/b/c", "d"]), st.sampled_from(["folder", "sha256:1", "sha256:2"])
)


@given(marks, marks)
def test_changes_are_named_where_there_are_any(before: dict[str, str], after: dict[str, str]) -> None:
    """No lines means no difference; the other way round every mark is turned."""
    lines = changes_between(before, after)
    assert (before == after) == (not lines)
    turned = {"+": "-", "-": "+", "~": "~"}
    assert {(turned[line[0]], line[2:].rstrip("/")) for line in lines} == {
        (line[0], line[2:].rstrip("/")) for line in changes_between(after, before)
    }
