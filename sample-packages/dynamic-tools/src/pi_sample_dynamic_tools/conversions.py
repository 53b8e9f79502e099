"""A table of conversions, and the search in it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Conversion:
    """`of` times `factor`, plus `offset`, is `to`."""

    of: str
    to: str
    factor: float
    offset: float = 0.0

    @property
    def name(self) -> str:
        """The name of the tool."""
        return f"{self.of}_to_{self.to}".replace(" ", "_")

    def convert(self, value: float) -> float:
        return value * self.factor + self.offset


_PAIRS: Final = (
    ("miles", "kilometres", 1.609344),
    ("pounds", "kilograms", 0.45359237),
    ("inches", "centimetres", 2.54),
    ("gallons", "litres", 3.785411784),
)

CONVERSIONS: Final = (
    *(Conversion(of, to, factor) for of, to, factor in _PAIRS),
    *(Conversion(to, of, 1 / factor) for of, to, factor in _PAIRS),
    Conversion("fahrenheit", "celsius", 5 / 9, -160 / 9),
    Conversion("celsius", "fahrenheit", 9 / 5, 32),
)


def matching(query: str) -> list[Conversion]:
    """Those whose name holds any word of the query, in the order of the table."""
    words = [word.rstrip("s") for word in query.lower().split()]
    return [item for item in CONVERSIONS if any(word and word in item.name for word in words)]
