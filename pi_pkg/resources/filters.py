"""How a package entry of the settings narrows what its package offers.

The reference's rules (§4.1 to §4.3) with one change: what there is to choose from never depends on whether
the entry is a string or an object.

Touches: files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pi_pkg.diagnostics import Diagnostic
from pi_pkg.locations import ResourceType
from pi_pkg.resources.candidates import Choice
from pi_pkg.resources.contents import Contents
from pi_pkg.settings.model import PackageEntry


class EntryFilter:
    """One package entry, and the file that holds it, which every rule names."""

    __slots__ = ("_entry", "_home", "_path", "_report")

    def __init__(
        self, entry: PackageEntry, settings_path: str, home: str, report: Callable[[Diagnostic], None]
    ) -> None:
        self._entry = entry
        self._path = settings_path
        self._home = home
        self._report = report

    def choose(self, kind: ResourceType, contents: Contents) -> Iterator[Choice]:
        """The candidates of one type that the entry speaks of, on or off.

        All of them in their order; of a sparse entry (`autoload = false`) those that its patterns match, in
        the order of the patterns.
        """
        candidates = contents.offered.get(kind, ())
        texts = self._entry.patterns(kind)
        if contents.is_file or (texts is None and self._entry.autoload):
            for candidate in candidates:
                yield Choice(candidate, True)
        elif texts:
            yield from self._matched(kind, texts, contents)
        elif self._entry.autoload:
            for candidate in candidates:
                yield Choice(candidate, False, f"{self._where(kind)} = []")

    def _where(self, kind: ResourceType) -> str:
        return f"{self._path}: {kind} of {self._entry.source!r}"

    def _matched(self, kind: ResourceType, texts: tuple[str, ...], contents: Contents) -> Iterator[Choice]:
        from pi_pkg.resources.matching import Matcher  # start-up time: most entries filter nothing

        matcher = Matcher(texts, self._where(kind), home=self._home)
        candidates = contents.offered.get(kind, ())
        by_rule = matcher.select if self._entry.autoload else matcher.sparse
        yield from by_rule(candidates, contents.base)
        matcher.report(self._path, self._report)
