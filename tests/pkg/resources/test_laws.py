"""Laws that hold for every settings: the order, what counts once, how far a delta and an exclusion reach."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_pkg.locations import RESOURCE_TYPES
from pi_pkg.resources.model import ResolvedResources, ResolveInputs, Resource
from pi_pkg.resources.resolve import resolve
from pi_pkg.settings.model import Layer, PackageEntry
from tests.pkg.resources.world import World

PACKAGES = ("pa", "pb", "pc")
FILES = ("extensions/a.py", "extensions/b.py", "extensions/sub/__init__.py", "skills/foo/SKILL.md",
         "skills/bar/SKILL.md", "prompts/p.md", "prompts/q.md", "themes/t.json")  # fmt: skip
EXTENSIONS = FILES[:3]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Three packages, a link to one of them, and files in both scopes' own folders."""
    world = World(tmp_path_factory.mktemp("laws"))
    for root in (*PACKAGES, "agent", "proj/.pi"):
        world.files(*(f"{root}/{name}" for name in FILES))
    world.link("lnk", "pa")
    world.link("agent/prompts/z.md", "pb/prompts/p.md")
    return world


PATTERNS = st.builds(
    str.__add__,
    st.sampled_from(["", "!", "+", "-"]),
    st.sampled_from([*FILES, "a.py", "*.py", "**", "extensions/*", "foo", "skills/*", "{p,q}.md", "none"]),
)  # fmt: skip
FILTERS = st.none() | st.lists(PATTERNS, max_size=3).map(tuple)
ENTRIES = st.builds(
    PackageEntry, st.sampled_from(["../pa", "../pb", "../pc", "../lnk"]), FILTERS, FILTERS, FILTERS, FILTERS,
    st.sampled_from([True, True, False]),
)  # fmt: skip
LISTS = st.lists(PATTERNS | st.sampled_from(["../pa/prompts", "prompts/p.md", "../pb"]), max_size=3).map(
    tuple
)


def layers(scope: str, prefix: str) -> st.SearchStrategy[Layer]:
    """Layers of one scope; `prefix` leads from its folder to where the user's paths start."""
    moved = ENTRIES.map(lambda entry: moved_entry(entry, prefix))
    made = st.lists(moved, max_size=4).map(tuple)
    return st.builds(
        lambda packages, extensions, skills, prompts, themes: Layer(
            scope,  # type: ignore[arg-type] # one of the two
            scope, {}, packages, extensions, skills, prompts, themes,
        ),
        made, LISTS, LISTS, LISTS, LISTS,
    )  # fmt: skip


def moved_entry(entry: PackageEntry, prefix: str) -> PackageEntry:
    return changed(entry, source=prefix + entry.source)


def changed(entry: PackageEntry, **new: object) -> PackageEntry:
    values = {name: getattr(entry, name) for name in PackageEntry.__slots__}
    return PackageEntry(**{**values, **new})


USERS = layers("user", "")
PROJECTS = layers("project", "../")


def placed(world: World, layer: Layer, **new: object) -> Layer:
    """The layer in the place of its scope's file, with other values where given."""
    file = world.locations.user_settings if layer.scope == "user" else world.locations.project_settings
    values = {name: getattr(layer, name) for name in Layer.__slots__}
    return Layer(**{**values, "path": str(file), **new})


def resolved(world: World, user: Layer, project: Layer | None = None) -> ResolvedResources:
    mine = placed(world, user)
    return resolve(ResolveInputs(world.locations, mine, None if project is None else placed(world, project)))


def every(found: ResolvedResources) -> list[Resource]:
    return [item for kind in RESOURCE_TYPES for item in found.of(kind)]


def rank(item: Resource) -> int:
    """The documented place of an origin, told by its provenance."""
    origin = item.provenance
    if origin.origin == "package":
        return {"project": 5, "user": 6}[origin.scope]
    return {("project", "local"): 1, ("project", "auto"): 2, ("user", "local"): 3, ("user", "auto"): 4}[
        origin.scope, origin.source
    ]


