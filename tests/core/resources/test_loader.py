"""Which extensions load, when, and in which order they count."""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from pathlib import Path

import pytest

from pi_core.api import ExtensionAPI
from pi_core.errors import ExtensionLoadError, GuardLostError
from pi_core.resources.import_path import ImportPath
from pi_core.resources.loader import ResourceLoader, ResourceRequest, Resources
from pi_pkg import Locations, TrustError


class Place:
    """A user's folder and a project, with extensions that note when their factory runs."""

    def __init__(self, folder: Path) -> None:
        self.locations = Locations(folder / "agent", folder / "project", folder)
        self.log = folder / "log.txt"
        (folder / "project").mkdir()

    def extension(self, path: Path, name: str, more: str = "") -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        note = f"with open({str(self.log)!r}, 'a') as log: log.write({name!r} + '\\n')"
        path.write_text(f"def extension(pi):\n    {note}\n{more}", encoding="utf-8")
        return path

    def user(self, name: str, more: str = "") -> Path:
        return self.extension(self.locations.agent_dir / "extensions" / f"{name}.py", name, more)

    def project(self, name: str) -> Path:
        return self.extension(self.locations.project_config_dir / "extensions" / f"{name}.py", name)

    def loaded(self) -> list[str]:
        """Names in the order in which the factories ran."""
        return self.log.read_text(encoding="utf-8").split() if self.log.exists() else []

    async def load(self, request: ResourceRequest | None = None) -> Resources:
        environ = {"PI_OFFLINE": "1"}
        return await ResourceLoader(self.locations, request or ResourceRequest(), environ=environ).load()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def names(resources: Resources) -> list[str]:
    return [Path(extension.path).stem for extension in resources.extensions]


TRUSTS = '    pi.on("project_trust", lambda event, ctx: {"trusted": "yes"%s})\n'


async def test_a_trusted_project_loads_last_and_counts_early(place: Place) -> None:
    """F06: user, inline and command line load first; by rank the project stands before the user."""
    place.user("user", TRUSTS % "")
    place.project("project")
    cli = place.extension(place.locations.project_dir / "cli.py", "cli")

    def inline(pi: ExtensionAPI) -> None:
        place.log.write_text(place.log.read_text(encoding="utf-8") + "inline\n", encoding="utf-8")

    found = await place.load(ResourceRequest(sources=(str(cli),), inline=(inline,)))
    assert ["cli", "user", "inline", "project"] == place.loaded()
    assert ["cli", "project", "user", "<inline:1>"] == names(found)


async def test_an_untrusted_project_is_absent(place: Place) -> None:
    """F07: neither its extensions nor its settings; one notice says how to approve."""
    place.user("user")
    place.project("project")
    found = await place.load()
    assert (["user"], False, None) == (names(found), found.trusted, found.settings.project)
    assert ["project-not-trusted"] == [item.code for item in found.diagnostics if item.stage == "trust"]


async def test_the_ranks(place: Place) -> None:
    """F08: command line, project settings, project folder, user settings, user folder."""
    place.user("userauto")
    place.project("projectauto")
    for scope, folder in (
        ("user", place.locations.agent_dir),
        ("project", place.locations.project_config_dir),
    ):
        place.extension(folder / "own" / f"{scope}settings.py", scope)
        settings = folder / "settings.toml"
        settings.write_text(f'extensions = ["own/{scope}settings.py"]\n', encoding="utf-8")
    cli = place.extension(place.locations.project_dir / "cli.py", "cli")
    found = await place.load(ResourceRequest(sources=(str(cli),), approve=True))
    assert ["cli", "projectsettings", "projectauto", "usersettings", "userauto"] == names(found)


async def test_a_remembered_verdict_is_stored(place: Place) -> None:
    """An extension that says yes and remember: the next run needs no answer."""
    voter = place.user("user", TRUSTS % ', "remember": True')
    place.project("project")
    await place.load()
    voter.unlink()
    assert True is (await place.load()).trusted


async def test_failed_extensions_are_not_tried_again(place: Place) -> None:
    """A factory runs once, whether it succeeds or fails, however many passes there are."""
    place.user("bad", "    raise RuntimeError('no')\n")
    place.project("project")
    found = await place.load(ResourceRequest(approve=True))
    assert ["bad", "project"] == place.loaded()
    assert ["extension-factory-failed"] == [
        item.code for item in found.diagnostics if item.severity == "error"
    ]


