"""What docs/models.md shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_core.providers.auth import Credentials
from pi_core.providers.auth_file import AuthFile
from pi_core.providers.models import Provider, parse_models
from pi_core.providers.registry import WIRES, ModelRegistry
from pi_core.providers.values import Values
from pi_core.providers.vendors.building import HOMES
from pi_core.providers.vendors.compat import Compat
from pi_core.testing import Harness

PAGE = Path(__file__).resolve().parents[3] / "docs" / "models.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of a language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def known(name: str) -> Provider:
    """A provider of the examples as it is in effect."""
    (text,) = [text for text in blocks("json") if f'"{name}"' in text]
    credentials = Credentials(AuthFile(), {}, Values({}, no_command))
    found = ModelRegistry(credentials, parse_models(text, name="m")).provider(name)
    assert found is not None
    return found


async def no_command(command: str) -> str | None:
    return None


@pytest.mark.parametrize("text", blocks("json"))
def test_the_files_have_no_mistake(text: str) -> None:
    """Each example of models.json is read without a complaint."""
    assert () == parse_models(text, name="models.json").problems


def test_the_big_example_says_what_it_says() -> None:
    """Its fields arrive where the page says that they count."""
    acme = known("acme")
    (rocket,) = acme.models
    assert ("$ACME_KEY", {"X-Team": "$TEAM"}) == (acme.api_key, acme.headers)
    assert ({"supportsStore": False}, 200_000, 32_000) == (
        rocket.extra["compat"], rocket.context_window, rocket.max_tokens,
    )  # fmt: skip


def test_every_wire_and_every_difference_is_told() -> None:
    """The tables have the wires with their addresses, and every field of compat."""
    for wire in WIRES:
        assert re.search(rf"^\| `{wire}` \|.*`{re.escape(HOMES[wire])}` \|$", TEXT, re.MULTILINE)
    spelled = {re.sub(r"_(.)", lambda match: match[1].upper(), name) for name in Compat.__dataclass_fields__}
    assert spelled == set(re.findall(r"^\| `([a-zA-Z]+)` \|", TEXT.partition("### compat")[2], re.MULTILINE))


@pytest.mark.parametrize("text", blocks("python"))
async def test_the_extensions_load(text: str, tmp_path: Path) -> None:
    """Each example is an extension that loads without a finding."""
    path = tmp_path / "shown.py"
    path.write_text(text, encoding="utf-8")
    async with Harness(path) as harness:
        assert [] == harness.findings