@settings(max_examples=60, deadline=None)
@given(user=USERS, project=PROJECTS)
def test_the_order_is_total(world: World, user: Layer, project: Layer) -> None:
    """For any settings the ranks ascend, each real file counts once, and a second run says the same."""
    found = resolved(world, user, project)
    for kind in RESOURCE_TYPES:
        ranks = [rank(item) for item in found.of(kind)]
        assert sorted(ranks) == ranks
        reals = [(world.root / item.path).resolve() for item in found.of(kind)]
        assert len(set(reals)) == len(reals)
    assert found == resolved(world, user, project)


@settings(max_examples=40, deadline=None)
@given(user=USERS, project=PROJECTS, more=ENTRIES)
def test_the_order_is_stable(world: World, user: Layer, project: Layer, more: PackageEntry) -> None:
    """A package that joins at the end of the user's list puts no two others in another order.

    Its own files may have been there by a list, and are its own from then on (I11).
    """
    before = [item.path for item in every(resolved(world, user, project))]
    wider = placed(world, user, packages=(*user.packages, more))
    after = [item.path for item in every(resolved(world, wider, project))]
    own = tuple(str(world.root / name) for name in (more.source[3:], "pa", "lnk"))
    kept = [path for path in before if path in after and not path.startswith(own)]
    assert kept == [path for path in after if path in kept]


@settings(max_examples=40, deadline=None)
@given(user=USERS, project=PROJECTS)
def test_saying_everything_twice_changes_nothing(world: World, user: Layer, project: Layer) -> None:
    """Deduplication is idempotent: settings whose every list is repeated give the same resources."""

    def twice(layer: Layer) -> Layer:
        lists = ("packages", *RESOURCE_TYPES)
        return placed(world, layer, **{name: getattr(layer, name) * 2 for name in lists})

    once = unique_sources(user), unique_sources(project)
    assert every(resolved(world, *once)) == every(resolved(world, *map(twice, once)))


def unique_sources(layer: Layer) -> Layer:
    """One entry a source: of two different ones the order decides, which is another law."""
    entries = {entry.source.replace("lnk", "pa"): entry for entry in layer.packages}
    values = {name: getattr(layer, name) for name in Layer.__slots__}
    return Layer(**{**values, "packages": tuple(entries.values())})


@settings(max_examples=60, deadline=None)
@given(
    entry=ENTRIES.filter(lambda entry: "pa" in entry.source),
    marks=st.lists(st.tuples(st.sampled_from("+-"), st.sampled_from(EXTENSIONS)), max_size=3),
)
def test_a_delta_touches_only_what_it_names(
    world: World, entry: PackageEntry, marks: Sequence[tuple[str, str]]
) -> None:
    """What a project's delta names has its last word and its scope; all the rest is as without it."""
    user = Layer("user", "", {}, (entry, PackageEntry("../pb")))
    patterns = tuple(mark + name for mark, name in marks)
    delta = PackageEntry("../../pa", extensions=patterns, autoload=False)
    without = {item.path: item for item in every(resolved(world, user, Layer("project", "")))}
    found = {item.path: item for item in every(resolved(world, user, Layer("project", "", {}, (delta,))))}
    named = {str(world.root / "pa" / name): mark == "+" for mark, name in marks}
    for path, item in found.items():
        if path in named:
            assert (named[path], "project") == (item.enabled, item.provenance.scope)
        else:
            assert without[path] == item
    assert found.keys() == without.keys() | named.keys()


@settings(max_examples=60, deadline=None)
@given(user=USERS, project=PROJECTS, name=st.sampled_from(FILES), root=st.sampled_from([*PACKAGES, "agent"]))
def test_an_exclusion_is_last_in_its_scope(
    world: World, user: Layer, project: Layer, name: str, root: str
) -> None:
    """What a list excludes is off there, whatever packages and filters say; no other scope feels it."""
    kind, path = name.partition("/")[0], str(world.root / root / name)
    texts = tuple(text for text in getattr(user, kind) if text[0] != "+")
    before = placed(world, user, **{kind: texts})
    after = placed(world, user, **{kind: (*texts, f"-{path}")})
    alone = [item for item in every(resolved(world, after)) if (item.type, item.path) == (kind, path)]
    assert not any(item.enabled for item in alone)
    without, found = (every(resolved(world, layer, project)) for layer in (before, after))
    assert of_project(without) == of_project(found)


def of_project(items: Sequence[Resource]) -> list[Resource]:
    return [item for item in items if item.provenance.scope == "project"]