@pytest.mark.parametrize("source", ["gone.py", "pypi:not-installed", "empty", "bad.py"])
async def test_a_source_of_the_request_must_load(place: Place, source: str) -> None:
    """What is missing, not installed, empty or broken is an error that names it."""
    (place.locations.project_dir / "empty").mkdir()
    place.extension(place.locations.project_dir / "bad.py", "bad", "    raise RuntimeError('no')\n")
    text = source if source.startswith("pypi:") else f"./{source}"
    with pytest.raises(ExtensionLoadError, match=source.removeprefix("pypi:")):
        await place.load(ResourceRequest(sources=(text,)))


async def test_a_lost_guard_stops_the_start(place: Place) -> None:
    """Content that was trusted with a guard has changed: nothing starts, and no project file is run."""
    place.project("project")
    store = place.locations.trust_store
    store.parent.mkdir(parents=True)
    store.write_text(
        f'["{place.locations.project_dir.resolve()}"]\ntrusted = true\ndigest = "sha256:0"\nguard = true\n',
        encoding="utf-8",
    )
    with pytest.raises(GuardLostError):
        await place.load()
    assert [] == place.loaded()


async def test_a_broken_trust_store_is_an_error_unless_the_run_decides(place: Place) -> None:
    """The error names the file; --approve does not look at it."""
    place.project("project")
    store = place.locations.trust_store
    store.parent.mkdir(parents=True)
    store.write_text("= nothing", encoding="utf-8")
    with pytest.raises(TrustError, match=r"trust\.toml"):
        await place.load()
    assert True is (await place.load(ResourceRequest(approve=True))).trusted


async def test_broken_settings_are_told_and_the_rest_starts(place: Place) -> None:
    """An unreadable settings file is a finding; extensions of the folders load."""
    place.user("user")
    place.locations.user_settings.write_text("= nothing", encoding="utf-8")
    found = await place.load()
    assert ["user"] == names(found)
    assert any(
        str(place.locations.user_settings) in (item.path or item.message) for item in found.diagnostics
    )


async def test_the_project_may_bring_prompts_and_themes_only_if_trusted(place: Place) -> None:
    """Skills, templates and themes of the project follow its extensions' fate."""
    for kind, name in (("prompts", "p.md"), ("skills", "s.md"), ("themes", "t.json")):
        path = place.locations.project_config_dir / kind / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}", encoding="utf-8")
    counts = [
        [len(found.skills), len(found.prompts), len(found.themes)]
        for found in (await place.load(), await place.load(ResourceRequest(approve=True)))
    ]
    assert [[0, 0, 0], [1, 1, 1]] == counts


@pytest.fixture
def kept_path() -> Iterator[None]:
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.mark.usefixtures("kept_path")
def test_import_folders_stand_at_the_end_in_order() -> None:
    """Never in front; a second setting reorders ours and leaves everybody else's alone."""
    before = list(sys.path)
    path = ImportPath()
    path.set(["/user"])
    path.set(["/project", "/user", before[-1]])
    assert [*before, "/project", "/user"] == sys.path


def forged(source: Path, name: str) -> None:
    """Bytecode that claims to be of a source file, and notes another name."""
    other = source.read_text(encoding="utf-8").replace(repr(source.stem), repr(name))
    head = MAGIC_NUMBER + (3).to_bytes(4, "little") + source_hash(source.read_bytes())
    place = Path(cache_from_source(str(source)))
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(head + marshal.dumps(compile(other, str(source), "exec")))


@pytest.mark.usefixtures("kept_path")
async def test_bytecode_of_a_project_is_never_loaded(place: Place) -> None:
    """What was trusted is source: bytecode beside it, however it is stamped, is neither read nor written."""
    alone = place.project("alone")
    sibling = place.extension(place.locations.project_config_dir / "extensions" / "pk" / "part.py", "part")
    head = sibling.with_name("__init__.py")
    head.write_text("from .part import extension\n", encoding="utf-8")
    package = place.extension(place.locations.project_dir / "tree" / "src" / "acme_tree.py", "acme_tree")
    other = place.extension(package.with_name("acme_beside.py"), "acme_beside")
    package.write_text("import acme_beside\nextension = acme_beside.extension\n", encoding="utf-8")
    (place.locations.project_dir / "tree" / "pyproject.toml").write_text(
        '[project]\nname = "t"\nversion = "1"\n[project.entry-points."pi.extensions"]\n'
        't = "acme_tree:extension"\n',
        encoding="utf-8",
    )
    place.locations.project_settings.write_text('packages = ["../tree"]\n', encoding="utf-8")
    for file in (alone, sibling, other):
        forged(file, "evil")
    try:
        await place.load(ResourceRequest(approve=True))
    finally:
        for name in ("acme_tree", "acme_beside"):
            sys.modules.pop(name, None)
    assert {"alone", "part", "acme_beside"} == set(place.loaded())
    assert not list(place.locations.project_dir.rglob("__init__.*.pyc"))
