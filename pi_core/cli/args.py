"""Argument words become an `Args` value, in two passes over one grammar.

The first pass knows no extension: it finds what must be known before any may load and leaves
unknown `--flags` aside. The second knows their flags, so that a flag that takes no value never
swallows the prompt behind it, and what is then still unknown is a mistake.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hookspecs.values import dataclass
from pi_core.cli.options import BY_SPELLING, Option

if TYPE_CHECKING:
    from hookspecs.definitions import FlagType

ProblemKind: TypeAlias = Literal["unknown-short-option", "needs-value", "bad-value", "unknown-flags"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Args:
    """What was typed. `messages` and `files` keep their order; None is what was not given."""

    messages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    flags: Mapping[str, bool | str] = field(default_factory=dict)
    print: bool = False
    mode: str | None = None
    continue_: bool = False
    resume: bool = False
    fork: str | None = None
    session: str | None = None
    session_id: str | None = None
    session_dir: str | None = None
    no_session: bool = False
    name: str | None = None
    provider: str | None = None
    model: str | None = None
    api_key: str | None = None
    thinking: str | None = None
    models: tuple[str, ...] | None = None
    list_models: str | None = None
    system_prompt: str | None = None
    append_system_prompt: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    exclude_tools: tuple[str, ...] = ()
    no_tools: bool = False
    no_builtin_tools: bool = False
    extensions: tuple[str, ...] = ()
    no_extensions: bool = False
    exclude: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    no_skills: bool = False
    prompt_templates: tuple[str, ...] = ()
    no_prompt_templates: bool = False
    no_context_files: bool = False
    approve: bool | None = None
    trace_events: str | None = None
    watch: bool = False
    export: str | None = None
    offline: bool = False
    verbose: bool = False
    themes: tuple[str, ...] = ()
    no_themes: bool = False
    use_theme: str | None = None
    web: bool = False
    port: str | None = None
    help: bool = False
    version: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in the words: its kind, the spellings concerned and the sentence for the person."""

    kind: ProblemKind
    words: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """The arguments and what is wrong with the words, in the order of the words; unknown flags come last."""

    args: Args
    problems: tuple[Problem, ...]


def parse_args(words: Sequence[str], flags: Mapping[str, FlagType] | None = None) -> Parsed:
    """Read the words. Without `flags` (first pass) unknown `--flags` are passed over."""
    return _Reader(list(words), flags or {}, lenient=flags is None).read()


class _Reader:
    """One pass over the words."""

    def __init__(self, words: list[str], flags: Mapping[str, FlagType], *, lenient: bool) -> None:
        self.words = words
        self.known = flags
        self.lenient = lenient
        self.values: dict[str, Any] = {}
        self.problems: list[Problem] = []
        self.unknown: list[str] = []
        self.flags: dict[str, bool | str | None] = {}

    def read(self) -> Parsed:
        ended = False
        while self.words:
            word = self.words.pop(0)
            if ended:
                self._plain(word)
            elif word == "--":
                ended = True
            else:
                self._word(word)
        given = {name: value for name, value in self.flags.items() if value is not None}
        problems = (*self.problems, *self._missing_values(), *self._unknown_flags())
        return Parsed(Args(**self.values, flags=given), problems)

    def _word(self, word: str) -> None:
        name, equals, value = word.partition("=")
        if (option := BY_SPELLING.get(word)) is not None:
            self._option(option, word, None)
        elif equals and name.startswith("--") and (option := BY_SPELLING.get(name)) is not None:
            self._option(option, name, value)
        elif word.startswith("--") and not word.startswith("---"):
            self._flag(name[2:], value if equals else None)
        elif word.startswith("-") and not word.startswith("---"):
            self._problem(
                "unknown-short-option", (word,), f"unknown option {word}{_proposal(word, self.known)}"
            )
        else:
            self._plain(word)

    def _plain(self, word: str) -> None:
        if word.startswith("@") and len(word) > 1:
            self._add("files", word[1:])
        else:
            self._add("messages", word)

    def _option(self, option: Option, spelling: str, value: str | None) -> None:
        if option.kind == "switch":
            if value is not None:
                self._problem("bad-value", (spelling,), f"{spelling} takes no value, but got {value!r}")
            self.values[option.field] = option.sets
            return
        if value is None and option.kind == "maybe":
            has_value = bool(self.words) and not self.words[0].startswith(("-", "@"))
            value = self.words.pop(0) if has_value else ""
        if value is None:
            if not self.words:
                self._problem("needs-value", (spelling,), f"{spelling} needs a value: {option.value_name}")
                return
            value = self.words.pop(0)
        self._store(option, spelling, value)

    def _store(self, option: Option, spelling: str, value: str) -> None:
        if option.choices and value not in option.choices:
            accepted = ", ".join(option.choices)
            self._problem("bad-value", (spelling,), f"{spelling} {value!r} is not one of {accepted}")
        elif option.kind == "many":
            self._add(option.field, value)
        elif option.kind == "names":
            self.values[option.field] = tuple(part.strip() for part in value.split(",") if part.strip())
        else:
            self.values[option.field] = value

    def _flag(self, name: str, value: str | None) -> None:
        """An extension's flag. The last use counts; a boolean is true whatever stands behind `=`."""
        match self.known.get(name):
            case None:
                if name not in self.unknown:
                    self.unknown.append(name)
            case "boolean":
                self.flags[name] = True
            case "string":
                if value is None and self.words and not self.words[0].startswith(("-", "@")):
                    value = self.words.pop(0)
                self.flags[name] = value

    def _missing_values(self) -> list[Problem]:
        bare = [f"--{name}" for name, value in self.flags.items() if value is None]
        return [Problem("needs-value", (word,), f"{word} needs a value") for word in bare]

    def _unknown_flags(self) -> list[Problem]:
        if self.lenient or not self.unknown:
            return []
        spelled = tuple(f"--{name}" for name in self.unknown)
        listed = ", ".join(f"{word}{_proposal(word, self.known)}" for word in spelled)
        noun = "options" if len(spelled) > 1 else "option"
        return [Problem("unknown-flags", spelled, f"unknown {noun} {listed}")]

    def _add(self, name: str, value: str) -> None:
        self.values[name] = (*self.values.get(name, ()), value)

    def _problem(self, kind: ProblemKind, words: tuple[str, ...], message: str) -> None:
        self.problems.append(Problem(kind, words, message))


def _proposal(word: str, flags: Mapping[str, FlagType]) -> str:
    import difflib  # only a mistake pays for it

    near = difflib.get_close_matches(word, [*BY_SPELLING, *(f"--{name}" for name in flags)], n=1)
    return f" (did you mean {near[0]}?)" if near else ""
