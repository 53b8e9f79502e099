"""Building from source runs the package's code: only where the user named the package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_pkg.install.errors import InstallerFailed
from tests.pkg.install.conftest import Scope, local, pypi, write_tree
from tests.support.wheels import build_sdist, source_files


def test_a_named_package_is_built_without_our_secrets(scope: Scope, tmp_path: Path) -> None:
    """With the user's word a source archive is built and installed, and its code sees no keys of ours."""
    build_sdist(scope.index.folder, "srconly", marker=tmp_path / "ran")
    scope.environ = {**scope.environ, "SOME_API_KEY": "sekret"}
    found = scope.install(pypi("srconly"), build=["SrcOnly"])
    assert (("srconly", "1.0"),) == found.distributions
    assert "SOME_API_KEY" not in json.loads((tmp_path / "ran").read_text("utf-8"))


def test_one_name_allows_no_other(scope: Scope, tmp_path: Path) -> None:
    """Naming one package does not let another be built."""
    build_sdist(scope.index.folder, "named", marker=tmp_path / "named-ran")
    build_sdist(scope.index.folder, "other", marker=tmp_path / "other-ran")
    with pytest.raises(Exception, match="other"):
        scope.install(pypi("named"), pypi("other"), build=["named"])
    assert not (tmp_path / "other-ran").exists()


def test_a_tree_that_only_building_can_tell_is_built(uv_scope: Scope, tmp_path: Path) -> None:
    """A tree with dynamic metadata becomes a wheel when the user names it, and is no longer used in place."""
    metadata = "Metadata-Version: 2.1\nName: dyn\nVersion: 4.2\n"
    files = source_files("dyn-4.2", metadata, tmp_path / "ran")
    project = '[project]\nname = "dyn"\ndynamic = ["version"]\n' + files["pyproject.toml"]
    tree = write_tree(tmp_path / "dyn", project, backend=files["backend.py"])
    in_place = uv_scope.install(local(tree))
    assert ["manifest-dynamic"] == [note.code for note in in_place.notes]
    built = uv_scope.install(local(tree), build=["dyn"])
    assert (("dyn", "4.2"),) == built.distributions
    assert ("local", "generation") == (built.packages[0].kind, built.packages[0].provider)


def test_a_build_that_fails_shows_its_output(uv_scope: Scope, tmp_path: Path) -> None:
    """The output of a failed build is kept for the user, and nothing changes."""
    project = '[build-system]\nrequires = []\nbuild-backend = "b"\nbackend-path = ["."]\n'
    tree = write_tree(tmp_path / "bad", project, b="raise RuntimeError('no way')\n")
    with pytest.raises(InstallerFailed, match="bad could not be built") as caught:
        uv_scope.install(local(tree), build=["bad"])
    assert "no way" in (caught.value.detail or "")
    assert [] == [path.name for path in uv_scope.folder.iterdir() if path.name != ".lock"]
