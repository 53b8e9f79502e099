"""What the user's extensions may say about a project: L7 to L9, L16."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_core.resources.loader import ResourceLoader, ResourceRequest, Resources
from pi_pkg import Locations, StoredDecision, TrustStore


class Place:
    """A user's folder and a project that needs trust."""

    def __init__(self, folder: Path) -> None:
        self.locations = Locations(folder / "agent", folder / "project", folder)
        self.write(self.locations.project_config_dir / "extensions" / "own.py", "def extension(pi): ...\n")

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def voter(self, name: str, answer: str) -> None:
        """An extension of the user whose handler has this body."""
        text = (
            f'def extension(pi):\n    @pi.on("project_trust")\n    def vote(event, ctx):\n        {answer}\n'
        )
        self.write(self.locations.agent_dir / "extensions" / f"{name}.py", text)

    @property
    def folder(self) -> str:
        return str(self.locations.project_dir.resolve())

    def stored(self) -> dict[str, StoredDecision]:
        return TrustStore(self.locations.trust_store).read()

    def store(self, trusted: bool) -> None:
        TrustStore(self.locations.trust_store).record([(self.folder, StoredDecision(trusted))])

    async def load(self, request: ResourceRequest | None = None) -> Resources:
        return await ResourceLoader(self.locations, request or ResourceRequest()).load()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_a_yes_beats_a_stored_no(place: Place) -> None:
    """L7: the vote decides; only one that asks for it is stored, with the extension's name."""
    place.store(False)
    place.voter("v", 'return {"trusted": "yes"}')
    assert (await place.load()).trusted
    assert not place.stored()[place.folder].trusted


async def test_a_remembered_vote_names_its_extension(place: Place) -> None:
    """L7, TRUST 71: who decided and how is in the store."""
    place.voter("v", 'return {"trusted": "yes", "remember": True}')
    assert (await place.load()).trusted
    decision = place.stored()[place.folder]
    assert (True, "extension", "v.py", True) == (
        decision.trusted, decision.how, Path(decision.by).name, bool(decision.when),
    )  # fmt: skip


@pytest.mark.parametrize("answer", ['return {"trusted": "undecided"}', 'raise ValueError("oops")', "return"])
async def test_no_opinion_leaves_it_to_the_store(place: Place, answer: str) -> None:
    """L8: undecided, failing or silent, the next rule counts."""
    place.voter("v", answer)
    assert not (await place.load()).trusted
    place.store(True)
    assert (await place.load()).trusted


async def test_any_other_word_is_no(place: Place) -> None:
    """L9: what is neither yes, no nor undecided does not open the project."""
    place.store(True)
    place.voter("v", 'return {"trusted": "maybe"}')
    assert not (await place.load()).trusted


async def test_an_override_asks_nobody(place: Place) -> None:
    """L6: with `--approve` no extension is asked and nothing is stored."""
    place.voter("v", 'open(event.cwd + "/asked", "w"); return {"trusted": "no", "remember": True}')
    assert (await place.load(ResourceRequest(approve=True))).trusted
    assert not (place.locations.project_dir / "asked").exists()
    assert {} == place.stored()


async def test_what_the_project_switches_off_is_left_out(place: Place) -> None:
    """L16: a user's extension ran in the first pass; the project's settings keep it out of the end."""
    place.voter("v", 'return {"trusted": "yes"}')
    path = place.locations.agent_dir / "extensions" / "v.py"
    place.write(place.locations.project_settings, f'extensions = ["{path}", "-{path}"]\n')
    found = await place.load()
    assert ["own.py"] == [Path(extension.path).name for extension in found.extensions]
