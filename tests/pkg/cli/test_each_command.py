"""What every package command has: help with an example, one JSON document, and progress that is no noise.

Touches: files, processes, network (loopback only).
"""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest

from pi_pkg.cli.parser import canonical
from pi_pkg.cli.progress import LiveProgress, PlainProgress, progress_on
from pi_pkg.cli.registry import COMMANDS
from pi_pkg.install.progress import Step
from tests.support.package_cli import PackageCli

NAMES = sorted({canonical(word) for word in COMMANDS})


@pytest.mark.parametrize("name", NAMES)
def test_help_ends_with_an_example(pi: PackageCli, name: str) -> None:
    """Whoever asks how to type a command sees it typed."""
    said = pi.run(name, "-h")
    assert (0, "") == (said.code, said.err)
    assert f"\n  pi {name}" in said.out.partition("examples:")[2]


@pytest.mark.parametrize("name", NAMES)
def test_help_has_a_short_usage_and_a_sentence(pi: PackageCli, name: str) -> None:
    """Flags are listed with what they do."""
    said = pi.run(name, "--help").out
    assert said.startswith(f"usage: pi {name} ")
    assert "--json" in said


@pytest.mark.parametrize(
    "words",
    [
        ["install", "./a"], ["remove", "./a"], ["list"], ["update"], ["update", "--check"], ["sync"],
        ["rollback", "--list"], ["update", "--offline"], ["sync", "--dry-run"], ["config"], ["trust"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_json_is_one_document(pi: PackageCli, words: list[str]) -> None:
    """Four keys, the command's own name, nothing beside it on either stream."""
    pi.package("proj/a")
    pi.run("install", "./a")
    done = pi.run(*words, "--json")
    assert ({"command", "ok", "observed", "diagnostics"}, words[0]) == (
        set(done.document),
        done.document["command"],
    )
    assert (done.code == 0, "") == (done.document["ok"], done.err)


@pytest.mark.parametrize(
    "words", [["update", "zzz"], ["rollback"], ["rollback", "9"], ["remove", "zzz"], ["install", "-r", "no"]]
)
def test_a_failure_is_a_document_too(pi: PackageCli, words: list[str]) -> None:
    """Exit 1, not ok, and the reason among the diagnostics."""
    done = pi.run(*words, "--json")
    assert (1, False, "error") == (
        done.code,
        done.document["ok"],
        done.document["diagnostics"][0]["severity"],
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["update", "--all", "x"], "unrecognized arguments: --all"),
        (["update", "--build"], "expected one argument"),
        (["update", "-l", "--user"], "not allowed with argument"),
        (["sync", "x"], "unrecognized arguments: x"),
        (["rollback", "1", "2"], "unrecognized arguments: 2"),
        (["install", "-r"], "expected one argument"),
    ],
)
def test_wrong_usage_ends_with_2(pi: PackageCli, words: list[str], said: str) -> None:
    """M1: the mistake is named and the accepted form is shown."""
    done = pi.run(*words)
    assert (2, "", True) == (done.code, done.out, said in done.err)
    assert f"usage: pi {words[0]} " in done.err


def test_pi_itself_is_not_updated(pi: PackageCli) -> None:
    """A bare update is about packages; the words of other programs for themselves are unknown sources."""
    assert "examined 0 packages\n" == pi.run("update").out
    assert 1 == pi.run("update", "self").code
    assert "pi itself is\nupdated by whatever installed it" in pi.run("update", "-h").out


def test_a_requirements_file_is_installed(pi: PackageCli) -> None:
    """Its lines join the sources of the command line; several go on past a failing one."""
    pi.package("proj/a")
    pi.package("proj/b")
    pi.write({"proj/requirements.txt": "./a\n./gone\n"})
    done = pi.run("install", "./b", "-r", "requirements.txt")
    assert (1, ["../proj/b", "../proj/a"]) == (done.code, pi.declared())
    assert f"refused {pi.folder}/proj/gone: " in done.err


def test_a_package_is_removed_by_a_token_of_the_list(pi: PackageCli) -> None:
    """Any token that `pi list` prints names the package that it belongs to."""
    pi.package("proj/a")
    pi.package("proj/b")
    pi.run("install", "./a", "./b")
    item = pi.run("list", "proj/b", "--json").document["observed"][0]
    token = item["resources"]["extensions"][0]["token"]
    assert (0, ["../proj/a"]) == (pi.run("remove", token).code, pi.declared())


# Progress.


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_quick_work_says_nothing() -> None:
    """Where nobody has to wait, no line is written."""
    stream = io.StringIO()
    progress = progress_on(stream, silent=False)
    progress(Step("install", "installing x with uv"))
    progress.close()
    assert "" == stream.getvalue()


def test_long_work_says_what_it_does_once() -> None:
    """A plain line a stage; what the tool says about itself is not repeated."""
    stream = io.StringIO()
    progress = PlainProgress(stream, patience_s=0.01)
    for message in ("installing x with uv", "Resolved 3 packages", "Installed 3 packages"):
        progress(Step("install", message))
        time.sleep(0.05)
    progress.close()
    progress.close()
    assert "installing x with uv …\n" == stream.getvalue()


def test_a_terminal_shows_the_latest_step_and_is_left_clean() -> None:
    """The line turns while work goes on, and the cursor is visible again afterwards."""
    stream = Terminal()
    progress = progress_on(stream, silent=False)
    assert isinstance(progress, LiveProgress)
    progress(Step("fetch", "fetching"))
    progress(Step("install", "installing [x]"))
    progress.close()
    progress.close()
    assert "installing [x]" in stream.getvalue()
    assert "\x1b[?25h" in stream.getvalue().rpartition("installing [x]")[2]


def test_programs_see_no_progress(tmp_path: Path) -> None:
    """With `--json` both streams are for the document."""
    stream = Terminal()
    progress = progress_on(stream, silent=True)
    progress(Step("install", "installing x"))
    progress.close()
    assert "" == stream.getvalue()
