"""Trust decisions against the recorded reference.

`trust.json` becomes `trust.toml`, `settings.json` becomes `settings.toml`; an entry without an opinion
(null) is no entry. What the person chose is given as the answer it stands for.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi_pkg.errors import TrustError
from pi_pkg.locations import Locations
from pi_pkg.settings.model import Layer
from pi_pkg.trust.gate import project_trust, surface
from pi_pkg.trust.model import Answer, Decision, StoredDecision, Vote
from pi_pkg.trust.store import TrustStore
from tests.conformance.host_rows import Row, hold, row_id, rows_of

ANSWERS: dict[Any, Answer | None] = {
    0: "trust-folder", 1: "trust-parent", 2: "trust-session", 3: "deny-folder", 4: "deny-session",
}  # fmt: skip
STEPS = {"no-resources": "no_resources"}


@pytest.mark.parametrize("row", rows_of("trust"), ids=row_id)
def test_trust_is_decided_as_recorded(row: Row, tmp_path: Path) -> None:
    """Which rule decides, what it decides, and what the store says afterwards."""
    root = tmp_path.resolve()
    locations = laid_out(root, row["in"])
    hold("trust", row, recorded(row), ours(locations, root, row["in"]))


def laid_out(root: Path, given: Row) -> Locations:
    links = [item[1:].split("->") for item in given["layout"] if item.startswith("@")]
    for item in given["layout"]:
        path = root / item.replace("settings.json", "settings.toml")
        if item.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        elif not item.startswith("@"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    for name, target in links:
        (root / name).symlink_to(target)
    locations = Locations(root / "agent", root / given["cwd"], root / given["home"])
    locations.agent_dir.mkdir()
    store_written(locations, root, given)
    return locations


def store_written(locations: Locations, root: Path, given: Row) -> None:
    if given.get("store_text") is not None:
        locations.trust_store.write_text(given["store_text"].replace("{}", ""), encoding="utf-8")
    elif given["store"] is not None:
        named = {str((root / name).resolve()): trusted for name, trusted in given["store"].items()}
        changes = [(name, StoredDecision(value)) for name, value in named.items() if value is not None]
        TrustStore(locations.trust_store).record(changes)


def recorded(row: Row) -> dict[str, Any]:
    out = row["out"]
    if "error" in out:
        return {"error": out["error"]}
    after = out["store_after"]
    if not isinstance(after, str):
        after = {name: said for name, said in (after or {}).items() if said is not None}
    return {
        "requires": out["requires"],
        "trusted": out["trusted"],
        "step": out["step"],
        "silent": out["handler_warnings"],
        "store": after,
    }


def ours(locations: Locations, root: Path, given: Row) -> dict[str, Any]:
    user = Layer("user", "", {} if given["default"] is None else {"default-project-trust": given["default"]})
    try:
        decision = project_trust(
            locations, user, override=given["override"], votes=votes(given["handlers"]),
            has_ui=given["ui"] is not None, answer=ANSWERS.get(given["ui"]),
        )  # fmt: skip
    except TrustError as error:
        return {"error": "store_invalid" if str(locations.trust_store) in str(error) else str(error)}
    return {
        "requires": bool(surface(locations, with_digest=False).paths),
        "trusted": decision.trusted,
        "step": STEPS.get(decision.step, decision.step),
        "silent": len(decision.silent),
        "store": store_after(locations, root, given, decision),
    }


def store_after(locations: Locations, root: Path, given: Row, decision: Decision) -> Any:
    store = TrustStore(locations.trust_store)
    if decision.remember:
        store.record(decision.remember)
    if given.get("store_text") is not None:
        return "unchanged_text"
    relative = {Path(name).relative_to(root).as_posix(): said.trusted for name, said in store.read().items()}
    return {"" if name == "." else name: said for name, said in relative.items()}


def votes(handlers: list[str]) -> list[Vote]:
    found = []
    for number, word in enumerate(handlers):
        answer, _, remember = word.partition("_")
        silent = answer in {"throw", "nothing"}
        found.append(Vote(f"/ext{number}.py", None if silent else answer, bool(remember)))
    return found
