"""Command lines: what is understood, what is refused, exit codes and the JSON form; cases M1-M4.

Touches: files, processes.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_pkg.cli import COMMANDS
from pi_pkg.cli.command import PackageCommand, UsageError, plain_list
from pi_pkg.cli.parser import canonical, parse, parser_of
from tests.support.package_cli import PackageCli


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["install"], "the following arguments are required: SOURCE"),
        (["remove"], "the following arguments are required: SOURCE"),
        (["install", "--bogus", "x"], "unrecognized arguments: --bogus"),
        (["list", "-l"], "unrecognized arguments: -l"),
        (["list", "--build", "x"], "unrecognized arguments: --build"),
        (["install", "x", "--build"], "expected one argument"),
        (["install", "--js", "x"], "unrecognized arguments: --js"),
    ],
)
def test_wrong_usage_ends_with_2(pi: PackageCli, words: list[str], said: str) -> None:
    """M1: the mistake is named, the accepted form is shown, nothing happens."""
    done = pi.run(*words)
    assert (2, "") == (done.code, done.out)
    assert f"pi {words[0]}: " in done.err
    assert said in done.err
    assert f"usage: pi {words[0]} " in done.err


@pytest.mark.parametrize("words", [["remove", "--help"], ["install", "-h"], ["list", "--bogus", "--help"]])
def test_help_is_shown(pi: PackageCli, words: list[str]) -> None:
    """M3: on standard output, exit 0, whatever else is there."""
    done = pi.run(*words)
    assert (0, "") == (done.code, done.err)
    assert done.out.startswith(f"usage: pi {words[0]} ")


def test_the_help_of_install_shows_the_sources() -> None:
    """Whoever asks how to install learns how sources are spelt."""
    assert "git:HOST/ORG/REPO[@REF][#subdirectory=PATH]" in parser_of("install").format_help()


def test_uninstall_is_remove(pi: PackageCli) -> None:
    """Two words, one command."""
    pi.package("proj/a")
    pi.run("install", "./a")
    assert "removed ./a\n" == pi.run("uninstall", "./a").out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["install", "a", "b", "-l"], PackageCommand("install", ("a", "b"), project=True)),
        (["install", "--local", "a"], PackageCommand("install", ("a",), project=True)),
        (["install", "a", "-a", "-na"], PackageCommand("install", ("a",), approve=False)),
        (["install", "a", "--no-approve", "--approve"], PackageCommand("install", ("a",), approve=True)),
        (
            ["install", "a", "--build", "x", "--build", "y", "--yes"],
            PackageCommand("install", ("a",), build=("x", "y"), yes=True),
        ),
        (["remove", "a", "--dry-run", "--json"], PackageCommand("remove", ("a",), dry_run=True, json=True)),
        (["remove", "--", "-odd"], PackageCommand("remove", ("-odd",))),
        (["list", "x", "--all"], PackageCommand("list", ("x",), all=True)),
    ],
)
def test_command_lines_are_values(words: list[str], expected: PackageCommand) -> None:
    """Flags may stand anywhere; the last of contrary ones counts."""
    assert expected == parse(words)


words = st.lists(
    st.sampled_from(["--json", "--all", "-a", "--approve", "-na", "--no-approve", "x", "--x"]), max_size=5
)


@given(words)
def test_the_plain_form_means_what_the_parser_means(arguments: list[str]) -> None:
    """The shortcut of `pi list` and the real parser never disagree."""
    argv = ["list", *arguments]
    plain = plain_list(argv)
    try:
        expected = parse(argv)
    except UsageError:
        assert plain is None
    else:
        assert plain in {None, expected}
        assert (plain is None) == bool(expected.sources)


def test_every_command_has_a_parser() -> None:
    """Each word that is ours is understood."""
    for word in COMMANDS:
        words = [word, "x"] if word in {"install", "remove", "uninstall"} else [word]
        assert canonical(word) == parse(words).name


def test_one_json_document(pi: PackageCli) -> None:
    """Observed and refused stand in one document on standard output, the exit code says it too."""
    pi.package("proj/a")
    done = pi.run("install", "./a", "./nope", "--json")
    document = done.document
    assert (1, "", "install", False) == (done.code, done.err, document["command"], document["ok"])
    assert [("./a", "installed"), ("./nope", "refused")] == [
        (item["asked"], item["did"]) for item in document["observed"]
    ]
    assert [("source-invalid", "./nope")] == [
        (item["code"], item["source"]) for item in document["diagnostics"]
    ]


def test_a_refused_command_is_a_document_too(pi: PackageCli) -> None:
    """M4: programs read why nothing was done."""
    pi.write({"proj/.pi/settings.toml": ""})
    done = pi.run("remove", "-l", "x", "--json")
    assert (1, "", [], ["project-not-trusted"]) == (
        done.code,
        done.err,
        done.document["observed"],
        done.codes,
    )


def test_trouble_goes_to_the_error_stream(pi: PackageCli) -> None:
    """Standard output holds observations only."""
    pi.write({"agent/settings.toml": 'packages = ["npm:x"]\n'})
    done = pi.run("list")
    taken_out = "    take it out: pi remove npm:x\n"
    assert f"User packages:\n  npm:x  cannot be read\n{taken_out}" == done.out
    assert done.err.startswith("warning: ")


def test_what_is_off_is_counted_and_shown_on_demand(pi: PackageCli) -> None:
    """The plain list shows what counts, `--all` the rest with its rule."""
    pi.package("proj/a", "one", "two")
    entry = '{ source = "../proj/a", extensions = ["!**/one.py"] }'
    pi.write({"agent/settings.toml": f"packages = [{entry}]\n"})
    plain, everything = pi.run("list").out, pi.run("list", "--all").out
    assert "extensions: extensions/two.py\n    1 switched off (--all shows them)" in plain
    assert "extensions/one.py (off" in everything


def test_several_sources_end_in_a_table_only_when_one_failed(pi: PackageCli) -> None:
    """Where all went well the lines say it already."""
    pi.package("proj/a")
    pi.package("proj/b")
    assert "installed ./a\ninstalled ./b\n" == pi.run("install", "./a", "./b").out
