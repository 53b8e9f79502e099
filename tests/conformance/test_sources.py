"""Source strings against the recorded reference.

The recording knows npm where we know package indexes, so `npm:` is read as `pypi:`; everything else is
given as recorded. A row is listed by its id if ours is another source, or no source, on purpose.

Touches: files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from pi_pkg.errors import SourceError
from pi_pkg.sources.model import GitSource, LocalSource, PypiSource, Source
from pi_pkg.sources.parse import parse_source
from tests.conformance.host_rows import Row, hold, row_id, rows_of

ROOT = "/R"
SAMPLES = ("0.9", "1.0", "1.0.5", "1.2.3", "1.4", "1.4.9", "1.5", "2", "2.0.0", "2.1", "2.3.4", "2.9.9", "3")


@pytest.mark.parametrize("row", rows_of("sources"), ids=row_id)
def test_sources_are_read_as_recorded(row: Row) -> None:
    """Kind, clone address, ref, allowed versions and identity are the reference's."""
    hold("sources", row, recorded(row), ours(row["input"].replace("$ROOT", ROOT)))


def recorded(row: Row) -> dict[str, Any]:
    identity = row["identity"].replace("$ROOT", ROOT)
    match row["type"]:
        case "npm":
            allowed = allowed_by(pep440(row["range"])) if row["range"] else allowed_by("")
            return {"identity": identity.replace("npm:", "pypi:"), "allowed": allowed}
        case "git":
            return {"identity": identity, "clone": row["clone"], "ref": row["ref"]}
        case _:
            return {"identity": identity}


def ours(text: str) -> dict[str, Any] | None:
    asked = "pypi:" + text[4:] if text.startswith("npm:") else text
    try:
        source: Source = parse_source(asked, base=Path(ROOT, "proj"), home=Path(ROOT, "home"))
    except SourceError:
        return None
    match source:
        case PypiSource():
            return {"identity": source.identity, "allowed": allowed_by(source.specifier)}
        case GitSource():
            return {"identity": source.identity, "clone": source.clone_url, "ref": source.ref}
        case LocalSource():
            return {"identity": source.identity}


def pep440(semver_range: str) -> str:
    """The recorded ranges, which are sets of comparators joined by blanks, or one exact version."""
    if semver_range == "*":
        return ""
    parts = semver_range.replace("-0", "").split(" ")
    return ",".join(part if part[0] in "<>" else f"=={part}" for part in parts)


def allowed_by(specifier: str) -> list[str]:
    return [version for version in SAMPLES if SpecifierSet(specifier).contains(version)]
