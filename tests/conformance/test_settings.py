"""Settings against the recorded reference: the merged view, and series of changes with others writing too.

JSON becomes TOML, setting names of the top level become kebab-case. The reference queues its changes and
keeps a view in memory; ours writes at once and reads the file, so a `set` is an edit and the view is what
the files say. A row is listed by its id where that, or TOML itself, gives another result.

Touches: files.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from pi_pkg.errors import SettingsError
from pi_pkg.locations import Locations
from pi_pkg.settings.edit import set_value, unset_value
from pi_pkg.settings.store import read_settings, settings_store
from tests.conformance.host_rows import Row, hold, row_id, rows_of

SCOPES = {"user": "global", "project": "project"}


class Files:
    """The two settings files of a row, and whether the project's may be read."""

    def __init__(self, folder: Path, row: Row) -> None:
        self.locations = Locations(folder / "agent", folder / "proj", folder / "home")
        self.trusted: bool = row["in"]["trusted"]
        self.paths = {"user": self.locations.user_settings, "project": self.locations.project_settings}
        for scope, path in self.paths.items():
            if row["in"][scope] is not None:
                self.put(path, row["in"][scope])

    def put(self, path: Path, recorded: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_toml(recorded), encoding="utf-8")

    def view(self) -> dict[str, Any]:
        return dict(read_settings(self.locations, trusted=self.trusted).effective)

    def errors(self) -> list[str]:
        settings = read_settings(self.locations, trusted=self.trusted)
        return [SCOPES[layer.scope] for layer in reversed(list(settings.layers())) if layer.error]

    def said(self, scope: str) -> Any:
        path = self.paths[scope]
        if not path.exists():
            return None
        text = path.read_text(encoding="utf-8")
        try:
            return plain(tomlkit.parse(text).unwrap())
        except ValueError:
            return text

    def change(self, op: dict[str, Any]) -> str:
        scope, _, path = op["path"].rpartition(":")
        if scope == "project" and not self.trusted:
            return "project_untrusted"
        keys = [kebab(key) if not number else key for number, key in enumerate(path.split("."))]
        try:
            settings_store(self.locations, "project" if scope else "user").edit(
                lambda document: (
                    unset_value(document, keys) if "unset" in op else set_value(document, keys, op["value"])
                )
            )
        except SettingsError:
            return "refused"
        return "ok"


def kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def as_toml(recorded: str) -> str:
    """The same document in TOML; what is no JSON object stays as it is, and is no TOML either."""
    try:
        document = json.loads(recorded.removeprefix("\ufeff"))
    except ValueError:
        return recorded
    if not isinstance(document, dict):
        return recorded
    bom = "\ufeff" if recorded.startswith("\ufeff") else ""
    return bom + tomlkit.dumps(
        {kebab(key): without_null(value) for key, value in document.items() if value is not None}
    )


def without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_null(item) for key, item in value.items() if item is not None}
    return [without_null(item) for item in value] if isinstance(value, list) else value


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def translated(value: Any) -> Any:
    """A recorded document in our spelling; an empty value (null) is no value in TOML."""
    if not isinstance(value, dict):
        return value
    return {kebab(key): without_null(item) for key, item in value.items() if item is not None}


@pytest.mark.parametrize("row", rows_of("settings", "merge"), ids=row_id)
def test_layers_merge_as_recorded(row: Row, tmp_path: Path) -> None:
    """Tables merge at every depth, the rest is replaced, an unreadable file leaves the other in force."""
    files = Files(tmp_path, row)
    expected = {"effective": translated(row["out"]["effective"]), "errors": row["out"]["errors"]}
    hold("settings", row, expected, {"effective": files.view(), "errors": files.errors()})


@pytest.mark.parametrize("row", rows_of("settings", "series"), ids=row_id)
def test_changes_are_written_as_recorded(row: Row, tmp_path: Path) -> None:
    """A change touches its own key; what others write meanwhile stays."""
    files = Files(tmp_path, row)
    steps: list[Any] = []
    for op in row["in"]["ops"]:
        match op["op"]:
            case "set":
                steps.append(files.change(op))
            case "external" | "external_project":
                files.put(files.paths["project" if op["op"].endswith("project") else "user"], op["text"])
            case "flush":
                steps.append({"errors": []})
            case "reload":
                steps.append({"errors": files.errors(), "effective": files.view()})
    hold("settings", row, recorded_series(row["out"]), series(files, steps))


def recorded_series(out: Row) -> dict[str, Any]:
    steps = [
        {**step, "effective": translated(step["effective"])} if "effective" in step else step
        for step in out["steps"]
    ]
    named = {scope: out[f"{scope}_file"] for scope in SCOPES}
    return {"steps": steps, **{scope: recorded_file(text) for scope, text in named.items()}}


def recorded_file(text: str | None) -> Any:
    try:
        return None if text is None else translated(json.loads(text.removeprefix("\ufeff")))
    except ValueError:
        return text


def series(files: Files, steps: list[Any]) -> dict[str, Any]:
    return {"steps": steps, **{scope: files.said(scope) for scope in SCOPES}}
