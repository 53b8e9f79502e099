"""Real wheels through the real commands: `pi.toml` inside the import package speaks for them.

Touches: files, processes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.package_cli import PackageCli
from tests.support.wheels import build_wheel

CODE = "raise AssertionError('imported')\n"
FILES = {
    "acme/bundle/__init__.py": CODE,
    "acme/bundle/ext/a.py": CODE,
    "acme/bundle/ext/old.py": CODE,
    "acme/bundle/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\n",
    "acme/bundle/prompts/p.md": "text\n",
    "acme/bundle/prompts/q.txt": "text\n",
}
MANIFEST = """\
extensions = ["ext", "!ext/old.py"]
skills = ["skills"]
prompts = ["prompts/{p,q}*.md"]
"""


@pytest.fixture
def installed(pi: PackageCli, request: pytest.FixtureRequest) -> dict[str, Any]:
    """The listed item of a bundle below a namespace, whose manifest ends with the parameter."""
    files = {**FILES, "acme/bundle/pi.toml": MANIFEST + getattr(request, "param", "")}
    wheel = build_wheel(pi.folder / "proj", "bundle", files=files, entry_points={"pi": {"b": "acme.bundle"}})
    done = pi.run("install", f"./{wheel.name}", "--json")
    assert 0 == done.code
    (item,) = pi.run("list", "--json").document["observed"]
    assert isinstance(item, dict)
    return {**item, "installed": done.document}


def test_a_wheel_is_read_by_its_own_manifest(installed: dict[str, Any]) -> None:
    """Its lists, globs and exclusions count as in a tree; the namespace needs no `__init__.py`."""
    found = {
        kind: [Path(item["path"]).name for item in items] for kind, items in installed["resources"].items()
    }
    assert {"extensions": ["a.py"], "skills": ["SKILL.md"], "prompts": ["p.md"], "themes": []} == found
    assert "ok" == installed["state"]


@pytest.mark.parametrize("installed", ['requires-host = ">=99"\n'], indirect=True)
def test_a_wheel_for_another_host_is_incompatible(pi: PackageCli, installed: dict[str, Any]) -> None:
    """It is listed as such, nothing of it is on, and both versions are named; the install says so, too."""
    assert "incompatible" == installed["state"]
    assert not any(item["enabled"] for items in installed["resources"].values() for item in items)
    for document in (installed["installed"], pi.run("list", "--json").document):
        (finding,) = (one for one in document["diagnostics"] if one["code"] == "host-incompatible")
        assert "requires pi >=99, this is pi 1.6.0" in finding["message"]
