"""The laws of configured values: what is literal, what is filled in, what is missing."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from pi_core.providers.values import Value, Values

names = st.sampled_from(["A", "B_2", "_c", "LONG_NAME"])
literals = st.text(st.characters(exclude_characters="$!"), max_size=12)
contents = st.text(min_size=1, max_size=8)
environments = st.dictionaries(names, contents | st.just(""))
pieces = st.lists(st.tuples(literals, names), max_size=4)


async def no_command(command: str) -> str | None:
    return None


def resolved(text: str, environment: dict[str, str], scoped: dict[str, str] | None = None) -> str | None:
    return asyncio.run(Values(environment, no_command).resolve(text, scoped))


def escaped(text: str) -> str:
    """How a person writes a text that must not be looked up."""
    doubled = text.replace("$", "$$")
    return f"$!{doubled[1:]}" if doubled.startswith("!") else doubled


@given(st.text(max_size=20))
def test_every_text_can_be_written(text: str) -> None:
    """With `$` doubled, and `$!` for a leading `!`, a value is exactly the text, whatever is set."""
    assert text == resolved(escaped(text), {"A": "x"})
    assert () == Value(escaped(text)).names


@given(pieces, literals, environments)
def test_variables_are_filled_in_anywhere(
    parts: list[tuple[str, str]], tail: str, environment: dict[str, str]
) -> None:
    """The text around stays; a variable that is unset or empty leaves the whole value without a meaning."""
    text = "".join(f"{literal}${{{name}}}" for literal, name in parts) + tail
    value = Value(text)
    assert value.names == tuple(dict.fromkeys(name for _, name in parts))
    missing = tuple(name for name in value.names if not environment.get(name))
    assert missing == value.missing(environment)
    expected = "".join(f"{literal}{environment.get(name)}" for literal, name in parts) + tail
    assert (None if missing else expected) == resolved(text, environment)


@given(names, contents, contents | st.just(""))
def test_a_scoped_variable_wins_unless_it_is_empty(name: str, outer: str, scoped: str) -> None:
    """An entry of auth.json has variables of its own; an empty one counts as not there."""
    assert (scoped or outer) == resolved(f"${name}", {name: outer}, {name: scoped})


@given(names)
def test_both_spellings_mean_the_same(name: str) -> None:
    """`$NAME` and `${NAME}` alone are that variable and nothing else."""
    assert name == Value(f"${name}").sole_name == Value(f"${{{name}}}").sole_name
    assert Value(f"x${name}").sole_name is None


@given(st.text(max_size=10))
def test_a_command_is_never_filled_in(text: str) -> None:
    """What stands behind a leading `!` is the shell's own; its variables are not ours."""
    value = Value(f"!{text}")
    assert (text, ()) == (value.command, value.names)
