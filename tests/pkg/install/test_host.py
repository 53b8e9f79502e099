"""The host as the resolver must see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_pkg.install.disk import RealDisk
from pi_pkg.install.host import (
    constraints,
    host_fingerprint,
    module_owner,
    read_distributions,
    running_host,
    write_stubs,
)
from tests.support.wheels import install_into


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site-packages"
    install_into(folder, "One_Thing", "1.0", files={"one/__init__.py": ""}, requires=["absent>=9"])
    install_into(folder, "two", "2.0+local.1", files={"space/two.py": ""}, extras={"more": ["three>=1"]})
    return folder


def test_the_host_is_what_can_be_imported(site: Path, tmp_path: Path) -> None:
    """Every distribution on the path counts once, in import order, by its canonical name."""
    install_into(tmp_path / "second", "two", "9.9")
    found = running_host([str(site), str(tmp_path / "second")])
    assert {"one-thing": "1.0", "two": "2.0+local.1"} == {
        name: item.version for name, item in found.distributions.items()
    }


def test_only_folders_with_distributions_belong_to_the_host(site: Path, tmp_path: Path) -> None:
    """The working folder, relative and missing folders, trees and generations are no part of the host."""
    tree = tmp_path / "tree"
    (tree / "tree.egg-info").mkdir(parents=True)
    generation = tmp_path / "000001-aa"
    install_into(generation / "lib" / "python3" / "site-packages", "three")
    (generation / "pi-index.json").touch()
    paths = [
        "",
        ".",
        str(tmp_path / "absent"),
        str(tree),
        str(site),
        str(site),
        str(generation / "lib" / "python3" / "site-packages"),
    ]
    assert (str(site),) == running_host(paths).paths


def test_odd_remains_are_left_out(site: Path) -> None:
    """What an interrupted installer left behind, and metadata without a name, is no distribution."""
    (site / "~ne-1.0.dist-info").mkdir()
    (site / "empty-1.0.dist-info").mkdir()
    assert {"one-thing", "two"} == {item.name for item in read_distributions([str(site)])}


def test_a_licence_among_the_headers_hides_nothing(tmp_path: Path) -> None:
    """Blank lines and form feeds inside a long header do not end the headers."""
    info = tmp_path / "long-1.0.dist-info"
    info.mkdir()
    head = "Name: long\r\nVersion: 1.0\r\nLicense: one\r\n        \r\n        two\x0c\n  \x0cthree\n"
    text = f"{head}Requires-Dist: a\n\nRequires-Dist: b\n"
    (info / "METADATA").write_bytes(text.encode())
    (found,) = read_distributions([str(tmp_path)])
    assert ("long", "1.0", ("a",)) == (found.name, found.version, found.requires)


def test_a_stub_has_no_requirement_that_always_holds(site: Path, tmp_path: Path) -> None:
    """A broken distribution of the host cannot fail a generation; what its extras need stays."""
    write_stubs(running_host([str(site)]), tmp_path / "gen", RealDisk())
    found = {item.name: item.requires for item in read_distributions([str(tmp_path / "gen")])}
    assert {"one-thing": (), "two": ('three>=1 ; extra == "more"',)} == found


def test_constraints_keep_every_version(site: Path) -> None:
    """Each distribution is held at its version; one that no tool could ask for is left to its stub."""
    install_into(site, "odd", "not-a-version")
    lines = constraints(running_host([str(site)]).distributions.values()).splitlines()
    assert ["one-thing==1.0", "two==2.0+local.1"] == sorted(lines)


def test_the_fingerprint_follows_the_host(site: Path) -> None:
    """Another distribution or version is another host; the order of folders is not."""
    before = host_fingerprint([str(site)])
    assert before == host_fingerprint([str(site), str(site)])
    install_into(site, "three")
    assert before != host_fingerprint([str(site)])


@pytest.mark.parametrize(
    ("module", "owner"),
    [
        ("json", "Python"), ("sys", "Python"), ("sitecustomize", "Python"), ("pi_core", "pi itself"),
        ("one", "environment"), ("space", None), ("unheard_of", None),
    ],
)  # fmt: skip
def test_every_module_has_one_owner(site: Path, module: str, owner: str | None) -> None:
    """The standard library, pi and the environment own their modules; a namespace belongs to nobody."""
    found = module_owner(running_host([str(site)]), module)
    assert (owner is None) == (found is None)
    assert owner is None or owner in (found or "")


def test_the_running_interpreter_is_a_host() -> None:
    """Without a path the interpreter that runs is read, and it has what pi depends on."""
    found = running_host()
    assert {"pluggy", "packaging", "filelock"} <= set(found.distributions)
