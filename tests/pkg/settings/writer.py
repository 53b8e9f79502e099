"""A program that changes one settings file many times, as its seed says: `python writer.py FILE SEED COUNT`.

With a count of 0 it writes for ever.

Touches: files, standard output.
"""

from __future__ import annotations

import itertools
import random
import sys
from functools import partial
from pathlib import Path
from typing import Any

from tomlkit import TOMLDocument

from pi_pkg.settings.edit import put_package, remove_package, set_value, unset_value
from pi_pkg.settings.file import TomlFile
from pi_pkg.settings.model import PackageEntry


def steps(seed: int) -> itertools.chain[tuple[str, Any]]:
    """What a writer does, without end: set, unset, declare or take out something of its own."""
    chance = random.Random(seed)
    kinds = ("set", "set", "unset", "put", "remove")
    return itertools.chain.from_iterable(
        [(chance.choice(kinds), (chance.randrange(5), chance.choice([1, "é\n\"'", [1, 2], True])))]
        for _ in itertools.count()
    )


def change(document: TOMLDocument, seed: int, verb: str, name: int, value: Any) -> None:
    """Make one step."""
    source = f"pypi:w{seed}-{name}"
    match verb:
        case "set":
            set_value(document, ("writers", f"w{seed}", f"k{name}"), value)
        case "unset":
            unset_value(document, ("writers", f"w{seed}", f"k{name}"))
        case "put":
            put_package(document, PackageEntry(source), source.__eq__)
        case _:
            remove_package(document, source.__eq__)


def expected(seed: int, count: int) -> tuple[dict[str, Any], set[str]]:
    """What is left of one writer's steps: its keys, and its packages."""
    keys: dict[str, Any] = {}
    packages: set[str] = set()
    for verb, (name, value) in itertools.islice(steps(seed), count):
        match verb:
            case "set":
                keys[f"k{name}"] = value
            case "unset":
                keys.pop(f"k{name}", None)
            case "put":
                packages.add(f"pypi:w{seed}-{name}")
            case _:
                packages.discard(f"pypi:w{seed}-{name}")
    return keys, packages


def main(path: str, seed: int, count: int) -> None:
    file = TomlFile(Path(path), lock_timeout_s=120)
    for verb, (name, value) in itertools.islice(steps(seed), count or None):
        file.edit(partial(change, seed=seed, verb=verb, name=name, value=value))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
