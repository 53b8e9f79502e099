"""The first thing in the log: who is here, what was loaded, and the keys to begin with.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hookspecs.values import dataclass
from pi_core.clean import clean_line
from pi_core.extensions.owners import HOST
from pi_core.modes.tui.keys import Keys
from pi_core.modes.tui.style.palette import Palette
from pi_core.session.session import Session
from pi_core.version import VERSION

MEASURED: Final = 1000
"""The columns in which the width of the keys is measured: enough for all of them."""
NAMED: Final = 12
"""So many things of a kind are named; of more there is a count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What there is to name: kinds in order, each with its names."""

    model: str
    place: str
    kinds: Sequence[tuple[str, Sequence[str]]] = ()


def loaded_of(session: Session, place: str) -> Loaded:
    """What a session has: extensions, skills, templates, instructions."""
    parts = session.parts
    commands = parts.system.commands()
    extensions = [extension_name(extension.path) for extension in parts.runner.registry.extensions]
    found = parts.system.options(parts.toolset)
    files = [PurePath(file.path).name for file in found.context_files]
    kinds = (
        ("context", files),
        ("extensions", [name for name in extensions if name != HOST]),
        ("skills", [command.name.removeprefix("skill:") for command in commands if command.kind == "skill"]),
        ("prompts", ["/" + command.name for command in commands if command.kind == "prompt"]),
    )
    return Loaded(
        model=model_name(session), place=place, kinds=[(kind, names) for kind, names in kinds if names]
    )


def model_name(session: Session) -> str:
    """The name of the model that answers, as a person reads it."""
    model = session.parts.models.model
    return model.name or model.id


def extension_name(path: str) -> str:
    """A short name for an extension: its file, or the folder whose `__init__` it is."""
    pure = PurePath(path)
    return pure.parent.name if pure.stem == "__init__" else pure.stem if pure.suffix == ".py" else pure.name


def welcome(loaded: Loaded, keys: Keys, palette: Palette) -> RenderableType:
    """The block itself."""
    head = Text.assemble(
        ("π", palette["accent"] + palette["mdHeading"]),
        ("  pi ", palette["toolTitle"]),
        (VERSION, palette["muted"]),
    )
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style=palette["dim"], no_wrap=True)
    grid.add_column(style=palette["muted"], overflow="fold")
    grid.add_row("model", Text(clean_line(loaded.model), palette["text"]))
    grid.add_row("folder", clean_line(loaded.place))
    for kind, names in loaded.kinds:
        grid.add_row(kind, named(names))
    return Group(head, Text(), grid, Text(), key_hints(keys, palette))


def named(names: Sequence[str]) -> Text:
    """The first names, and how many more there are."""
    shown = [clean_line(name) for name in names[:NAMED]]
    more = f"  and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return Text(", ".join(shown) + more)


def key_hints(keys: Keys, palette: Palette) -> RenderableType:
    """The keys to begin with, in columns."""
    rows = (
        (
            (keys.hint("tui.input.submit"), "send"),
            (keys.hint("tui.input.newLine"), "new line"),
            ("/", "commands"),
            ("@", "files"),
            ("!", "shell"),
        ),
        (
            (keys.hint("app.interrupt"), "stop"),
            (keys.hint("app.tools.expand"), "unfold"),
            (keys.hint("tui.altScreen.search"), "search"),
            (keys.hint("app.thinking.toggle"), "thoughts"),
            (keys.hint("app.exit"), "quit"),
        ),
    )
    said = [
        [Text.assemble((key, palette["muted"]), (f" {what}", palette["dim"])) for key, what in row if key]
        for row in rows
    ]
    return _Hints(said)


class _Hints:
    """Texts in columns where there is room for them, else one after the other."""

    def __init__(self, rows: Sequence[Sequence[Text]]) -> None:
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[RenderableType]:
        grid = Table.grid(padding=(0, 3, 0, 0))
        for row in self._rows:
            grid.add_row(*row)
        fits = console.measure(grid, options=options.update(max_width=MEASURED)).maximum
        yield (
            grid if fits <= options.max_width else Text("  ").join(text for row in self._rows for text in row)
        )
