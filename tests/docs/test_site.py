"""The pages make one site: every page is in it, links lead somewhere, nothing is fetched from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hookspecs.context import CommandContext
from pi_core.api import ExtensionAPI
from tests.docs.test_names import PAGES, ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """MkDocs in strict mode: pages, links between them, and anchors."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path / "site")],
        cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    pages = list((tmp_path / "site").rglob("*.html"))
    fetched = (
        r"""<(?:script|img|iframe)[^>]*src=["']?(https?:[^"' >]+)|<link[^>]*href=["']?(https?:[^"' >]+)"""
    )
    assert not {found for page in pages for found in re.findall(fetched, page.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_files_lead_to_files(path: Path) -> None:
    """Also those of the README, which is no part of the site."""
    links = (link.partition("#")[0] for link in LINK.findall(path.read_text(encoding="utf-8")))
    here = [link for link in links if link and not link.startswith(("https:", "http:"))]
    assert [] == [link for link in here if not (path.parent / link).exists()]


def test_the_readme_leads_to_every_page() -> None:
    """Directly; the first page of the site is there only for the site."""
    linked = {
        link.partition("#")[0] for link in LINK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    }
    pages = {str(path.relative_to(ROOT)) for path in PAGES if path.parent.name in {"docs", "reference"}}
    assert pages - linked - {"docs/index.md"} == set()


def test_the_names_of_the_migration_exist() -> None:
    """What stands in the column of Python is what authors and handlers are given."""
    text = (ROOT / "docs" / "migration.md").read_text(encoding="utf-8")
    table = text.partition("| TypeScript | here |")[2].partition("\n## ")[0]
    right = "\n".join(row.rpartition(" | ")[2] for row in table.splitlines())
    for name in re.findall(r"\bpi\.([a-z_]+)", right):
        assert hasattr(ExtensionAPI, name) or name in ExtensionAPI.__annotations__
    for name in re.findall(r"\bctx\.([a-z_]+)", right):
        assert any(name in vars(base) for base in CommandContext.__mro__)
