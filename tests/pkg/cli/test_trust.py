"""`pi trust`: deciding about a project, seeing what was decided, and what became of it.

Touches: files.
"""

from __future__ import annotations

from typing import Any

import pytest

from pi_pkg.trust.record import decide_folder
from pi_pkg.trust.store import TrustStore
from tests.support.package_cli import PackageCli, Said


@pytest.fixture
def clone(pi: PackageCli) -> PackageCli:
    """A project that somebody else wrote."""
    pi.environ["USER"] = "ann"
    pi.write(
        {
            "proj/.pi/settings.toml": 'theme = "x"\n',
            "proj/.pi/extensions/a.py": "def extension(pi): ...\n",
            "other/.pi/prompts/p.md": "hello\n",
        }
    )
    return pi


def decisions(pi: PackageCli) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pi.run("trust", "--json").document["observed"]
    return found


def trusted(pi: PackageCli) -> bool:
    return pi.manager().trust().trusted


def lines(said: Said) -> list[str]:
    return said.out.splitlines()


def test_nobody_decided_yet(clone: PackageCli) -> None:
    """The project is shown with what needs trust and what holds meanwhile."""
    found = lines(clone.run("trust"))
    folder = clone.locations.project_dir
    assert [
        f"{folder}: not trusted: nobody decided, and default-project-trust is ask",
        "  .pi/extensions",
        "  .pi/settings.toml",
        "No decisions.",
    ] == found


def test_allowing_is_about_the_content(clone: PackageCli) -> None:
    """By default trust is for the files as they are, and says who, when and how."""
    done = clone.run("trust", "allow")
    assert (0, f"trusted {clone.locations.project_dir}, its files as they are now") == (
        done.code,
        lines(done)[0],
    )
    (decision,) = decisions(clone)
    kept = {key: decision[key] for key in ("trusted", "about", "match", "by", "how", "changes")}
    assert kept == {
        "trusted": True, "about": "content", "match": "same", "by": "ann", "how": "pi trust", "changes": [],
    }  # fmt: skip
    assert decision["when"].endswith("+00:00")
    assert trusted(clone)


def test_changed_content_is_shown_and_asked_about(clone: PackageCli) -> None:
    """What is new, gone or other is named by everything that reads the project."""
    clone.run("trust", "allow")
    clone.write({"proj/.pi/settings.toml": 'theme = "y"\n', "proj/.pi/extensions/new/b.py": ""})
    (clone.locations.project_config_dir / "extensions" / "a.py").unlink()
    expected = ["- .pi/extensions/a.py", "+ .pi/extensions/new/", "~ .pi/settings.toml"]
    assert not trusted(clone)
    (decision,) = decisions(clone)
    assert ("changed", expected) == (decision["match"], decision["changes"])
    (finding,) = clone.run("list", "--json").document["diagnostics"]
    assert ("project-changed", expected) == (finding["code"], finding["detail"].splitlines())


def test_allowing_again_shows_what_is_new(clone: PackageCli) -> None:
    """The second time, the difference to the first is what counts."""
    clone.run("trust", "allow")
    clone.write({"proj/.pi/settings.toml": 'theme = "y"\n'})
    said = lines(clone.run("trust", "allow"))
    assert ["  changed since it was trusted before:", "    ~ .pi/settings.toml"] == said[-2:]
    assert trusted(clone)


def test_a_folder_is_trusted_whatever_it_will_hold(clone: PackageCli) -> None:
    """`--folder` outlives every change, and reaches the folders below."""
    done = clone.run("trust", "allow", "..", "--folder")
    assert f"trusted {clone.folder}, whatever it will hold\n" == done.out
    clone.write({"proj/.pi/settings.toml": 'theme = "y"\n'})
    assert trusted(clone)


def test_denying_beats_a_trusted_parent(clone: PackageCli) -> None:
    """L4: the nearest decision counts."""
    clone.run("trust", "allow", "..", "--folder")
    assert 0 == clone.run("trust", "deny").code
    assert not trusted(clone)


