"""Where each value of a TOML text stands, for messages that name a line.

The text has been parsed already, so only its layout is followed here and nothing is checked.

Pure.
"""

from __future__ import annotations

import re
import tomllib
from typing import Final, TypeAlias

Steps: TypeAlias = tuple[str | int, ...]
"""The way to a value: keys of tables, and positions in lists counted from 0."""

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN: Final = re.compile(r"[^,\]}#\n]*")
_STRINGS: Final = (
    re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""(?:"{1,2})?', re.DOTALL),
    re.compile(r"'''(?:[^']|'(?!''))*'''(?:'{1,2})?"),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)


def places(text: str) -> dict[Steps, tuple[int, int]]:
    """Line and column, both from 1, of every key of a valid document and of every item of its lists."""
    scanner = _Scanner(text)
    scanner.document()
    return {steps: scanner.line_of(offset) for steps, offset in scanner.found.items()}


class _Scanner:
    """One pass over the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[Steps, int] = {}
        self._lists: dict[Steps, int] = {}
        """How many tables `[[…]]` of each name there are so far."""
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def line_of(self, offset: int) -> tuple[int, int]:
        from bisect import bisect_right  # start-up time: only findings have places

        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def document(self) -> None:
        table: Steps = ()
        while self._skip() < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Steps:
        start, many = self.at, self.text.startswith("[[", self.at)
        self.at += 2 if many else 1
        steps: Steps = ()
        *above, last = self._key()
        for step in above:
            steps = self._inside((*steps, step))
            self.found.setdefault(steps, start)
        steps = (*steps, last)
        if many:
            number = self._lists.get(steps, 0)
            self._lists[steps] = number + 1
            self.found.setdefault(steps, start)
            steps = (*steps, number)
        self.found.setdefault(steps, start)
        self._skip()
        self.at += 2 if many else 1
        return steps

    def _inside(self, steps: Steps) -> Steps:
        """A name on the way of a header: of several tables of that name, the last."""
        count = self._lists.get(steps)
        return steps if count is None else (*steps, count - 1)

    def _key(self) -> list[str]:
        """A dotted key; the text behind it is next."""
        names = []
        while True:
            self._skip()
            names.append(self._name())
            self._skip()
            if not self.text.startswith(".", self.at):
                return names
            self.at += 1

    def _name(self) -> str:
        bare = _BARE_KEY.match(self.text, self.at)
        if bare is not None:
            self.at = bare.end()
            return bare[0]
        start = self.at
        self._string()
        name = tomllib.loads(f"name = {self.text[start : self.at]}")["name"]
        return str(name)

    def _pair(self, table: Steps) -> None:
        start = self.at
        steps = table
        for name in self._key():
            steps = (*steps, name)
            self.found.setdefault(steps, start)
        self.at += 1  # the equals sign
        self._skip()
        self._value(steps)

    def _value(self, steps: Steps) -> None:
        match self.text[self.at]:
            case "[":
                self._items(steps)
            case "{":
                self._pairs(steps)
            case '"' | "'":
                self._string()
            case _:
                plain = _PLAIN.match(self.text, self.at)
                assert plain is not None
                self.at = plain.end()

    def _items(self, steps: Steps) -> None:
        self.at += 1
        number = 0
        while self.text[self._skip()] != "]":
            self.found[(*steps, number)] = self.at
            self._value((*steps, number))
            number += 1
            if self.text[self._skip()] == ",":
                self.at += 1
        self.at += 1

    def _pairs(self, steps: Steps) -> None:
        self.at += 1
        while self.text[self._skip()] != "}":
            self._pair(steps)
            if self.text[self._skip()] == ",":
                self.at += 1
        self.at += 1

    def _string(self) -> None:
        for pattern in _STRINGS:
            found = pattern.match(self.text, self.at)
            if found is not None:
                self.at = found.end()
                return
        raise AssertionError("the text was parsed before")

    def _skip(self) -> int:
        """Pass over blanks and comments; where the next thing stands."""
        blank = _BLANK.match(self.text, self.at)
        assert blank is not None
        self.at = blank.end()
        return self.at
