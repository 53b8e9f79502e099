"""The reference of the settings, from the table that checks them.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from pi_pkg.settings.keys import KEYS, Key
from pi_pkg.settings.layer import USER_ONLY
from tests.docs.tables import NOTE, code, table

_HEAD: Final = """\
# Settings, key by key

What `settings.toml` may hold, as it is checked. [Settings](../settings.md) says what counts when a key is
missing, and how files of a person and of a project go together. Keys that are not here are kept.

`packages` is a list of sources, or of tables with `source`, `extensions`, `skills`, `prompts`, `themes` and
`autoload`; see [Packages](../packages.md).

"""


def settings_page() -> str:
    """The whole page."""
    return _HEAD + "\n".join(_sections()) + NOTE


def _sections() -> Iterator[str]:
    tops = [key for key in KEYS if "." not in key.path]
    tabled = sorted((key for key in KEYS if "." in key.path), key=_table)
    yield "## Outside of tables\n\n" + _rows(tops)
    for name, keys in groupby(tabled, key=_table):
        yield f"## `[{name}]`\n\n" + _rows(keys)


def _table(key: Key) -> str:
    return key.path.rpartition(".")[0]


def _rows(keys: Iterable[Key]) -> str:
    rows = [(code(key.path), key.about, key.wanted.replace("|", "\\|"), _who(key)) for key in keys]
    return table(("key", "meaning", "value", "who sets it"), rows)


def _who(key: Key) -> str:
    return "you" if key.path.partition(".")[0] in USER_ONLY else "you, a project"
