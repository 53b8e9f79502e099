"""Local packages through the real commands: what is stored, listed and removed; cases B, H11, M.

Touches: files, processes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.package_cli import PackageCli


def test_a_folder_is_installed_in_place(pi: PackageCli) -> None:
    """The settings name it relative to their own folder; nothing is copied."""
    pi.package("proj/a")
    said = pi.run("install", "./a")
    assert (0, "installed ./a\n", "") == (said.code, said.out, said.err)
    assert ["../proj/a"] == pi.declared()


@pytest.mark.parametrize(
    ("words", "stored"),
    [
        pytest.param(["../pk"], ["../pk"], id="B2"),
        pytest.param(["-l", "./a"], ["../a"], id="B3"),
        pytest.param(["{root}/agent"], ["."], id="B4"),
        pytest.param(["{root}/agent/pkgs/a"], ["./pkgs/a"], id="below the settings"),
        pytest.param(["file://{root}/pk"], ["../pk"], id="file URL"),
    ],
)
def test_what_is_stored(pi: PackageCli, words: list[str], stored: list[str]) -> None:
    """B2-B4: whatever the spelling, the stored path is relative to the settings file's folder."""
    for path in ("pk", "proj/a", "agent", "agent/pkgs/a"):
        pi.package(path)
    words = [word.replace("{root}", str(pi.folder)) for word in words]
    assert 0 == pi.run("install", *words).code
    assert stored == pi.declared(pi.project_settings if "-l" in words else None)


@pytest.mark.parametrize("spelling", ["./a/", "{root}/proj/a", "../proj/a", "a", "./link"])
def test_any_spelling_removes_it(pi: PackageCli, spelling: str) -> None:
    """B5: what a path means counts, not how it is written."""
    pi.package("proj/a")
    (pi.folder / "proj" / "link").symlink_to("a")
    pi.run("install", "./a")
    said = pi.run("remove", spelling.replace("{root}", str(pi.folder)))
    assert (0, []) == (said.code, pi.declared())
    assert "No packages installed.\n" == pi.run("list").out


def test_a_package_that_is_gone_can_be_removed(pi: PackageCli) -> None:
    """Its path leads nowhere any more, its entry is still an entry."""
    folder = pi.package("proj/a")
    pi.run("install", "./a")
    folder.rename(pi.folder / "elsewhere")
    assert "missing" == pi.run("list", "--json").document["observed"][0]["state"]
    assert 0 == pi.run("remove", "./a").code


def test_a_broken_entry_can_be_removed_by_its_text(pi: PackageCli) -> None:
    """What is no source is removed as it is written."""
    pi.write({"agent/settings.toml": 'packages = ["npm:left-pad", "./x"]\n'})
    assert 0 == pi.run("remove", "npm:left-pad").code
    assert ["./x"] == pi.declared()


def test_installing_again_changes_nothing(pi: PackageCli) -> None:
    """An equal entry is not rewritten, and the report says unchanged."""
    pi.package("proj/a")
    pi.run("install", "./a")
    before = pi.user_settings.stat().st_mtime_ns
    assert "./a unchanged\n" == pi.run("install", f"{pi.folder}/proj/a").out.replace(f"{pi.folder}/proj", ".")
    assert before == pi.user_settings.stat().st_mtime_ns


def test_filters_and_comments_survive(pi: PackageCli) -> None:
    """B7: an entry keeps its filters and place, and the file its comments."""
    pi.package("proj/a")
    pi.package("proj/b")
    text = '# mine\npackages = [\n  { source = "../proj/b", extensions = [] },  # off\n]\n'
    pi.write({"agent/settings.toml": text})
    pi.run("install", "./a", "./b")
    assert text.replace("]\n", '  "../proj/a",\n]\n') in {pi.user_settings.read_text(), text + "x"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["./nope"], "there is no {root}/proj/nope. Name a folder, a .py file or a wheel."),
        (["foo"], "For a package of an index write pypi:foo, for a path ./foo."),
        (["npm:left-pad"], "write pypi:left-pad."),
        (["./a", "./a/"], "it names the same package as './a'. Name one of them."),
    ],
)
def test_wrong_sources_are_refused(pi: PackageCli, words: list[str], said: str) -> None:
    """One clear sentence, exit 1; what is right beside it goes in."""
    pi.package("proj/a")
    done = pi.run("install", *words)
    assert 1 == done.code
    assert said.replace("{root}", str(pi.folder)) in done.err
    assert pi.user_settings.exists() == ("./a" in words)


