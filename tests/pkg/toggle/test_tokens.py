"""Which words mean which resources, and what is said about those that mean none.

Touches: files.
"""

from __future__ import annotations

import pytest

from tests.support.package_cli import PackageCli


@pytest.fixture
def world(pi: PackageCli) -> PackageCli:
    pi.package("pk", "a", "b")
    pi.package("other", "a")
    pi.write(
        {
            "pk/skills/review/SKILL.md": "---\ndescription: x\n---\n",
            "pk/extensions/sub/__init__.py": "",
            "agent/prompts/plan.md": "x\n",
            "agent/settings.toml": 'packages = ["../pk", "../other"]\n',
        }
    )
    return pi


def meant(pi: PackageCli, word: str) -> list[str]:
    """Paths of what a word means, below the world's folder."""
    done = pi.run("config", "--disable", word, "--json").document
    assert done["ok"], done["diagnostics"]
    return [token.partition(f":{pi.folder}/")[2] for token in done["observed"][0]["resources"]]


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("prompts:{}/agent/prompts/plan.md", "agent/prompts/plan.md"),
        ("{}/agent/prompts/plan.md", "agent/prompts/plan.md"),
        ("../agent/prompts/plan.md", "agent/prompts/plan.md"),
        ("prompts:../agent/prompts/plan.md", "agent/prompts/plan.md"),
        ("plan.md", "agent/prompts/plan.md"),
        ("prompts/plan.md", "agent/prompts/plan.md"),
        ("b.py", "pk/extensions/b.py"),
        ("extensions:b.py", "pk/extensions/b.py"),
        ("extensions/sub", "pk/extensions/sub/__init__.py"),
        ("review", "pk/skills/review/SKILL.md"),
        ("skills/review", "pk/skills/review/SKILL.md"),
        ("skills:review", "pk/skills/review/SKILL.md"),
        ("../pk/skills/review", "pk/skills/review/SKILL.md"),
    ],
)
def test_a_resource_is_meant(world: PackageCli, word: str, path: str) -> None:
    """By its token, by a path from here, or by the short name that lists print."""
    assert [path] == meant(world, word.format(world.folder))


@pytest.mark.parametrize("word", ["../other", "local:{}/other", "{}/other", "../other/"])
def test_a_package_is_meant(world: PackageCli, word: str) -> None:
    """By its source as written, by its identity, or by any other spelling of it."""
    assert ["other/extensions/a.py"] == meant(world, word.format(world.folder))


def refusal(pi: PackageCli, *words: str) -> str:
    done = pi.run("config", *words)
    assert (1, "") == (done.code, done.out)
    return done.err


def test_a_name_of_two_things_is_refused(world: PackageCli) -> None:
    """The tokens to choose from are listed."""
    said = refusal(world, "--disable", "extensions/a.py")
    assert "'extensions/a.py' means several resources. Name one of them: extensions:" in said
    assert f"{world.folder}/other/extensions/a.py, extensions:{world.folder}/pk/extensions/a.py." in said


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("revjew", "skills:{}/pk/skills/review/SKILL.md"),
        ("../pkk", "{}/pk/"),
        ("prompts:plan", "prompts:{}/"),
    ],
)
def test_an_unknown_word_is_refused(world: PackageCli, word: str, near: str) -> None:
    """What is likely meant is proposed."""
    said = refusal(world, "--enable", word)
    assert f"{word!r} means no resource and no package. Did you mean " in said
    assert near.format(world.folder) in said


def test_nothing_near_is_no_proposal(world: PackageCli) -> None:
    """A guess is worse than none."""
    said = refusal(world, "--enable", "qqqqqqqq")
    assert "refused qqqqqqqq: 'qqqqqqqq' means no resource and no package.\n" == said