def test_forgetting_brings_back_what_holds_above(clone: PackageCli) -> None:
    """L5: without a decision of its own a folder follows the next one."""
    clone.run("trust", "allow", "..", "--folder")
    clone.run("trust", "deny")
    done = clone.run("trust", "forget")
    said = f"forgotten {clone.locations.project_dir}; the decision about {clone.folder} counts now\n"
    assert said == done.out
    assert trusted(clone)


def test_what_was_not_decided_is_not_forgotten(clone: PackageCli) -> None:
    """It says so, and names the decision that holds instead."""
    clone.run("trust", "allow", "..", "--folder")
    done = clone.run("trust", "forget")
    assert (1, True) == (done.code, f"What counts is the decision about {clone.folder}." in done.err)


def test_another_project_is_named_by_its_folder(clone: PackageCli) -> None:
    """A path counts from the working folder."""
    clone.run("trust", "allow", "../other")
    assert not trusted(clone)
    assert [str(clone.folder / "other")] == [item["folder"] for item in decisions(clone)]
    assert "content, unchanged, ann" in clone.run("trust", "list", "../other").out


def test_a_folder_that_is_gone_is_shown_and_forgotten(clone: PackageCli) -> None:
    """Entries do not stay for ever."""
    clone.run("trust", "deny", "../other")
    (clone.folder / "other").rename(clone.folder / "moved")
    assert ["missing"] == [item["match"] for item in decisions(clone)]
    assert 0 == clone.run("trust", "forget", "../other").code
    assert [] == decisions(clone)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("allow", "../nowhere"), "there is no such folder"),
        (("allow", "../home"), "it is no project"),
        (("deny", "../home"), "it is no project"),
        (
            ("allow", "../empty"),
            "it holds nothing that needs trust. Trust whatever it will hold with --folder.",
        ),
    ],
)
def test_what_cannot_be_decided(clone: PackageCli, words: tuple[str, ...], said: str) -> None:
    """A refusal names the folder and the reason, and stores nothing."""
    (clone.folder / "empty").mkdir()
    done = clone.run("trust", *words)
    assert (1, True) == (done.code, said in done.err)
    assert [] == decisions(clone)


@pytest.mark.parametrize(
    "words", [("permit",), ("allow", "a", "b"), ("list", "--folder"), ("forget", "--folder"), ("--bogus",)]
)
def test_wrong_usage(clone: PackageCli, words: tuple[str, ...]) -> None:
    """M1: exit 2, and nothing on standard output."""
    done = clone.run("trust", *words)
    assert (2, "") == (done.code, done.out)


def test_a_bare_answer_in_the_store_is_shown_as_such(clone: PackageCli) -> None:
    """TRUST 71: an entry that no command of ours made is told from those that one did."""
    clone.write({"agent/trust.toml": f'"{clone.locations.project_dir}" = true\n'})
    (decision,) = decisions(clone)
    assert ("by hand", "") == (decision["how"], decision["by"])
    assert "trusted, folder, by hand" in clone.run("trust").out


def test_a_malformed_store_is_an_error(clone: PackageCli) -> None:
    """L13: it names the file, and nothing is written over it."""
    clone.write({"agent/trust.toml": "{bad"})
    for words in (["list"], ["allow"], ["deny"], ["forget"]):
        done = clone.run("trust", *words)
        assert (1, True) == (done.code, "trust.toml:1:1: not valid TOML" in done.err)
    assert "{bad" == clone.locations.trust_store.read_text()


def test_the_default_is_shown(clone: PackageCli) -> None:
    """Whoever set `default-project-trust` sees where it decides."""
    clone.write({"agent/settings.toml": 'default-project-trust = "always"\n'})
    assert "trusted by default-project-trust" in clone.run("trust").out


def test_a_decision_is_one_change_of_the_store(clone: PackageCli) -> None:
    """Comments and other decisions stay."""
    clone.write({"agent/trust.toml": '# mine\n"/x" = false  # why\n'})
    decide_folder(clone.locations, True, by="ann", how="test")
    assert clone.locations.trust_store.read_text().startswith('# mine\n"/x" = false  # why\n')
    assert 2 == len(TrustStore(clone.locations.trust_store).read())
