"""What installers let pass, our own check refuses; the scope stays as it was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from pi_pkg.errors import InstallError
from pi_pkg.install.errors import BrokenGeneration
from pi_pkg.install.host import Host, running_host
from tests.pkg.install.conftest import Scope, local, pypi, with_backends, write_tree
from tests.support.wheels import install_into

LIBRARY = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}"
COMPILED = f"other.{sys.implementation.cache_tag}.pyc"

CASES: Mapping[str, tuple[Mapping[str, str], str]] = {
    "configuration": ({".data/data/pyvenv.cfg": "home = /evil\n", "h.py": ""}, "pyvenv.cfg"),
    "record": ({".data/data/pi-index.json": "{}", "h.py": ""}, "pi-index.json"),
    "marker": ({".data/data/.inuse": "", "h.py": ""}, ".inuse"),
    "interpreter": ({".data/scripts/python": "#!/bin/sh\n", "h.py": ""}, "python"),
    "next-interpreter": ({".data/data/bin/python9": "", "h.py": ""}, "python9"),
    "library": ({f".data/data/{LIBRARY}/json.py": "", "h.py": ""}, "json.py"),
    "standard-module": ({"json.py": ""}, "json"),
    "standard-package": ({"json/__init__.py": ""}, "json"),
    "host-package": ({"pluggy/__init__.py": ""}, "pluggy"),
    "host-module": ({"hostlib.py": ""}, "hostlib"),
    "our-package": ({"hookspecs/__init__.py": ""}, "hookspecs"),
    "compiled": ({f"__pycache__/{COMPILED}": "", "h.py": ""}, COMPILED),
    "start-up-module": ({"sitecustomize.py": ""}, "sitecustomize"),
}


@with_backends(
    "files, word", CASES, pip=["configuration", "interpreter", "host-package", "compiled", "start-up-module"]
)
def test_a_wheel_that_takes_what_is_not_its_own(scope: Scope, files: Mapping[str, str], word: str) -> None:
    """A wheel may touch neither the environment itself nor a module that somebody else provides."""
    scope.index.wheel("hostile", files=files)
    with pytest.raises(InstallError, match=r"hostile|a package") as caught:
        scope.build(pypi("hostile"))
    assert word in caught.value.message
    assert [".lock"] == [path.name for path in scope.folder.iterdir()]


@pytest.mark.parametrize(
    "member", ["../outside.py", "/abs.py", ".data/data/../../../outside", ".data/scripts/../../outside"]
)
def test_a_wheel_that_reaches_out(scope: Scope, tmp_path: Path, member: str) -> None:
    """A path that leads out of the environment is refused or kept inside; nothing appears outside."""
    scope.index.wheel("reacher", files={member: "x", "reacher.py": ""})
    before = {path for path in tmp_path.rglob("*") if scope.folder not in path.parents}
    try:
        found = scope.build(pypi("reacher"))
    except InstallError:
        found = None
    after = {path for path in tmp_path.rglob("*") if scope.folder not in path.parents}
    assert before | {scope.folder} == after
    own = {path.name for path in scope.folder.iterdir()} - {".lock"}
    assert own == ({found.generation} if found else set())
    assert not Path("/abs.py").exists()


CLAIMS: Mapping[str, tuple[str, str]] = {
    "outside": ("../../../../../victim.txt", "outside the environment"),
    "interpreter": ("../../../bin/python", "python, which belongs to the environment"),
    "configuration": ("../../../pyvenv.cfg", "pyvenv.cfg, which belongs to the environment"),
    "record": ("../../../pi-index.json", "pi-index.json, which belongs to the environment"),
    "absolute": ("/etc/hostname", "outside the environment"),
    "library": ("../os.py", "beside the installed modules"),
}


@with_backends("claim, word", CLAIMS, pip=["outside", "configuration", "absolute"])
def test_a_record_that_claims_what_is_not_its_own(
    scope: Scope, tmp_path: Path, claim: str, word: str
) -> None:
    """What a wheel says it owns would be carried over and deleted with it: a false claim is refused, unless
    the installer has struck it out already."""
    victim = tmp_path / "victim.txt"
    victim.touch()
    scope.index.wheel("claimer", claims=[claim])
    try:
        found = scope.build(pypi("claimer"))
    except BrokenGeneration as error:
        told = error.message
    else:
        record = Path(found.site_packages, "claimer-1.0.dist-info", "RECORD").read_text("utf-8")
        told = word if claim not in record else "the claim stands"
    assert word in told
    assert victim.exists()


def test_files_that_a_record_hides_are_seen(scope: Scope) -> None:
    """A wheel that leaves a module of the host out of its RECORD is found out all the same."""
    scope.index.wheel("hider", hidden={"pluggy/__init__.py": "evil = 1\n"})
    with pytest.raises(BrokenGeneration, match=r"hider 1\.0 brings the module pluggy"):
        scope.build(pypi("hider"))


SCRIPTS: Mapping[str, tuple[str, str]] = {
    f"{group}-{name}": (f"{group}_scripts", name)
    for group in ("console", "gui")
    for name in ("python", "python3", "../../python", "../../../outside", "activate", "a\\b")
}


@with_backends("group, name", SCRIPTS, pip=[key for key in SCRIPTS if "console" in key or "outside" in key])
def test_a_script_of_an_odd_name(scope: Scope, tmp_path: Path, group: str, name: str) -> None:
    """A script never takes the place of the interpreter and never stands outside of its folder."""
    scope.index.wheel("scripter", entry_points={group: {name: "scripter:main"}})
    before = {path for path in tmp_path.rglob("*") if scope.folder not in path.parents}
    try:
        found = scope.build(pypi("scripter"))
    except InstallError:
        assert [".lock"] == [path.name for path in scope.folder.iterdir()]
    else:
        assert Path(found.site_packages).parents[2].joinpath("bin", "python").is_symlink()
    after = {path for path in tmp_path.rglob("*") if scope.folder not in path.parents}
    assert before | {scope.folder} == after


@pytest.mark.parametrize(
    "member",
    [
        "a\nb.py",
        "a\x1b[2Jb.py",
        "con.py",
        "a\\..\\..\\evil.py",
        "\u202egnp.py",
        "x" * 250 + ".py",
        "./../x.py",
    ],
    ids=["newline", "escape", "device", "backslash", "direction", "long", "dots"],
)
def test_a_file_of_an_odd_name(scope: Scope, tmp_path: Path, member: str) -> None:
    """A name of a file may be refused or be in the generation, but not outside, and not in a message raw."""
    scope.index.wheel("odd", files={"odd.py": "", member: "x = 1\n"})
    before = {path for path in tmp_path.rglob("*") if scope.folder not in path.parents}
    assert told_by(lambda: scope.build(pypi("odd"))).isprintable()
    after = {path for path in tmp_path.rglob("*") if scope.folder not in path.parents}
    assert before | {scope.folder} == after


@pytest.mark.parametrize("name", ["_pi_guard.pth", "installer.log", "constraints.txt", "tree.dist-info"])
def test_a_wheel_with_names_that_we_use_while_building(scope: Scope, tmp_path: Path, name: str) -> None:
    """It cannot speak for us: what it brings is its own, and none of it runs."""
    ran = tmp_path / "ran"
    scope.index.wheel("mimic", files={"mimic.py": "", name: f"import os; open({str(ran)!r}, 'w')\n"})
    scope.index.wheel("more")
    for roots in ([pypi("mimic")], [pypi("mimic"), pypi("more")]):
        told = told_by(partial(scope.install, *roots))
        assert not told or "mimic" in told
    assert not ran.exists()


def told_by(action: Callable[[], object]) -> str:
    """Why an action was refused; empty if it was not."""
    try:
        action()
    except InstallError as error:
        return error.message
    return ""


def test_two_distributions_that_own_one_file(scope: Scope) -> None:
    """Two wheels with different files of one name would overwrite each other: refused, both named."""
    scope.index.wheel("a", files={"common.py": "A = 1\n"})
    scope.index.wheel("b", files={"common.py": "B = 1\n"})
    with pytest.raises(BrokenGeneration, match=r"a 1\.0 and b 1\.0 both bring common\.py"):
        scope.build(pypi("a"), pypi("b"))


TWINS: Mapping[str, tuple[str, str]] = {
    "package": ("twin.py", "twin/__init__.py"),
    "part": ("twin/a.py", "twin/a/__init__.py"),
    "compiled": ("twin.py", "twin.abi3.so"),
}


@with_backends("one, other", TWINS, pip=["package"])
def test_two_distributions_that_own_one_module(scope: Scope, one: str, other: str) -> None:
    """Two files of which Python imports one and never the other: refused, both named."""
    scope.index.wheel("a", files={one: ""})
    scope.index.wheel("b", files={other: ""})
    with pytest.raises(BrokenGeneration, match=r"a 1\.0 and b 1\.0 both bring the module twin"):
        scope.build(pypi("a"), pypi("b"))


def test_two_distributions_may_share_an_equal_file(scope: Scope) -> None:
    """An equal file, such as an empty `__init__.py` of an old namespace, harms nobody."""
    scope.index.wheel("a", files={"space/__init__.py": "", "space/a.py": ""})
    scope.index.wheel("b", files={"space/__init__.py": "", "space/b.py": ""})
    scope.install(pypi("a"), pypi("b"))
    found = scope.install(pypi("b"))
    assert ["__init__.py", "b.py"] == sorted(
        path.name for path in Path(found.site_packages, "space").glob("*.py")
    )


def test_a_namespace_of_the_host_may_grow(uv_scope: Scope, tmp_path: Path) -> None:
    """A folder without `__init__.py` belongs to nobody: packages add to it, but replace nothing in it."""
    uv_scope.host = host_with(tmp_path / "site-packages", {"space/host_part.py": ""})
    uv_scope.index.wheel("adds", files={"space/new_part.py": ""})
    uv_scope.index.wheel("replaces", files={"space/host_part.py": "evil = 1\n"})
    uv_scope.install(pypi("adds"))
    with pytest.raises(BrokenGeneration, match=r"space/host_part\.py"):
        uv_scope.build(pypi("replaces"))


def host_with(folder: Path, files: Mapping[str, str]) -> Host:
    """An environment with one distribution that holds these files."""
    install_into(folder, "host-part", files=files)
    return running_host([str(folder)])


@pytest.mark.parametrize(
    ("entry", "word"), [("json:main", "Python itself"), ("pluggy.x:main", "environment")]
)
def test_an_entry_point_into_somebody_elses_module(
    uv_scope: Scope, tmp_path: Path, entry: str, word: str
) -> None:
    """An extension that would load a module of the host is refused, not loaded by mistake."""
    uv_scope.index.wheel("pointer", files={"pointer.py": ""}, entry_points={"pi.extensions": {"x": entry}})
    with pytest.raises(BrokenGeneration, match=word):
        uv_scope.build(pypi("pointer"))


def test_two_packages_of_one_module(uv_scope: Scope, tmp_path: Path) -> None:
    """Two packages whose extensions live in a module of one name cannot be told apart at import."""
    project = '[project]\nname = "{0}"\nversion = "1"\n[project.entry-points.pi]\nx = "same"\n'
    one = write_tree(tmp_path / "one", project.format("one"), same="")
    two = write_tree(tmp_path / "two", project.format("two"), same="")
    with pytest.raises(BrokenGeneration, match=r"\./one and \./two both bring the module same"):
        uv_scope.build(local(one), local(two))


def test_code_in_a_path_file_never_runs(scope: Scope, tmp_path: Path) -> None:
    """A `.pth` file with code is told of, carried over, and executed by none of our programs."""
    ran = tmp_path / "ran"
    scope.index.wheel(
        "starter", files={"starter.pth": f"import os; open({str(ran)!r}, 'w')\n", "starter.py": ""}
    )
    scope.index.wheel("more")
    scope.install(pypi("starter"))
    found = scope.install(pypi("starter"), pypi("more"))
    assert not ran.exists()
    assert Path(found.site_packages, "starter.pth").is_file()
    assert [("start-up-file-ignored", "pypi:starter")] == [(note.code, note.source) for note in found.notes]


def test_appended_modules_never_stand_before_the_hosts(scope: Scope) -> None:
    """Litter that many wheels carry is let in, and an interpreter that appends it sees no difference."""
    scope.index.wheel("litter", files={"litter.py": "", "test/__init__.py": "raise SystemExit(9)\n"})
    found = scope.install(pypi("litter"))
    code = f"import sys; sys.path.append({found.site_packages!r}); import test, litter"
    assert 0 == subprocess.run([sys.executable, "-I", "-c", code], check=False).returncode
