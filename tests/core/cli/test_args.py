"""The grammar of the command line, beyond the recorded rows."""

from __future__ import annotations

from typing import Any

import pytest

from pi_core.cli.args import parse_args
from pi_core.cli.options import OPTIONS


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["-p"], "print", True),
        (["--mode", "json"], "mode", "json"),
        (["--mode=json"], "mode", "json"),
        (["-c"], "continue_", True),
        (["-e", "a.py", "--extension=b"], "extensions", ("a.py", "b")),
        (["-ne"], "no_extensions", True),
        (["-t", "read, bash,"], "tools", ("read", "bash")),
        (["-t", "read", "-t", "bash"], "tools", ("bash",)),
        (["-xt", "write"], "exclude_tools", ("write",)),
        (["-nt"], "no_tools", True),
        (["-nbt"], "no_builtin_tools", True),
        (["-a"], "approve", True),
        (["-a", "-na"], "approve", False),
        ([], "approve", None),
        (["--append-system-prompt", "a", "--append-system-prompt", "b"], "append_system_prompt", ("a", "b")),
        (["--model", "-p"], "model", "-p"),
    ],
)
def test_options_fill_their_field(words: list[str], field: str, value: Any) -> None:
    """Each spelling fills one field; the last value counts, repeatable options add up."""
    parsed = parse_args(words, {})
    assert ((), value) == (parsed.problems, getattr(parsed.args, field))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--moddel", "x"], "unknown option --moddel (did you mean --model?)"),
        (["--plam"], "unknown option --plam (did you mean --plan?)"),
        (["--qq", "--zz"], "unknown options --qq, --zz"),
        (["-z9"], "unknown option -z9"),
        (["--model"], "--model needs a value: MODEL"),
        (["--plan=x", "--lvl"], "--lvl needs a value"),
        (["--mode", "xml"], "--mode 'xml' is not one of text, json, rpc"),
        (["--print=yes"], "--print takes no value, but got 'yes'"),
    ],
)
def test_a_mistake_is_one_sentence(words: list[str], message: str) -> None:
    """A wrong word names itself and, where one is near, the spelling that was meant."""
    parsed = parse_args(words, {"plan": "boolean", "lvl": "string"})
    assert [message] == [problem.message for problem in parsed.problems]


def test_the_first_pass_passes_over_unknown_flags() -> None:
    """Before extensions are known, an unknown flag is no mistake and hides no option behind it."""
    parsed = parse_args(["--plan", "-e", "x.py", "--lvl=3", "-p"])
    assert (parsed.problems, parsed.args.extensions, parsed.args.print) == ((), ("x.py",), True)


def test_a_boolean_flag_never_eats_the_prompt() -> None:
    """W03: the word behind a boolean flag stays a message."""
    args = parse_args(["--plan", "word"], {"plan": "boolean"}).args
    assert (args.flags, args.messages) == ({"plan": True}, ("word",))


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        (["--plan", "--lvl", "high"], {"plan": True, "lvl": "high"}),
        (["--lvl=q", "--plan=false"], {"lvl": "q", "plan": True}),
    ],
    ids=["W01", "W02"],
)
def test_flags_of_extensions_get_their_values(words: list[str], flags: dict[str, bool | str]) -> None:
    """A boolean is true when present, a string takes the next word or what stands behind `=`."""
    assert flags == parse_args(words, {"plan": "boolean", "lvl": "string"}).args.flags


def test_every_missing_value_and_every_unknown_flag_is_reported() -> None:
    """W04: two mistakes give two problems."""
    parsed = parse_args(["--lvl", "--nope"], {"lvl": "string"})
    assert [problem.kind for problem in parsed.problems] == ["needs-value", "unknown-flags"]


def test_no_spelling_is_used_twice() -> None:
    """The table gives each spelling to one option."""
    names = [name for option in OPTIONS for name in option.names]
    assert sorted(set(names)) == sorted(names)