def test_several_go_on_past_a_failing_one(pi: PackageCli) -> None:
    """The others are installed, a table ends the report, exit 1."""
    pi.package("proj/a")
    pi.package("proj/b")
    done = pi.run("install", "./a", "./nope", "./b")
    assert (1, ["../proj/a", "../proj/b"]) == (done.code, pi.declared())
    assert ["  ./a     installed", "  ./nope  refused", "  ./b     installed"] == done.out.splitlines()[-3:]


def test_several_packages_are_one_generation(pi: PackageCli) -> None:
    """What goes together is built together."""
    for name in "abc":
        pi.package(f"proj/{name}")
    pi.run("install", "./a", "./b", "./c")
    names = [path.name for path in pi.locations.user_envs.iterdir() if path.is_dir()]
    assert 1 == len(names)


def test_an_empty_package_is_installed_with_a_warning(pi: PackageCli) -> None:
    """Every message is true: it is declared, and it contributes nothing."""
    (pi.folder / "proj" / "empty").mkdir()
    done = pi.run("install", "./empty")
    assert (0, "installed ./empty\n") == (done.code, done.out)
    assert "offers no extension, skill, prompt or theme" in done.err


def test_one_file_is_a_package(pi: PackageCli) -> None:
    """A `.py` file is one extension."""
    pi.write({"proj/one.py": "def extension(pi): ...\n"})
    pi.run("install", "./one.py")
    (item,) = pi.run("list", "--json").document["observed"]
    assert [str(pi.folder / "proj/one.py")] == [found["path"] for found in item["resources"]["extensions"]]


def test_nothing_runs_code_of_a_package(pi: PackageCli) -> None:
    """Installing, listing and removing never import an extension, nor run its setup.py."""
    trap = f"open({str(pi.folder / 'PWNED')!r}, 'w')\n"
    pi.write({"proj/a/extensions/e.py": trap, "proj/a/setup.py": trap, "proj/a/conftest.py": trap})
    for words in (["install", "./a"], ["list"], ["remove", "./a"]):
        assert 0 == pi.run(*words).code
    assert not (pi.folder / "PWNED").exists()


@pytest.mark.parametrize("words", [["install", "./a"], ["install", "-l", "./a"], ["remove", "./a"], ["list"]])
def test_broken_settings_are_refused_and_kept(pi: PackageCli, words: list[str]) -> None:
    """K11: line and column, exit 1, the file byte for byte as it was."""
    pi.package("proj/a")
    text = "packages = [\n  = 1\n"
    pi.write({"agent/settings.toml": text, "proj/.pi/settings.toml": text})
    approve = ["-a"] if "-l" in words else []
    done = pi.run(*words, *approve)
    assert 1 == done.code
    assert "settings.toml:2:3: not valid TOML: invalid value." in done.err
    assert text == pi.user_settings.read_text() == pi.project_settings.read_text()
    assert "" == done.out


def test_the_rest_of_the_home_is_left_alone(pi: PackageCli) -> None:
    """Everything of ours is in the agent folder; a project without `-l` gets nothing."""
    pi.package("proj/a")
    pi.run("install", "./a")
    pi.run("list")
    assert ([], ["a"]) == (os.listdir(pi.locations.home), os.listdir(pi.folder / "proj"))


def test_a_dry_run_changes_nothing(pi: PackageCli) -> None:
    """It says what would happen; settings, pointer and generations are as before."""
    pi.package("proj/a")
    done = pi.run("install", "./a", "--dry-run")
    assert (0, "would install ./a\n") == (done.code, done.out)
    assert not pi.user_settings.exists()
    assert [".lock"] == os.listdir(pi.locations.user_envs)
    pi.run("install", "./a")
    assert "would remove ./a\n" == pi.run("remove", "./a", "--dry-run").out
    assert ["../proj/a"] == pi.declared()


def test_the_first_entry_of_the_user_counts(pi: PackageCli) -> None:
    """H11: a package that is declared twice is installed once; installing it again says it once."""
    pi.package("proj/a")
    pi.write({"agent/settings.toml": f'packages = ["../proj/a", "{pi.folder}/proj/a"]\n'})
    pi.run("install", "./a")
    assert ["../proj/a"] == pi.declared()


def test_a_wheel_file_is_installed(pi: PackageCli, tmp_path: Path) -> None:
    """A wheel on this machine is unpacked into the generation."""
    from tests.support.wheels import build_wheel

    points = {"pi.extensions": {"w": "wheeled:extension"}}
    wheel = build_wheel(pi.folder / "proj", "wheeled", "1.5", entry_points=points)
    assert f"installed ./{wheel.name} 1.5\n" == pi.run("install", f"./{wheel.name}").out
    (item,) = pi.run("list", "--json").document["observed"]
    assert ("1.5", "ok", 1) == (item["version"], item["state"], len(item["resources"]["extensions"]))
