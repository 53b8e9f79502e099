"""Settings of any content: every command says what is wrong and never ends in a traceback.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomlkit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_pkg.settings.keys import KEYS
from tests.support.package_cli import PackageCli, package_cli

names = st.sampled_from(
    ["packages", "source", "autoload", *sorted({step for key in KEYS for step in key.path.split(".")}), "x"]
)
texts = st.sampled_from(
    [
        "",
        "x",
        "a.py",
        "../pk",
        "!**",
        "-a",
        "+b",
        "{a,b",
        "[",
        "~",
        "~x",
        "file:///x",  # the root itself would be the machine's own disk
        "file://[",
        "git:",
        "\\",
    ]
) | st.text(st.characters(exclude_characters="/"), max_size=8)
values = st.recursive(
    st.integers() | st.booleans() | st.floats() | st.dates() | st.datetimes() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
documents = st.dictionaries(names, values, max_size=6)
COMMANDS = (["list"], ["config"], ["trust"], ["config", "--disable", "a.py"], ["remove", "x"])
few = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],  # a busy machine is
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> PackageCli:
    pi = package_cli(tmp_path_factory.mktemp("fuzz"))
    pi.package("pk", "a")
    pi.write({"proj/.pi/settings.toml": "", "agent/settings.toml": ""})
    return pi


def check(pi: PackageCli, path: Path, data: bytes) -> None:
    """Every command ends with an exit code; reading leaves the bytes alone; each line of trouble is whole."""
    path.write_bytes(data)
    for words in COMMANDS:
        done = pi.run(*words, "-a", *(["--json"] if words[0] != "trust" else []))
        assert done.code in {0, 1}
        if words in (["list"], ["config"], ["trust"]):
            assert data == path.read_bytes()
        if words[0] != "trust":
            assert all(finding["message"].endswith(".") for finding in done.document["diagnostics"])
        path.write_bytes(data)


@few
@given(documents, st.booleans())
def test_documents_of_any_content(world: PackageCli, document: dict[str, Any], project: bool) -> None:
    """Whatever the types, in the user's file and in the project's."""
    world.write({"proj/.pi/settings.toml": "", "agent/settings.toml": ""})
    path = world.project_settings if project else world.user_settings
    check(world, path, tomlkit.dumps(document).encode("utf-8", "surrogatepass"))


@few
@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_bytes_of_any_kind(world: PackageCli, data: bytes) -> None:
    """What is no TOML, or no text, is refused with its place."""
    world.write({"proj/.pi/settings.toml": "", "agent/settings.toml": ""})
    check(world, world.user_settings, data)


@few
@given(st.binary(max_size=40) | documents.map(lambda found: tomlkit.dumps(found).encode()))
def test_trust_stores_of_any_kind(world: PackageCli, data: bytes) -> None:
    """A store that holds something else is an error that names it; an approval works all the same."""
    world.write({"proj/.pi/settings.toml": "", "agent/settings.toml": ""})
    world.locations.trust_store.write_bytes(data)
    for words in (["trust", "list"], ["list"], ["config", "--json"]):
        assert world.run(*words).code in {0, 1}
    assert 0 == world.run("list", "-a").code
    assert data == world.locations.trust_store.read_bytes()
    world.locations.trust_store.unlink()
