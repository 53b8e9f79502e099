"""The one gate in front of a project's files: what it reads, what it says, what it remembers.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.errors import TrustError
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer
from pi_pkg.trust.gate import APPROVE, notice, project_trust, surface
from pi_pkg.trust.model import StoredDecision
from pi_pkg.trust.record import record_own_change
from pi_pkg.trust.store import TrustStore, canonical_folder

USER = Layer("user", "u")


@pytest.fixture
def places(tmp_path: Path) -> Locations:
    places = Locations(tmp_path / "agent", tmp_path / "proj", tmp_path / "home")
    places.project_config_dir.mkdir(parents=True)
    return places


def settings(places: Locations, text: str = "") -> None:
    places.project_settings.write_text(text)


def remember(places: Locations, decision: StoredDecision) -> None:
    TrustStore(places.trust_store).record([(canonical_folder(places.project_dir), decision)])


def test_a_pristine_project_is_trusted(places: Locations) -> None:
    """Nothing needs trust, so nothing is left out, and there is nothing to say."""
    decision = project_trust(places, USER)
    assert (True, "no-resources", None) == (decision.trusted, decision.step, notice(decision, places))


def test_a_run_without_a_person_leaves_the_project_out(places: Locations) -> None:
    """L10: nothing is stored, and a notice says how to approve."""
    settings(places)
    decision = project_trust(places, USER)
    said = notice(decision, places)
    assert not decision.trusted
    assert said is not None
    assert ("project-not-trusted", APPROVE) == (said.code, said.hint)
    assert said.message.endswith("is not trusted; ignored 1 item: .pi/settings.toml.")
    assert not places.trust_store.exists()


@pytest.mark.parametrize(("default", "trusted"), [("always", True), ("never", False), (7, False)])
def test_the_users_default_decides(places: Locations, default: object, trusted: bool) -> None:
    """L10: always and never decide; anything else asks, which nobody can answer."""
    settings(places)
    assert trusted == project_trust(places, Layer("user", "u", {"default-project-trust": default})).trusted


def test_changed_content_is_named_as_changed(places: Locations) -> None:
    """A decision about content ends with the content, and the notice says why."""
    settings(places, "a = 1")
    remember(places, StoredDecision(True, surface(places).digest))
    assert project_trust(places, USER).trusted
    settings(places, "a = 2")
    said = notice(project_trust(places, USER), places)
    assert said is not None
    assert "project-changed" == said.code


def test_a_malformed_store_is_bypassed_by_an_approval(places: Locations) -> None:
    """L13: everything else that asks it fails, naming the file."""
    settings(places)
    places.agent_dir.mkdir()
    places.trust_store.write_text("{bad")
    with pytest.raises(TrustError, match=str(places.trust_store)):
        project_trust(places, USER)
    assert project_trust(places, USER, override=True).trusted


def test_what_our_command_adds_to_a_pristine_project_is_trusted(places: Locations) -> None:
    """`install -l` in a fresh folder does not lock the user out of it."""
    before = surface(places)
    settings(places, "packages = []")
    record_own_change(places, before, command="install")
    assert project_trust(places, USER).trusted
    settings(places, "packages = ['pypi:evil']")
    assert not project_trust(places, USER).trusted


def test_our_change_of_trusted_content_stays_trusted(places: Locations) -> None:
    """The digest follows what our own commands write."""
    settings(places, "a = 1")
    before = surface(places)
    remember(places, StoredDecision(True, before.digest))
    settings(places, "a = 2")
    record_own_change(places, before, command="install")
    assert project_trust(places, USER).trusted


def test_our_change_of_unknown_content_trusts_nothing(places: Locations) -> None:
    """L6: an approval for one run does not become one for all."""
    settings(places, "a = 1")
    before = surface(places)
    settings(places, "a = 2")
    record_own_change(places, before, command="install")
    assert not project_trust(places, USER).trusted


def test_a_decision_about_the_folder_is_left_alone(places: Locations) -> None:
    """Whatever the folder will hold was decided already."""
    remember(places, StoredDecision(False, how="prompt"))
    before = surface(places)
    settings(places)
    record_own_change(places, before, command="install")
    assert [StoredDecision(False, how="prompt")] == list(TrustStore(places.trust_store).read().values())
