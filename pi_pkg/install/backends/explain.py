"""What a backend's output means, in one sentence.

Each tool says the same few things in its own words: an index did not answer, nothing by that name,
nothing for this interpreter, source only, versions that exclude each other.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pi_pkg.errors import InstallError
from pi_pkg.install.errors import DiskError, HostConflict, IndexUnreachable, InstallerFailed, Unresolvable
from pi_pkg.install.host import Distribution
from pi_pkg.install.index_config import IndexConfig
from pi_pkg.install.process import Finished
from pi_pkg.shown import public_form, without_credentials
from pi_pkg.sources.model import canonical_name


@dataclass(frozen=True, slots=True)
class _Need:
    """`asker` needs `requirement`: one side of a conflict."""

    asker: str
    requirement: str


def explain_pip(
    finished: Finished, log: str, config: IndexConfig, host: Mapping[str, Distribution]
) -> InstallError:
    """The error behind a failed run of pip. `log` is its debug log, the only place that tells why an
    index gave nothing."""
    text, detail = finished.output, without_credentials(finished.output)
    early = _common(finished, "pip", detail)
    if early is not None:
        return early
    for url, reason in re.findall(r"Could not fetch URL (\S+?): (.+?) - skipping", log):
        if not reason.startswith("404"):
            return IndexUnreachable(_index_of(url), _short(reason), detail=detail)
    if "pi allows wheels only" in text + log:
        return Unresolvable(_built_by_address(text), hint="Building runs its code.", detail=detail)
    needs = [_Need(f"{name} {version}", what) for name, version, what in _pip_needs(text)]
    if needs:
        return _conflict(needs, host, detail)
    return _pip_missing(text, log, config, detail) or _unknown("pip", text, detail)


def explain_uv(finished: Finished, config: IndexConfig, host: Mapping[str, Distribution]) -> InstallError:
    """The error behind a failed run of uv."""
    text, detail = finished.output, without_credentials(finished.output)
    early = _common(finished, "uv", detail)
    if early is not None:
        return early
    flat = " ".join(text.split())
    fetch = re.search(r"Failed to fetch: `?(\S+?)`?(?:\s|$)", text)
    if fetch:
        causes = re.findall(r"(?:cause|Caused by): (.+)", text)
        return IndexUnreachable(
            _index_of(fetch[1]), _short(causes[-1] if causes else "no answer"), detail=detail
        )
    denied = re.search(r"index URL \(?`?(\S+?)`?\)? could not be queried due to (.+?\))", flat)
    if denied:
        return IndexUnreachable(_index_of(denied[1]), denied[2], detail=detail)
    missing = _uv_missing(flat, config, detail)
    if missing:
        return missing
    needs = [_Need(_shown(asker), what) for asker, what in _uv_needs(flat)]
    return _conflict(needs, host, detail) if needs else _unknown("uv", text, detail)


def _common(finished: Finished, tool: str, detail: str) -> InstallError | None:
    text = finished.output
    if finished.timed_out:
        return InstallerFailed(f"{tool} did not finish in time and was stopped.", detail=detail)
    if "No space left on device" in text or "os error 28" in text:
        return DiskError("the new generation", "No space left on device")
    if "DO NOT MATCH THE HASHES" in text or "Hash mismatch" in text:
        return Unresolvable("an archive is not what its index promised: its hash differs.", detail=detail)
    return None


# pip's words.
def _pip_needs(text: str) -> Iterator[tuple[str, str, str]]:
    for line in text.splitlines():
        match = re.fullmatch(r"\s+(\S+) (\S+) depends on (.+?)", line)
        if match:
            yield match[1], match[2], match[3]
        asked = re.fullmatch(r"\s+The user requested (?!\(constraint\))(.+?)", line)
        if asked:
            yield "this scope", "", asked[1]


def _pip_missing(text: str, log: str, config: IndexConfig, detail: str) -> InstallError | None:
    python = re.search(r"Package '?(\S+?)'? requires a different Python: (\S+) not in '?([^'\n]+)'?", text)
    if python:
        return _wrong_python(python[1], python[3], detail, python[2])
    found = re.search(
        r"Could not find a version that satisfies the requirement (.+?)(?: \(from (?!versions)(.+?)\))?"
        r" \(from versions: (.*?)\)",
        text,
    )
    if found is None:
        return None
    wanted, asker, versions = found.groups()
    name = re.split(r"[\s\[<>=!~;(]", wanted)[0]
    if re.search(rf"No sources permitted for {re.escape(name)}: ", log, re.IGNORECASE):
        return _only_source(name, asker, detail)
    if versions not in ("none", ""):
        return _no_such_version(wanted, asker, versions, detail)
    if "none of the wheel's tags" in log:
        return _wrong_platform(name, asker, detail)
    ignored = re.search(r"require[s]? a different python version: .*?Requires-Python (\S+)", text)
    return (
        _wrong_python(name, ignored[1], detail)
        if ignored
        else _no_such_project(wanted, asker, config, detail)
    )


def _built_by_address(text: str) -> str:
    asked = re.findall(r"(?:Collecting|Processing) (\S+).*?\(from ([^)]+)\)", text)
    if asked:
        return f"{asked[-1][1]} needs {asked[-1][0]} from an address, as source to be built, not as a wheel."
    return "a package would have to be built from source."


# uv's words.
def _uv_needs(flat: str) -> Iterator[tuple[str, str]]:
    subject = r"(?:all versions of )?([A-Za-z0-9][\w.\-\[\],]*(?:==[^\s,]+)?)"
    for asker, what in re.findall(subject + r" depends? on ([A-Za-z0-9][^\s]*)", flat):
        yield asker, what.rstrip(",.")
    for what in re.findall(r"you require ([A-Za-z0-9][^\s]*[<>=!~][^\s]*)", flat):
        yield "this scope", what.rstrip(",.")


def _uv_missing(flat: str, config: IndexConfig, detail: str) -> InstallError | None:
    asker = _uv_asker(flat)
    absent = re.search(
        r"([\w.\-]+) was not found in the (?:package registry|provided package locations)", flat
    )
    if absent:
        return _no_such_project(absent[1], asker.get(canonical_name(absent[1])), config, detail)
    source = re.search(
        r"Wheels are required for `([^`]+)`|Building source distributions for `([^`]+)` is disabled", flat
    )
    if source:
        name = source[1] or source[2]
        return _only_source(name, asker.get(canonical_name(name)), detail)
    address = re.search(r"Package `([^`]+)` was included as a URL dependency", flat)
    if address:
        owner = re.search(r"dependencies for package `([^`]+)`", flat)
        by = _shown(owner[1]) if owner else "a package"
        return Unresolvable(f"{by} needs {address[1]} from an address, not from an index.", detail=detail)
    platform = re.search(r"([\w.\-]+?)(?:==\S+)? has no wheels with a matching", flat)
    if platform:
        return _wrong_platform(platform[1], asker.get(canonical_name(platform[1])), detail)
    python = re.search(r"([\w.\-]+?)(?:==\S+)? (?:requires|depends on) Python ?(\S+)", flat)
    if python:
        return _wrong_python(python[1], python[2].rstrip(","), detail)
    offered = re.search(
        r"only (.{1,200}?) (?:is|are) available(?:: (.{1,500}?))? and you require ([\w.\-]+[<>=!~]\S*)", flat
    )
    if offered:
        wanted = offered[3].rstrip(",")
        name = canonical_name(re.split(r"[<>=!~]", wanted)[0])
        return _no_such_version(wanted, asker.get(name), offered[2] or offered[1], detail)
    version = re.search(r"there (?:is|are) no versions? of ([\w.\-]+\S*)", flat)
    if version:
        return _no_such_version(version[1].rstrip(","), asker.get(canonical_name(version[1])), None, detail)
    return None


def _uv_asker(flat: str) -> Mapping[str, str]:
    """Who depends on a name, by canonical name."""
    found: dict[str, str] = {}
    for asker, what in _uv_needs(flat):
        found.setdefault(canonical_name(re.split(r"[\[<>=!~]", what)[0]), _shown(asker))
    return found


def _shown(asker: str) -> str:
    return asker.replace("==", " ")


# The sentences.
def _conflict(needs: Iterable[_Need], host: Mapping[str, Distribution], detail: str) -> InstallError:
    from packaging.requirements import InvalidRequirement, Requirement  # start-up time: only failures need it

    sides = list(dict.fromkeys(needs))
    for need in sides:
        try:
            requirement = Requirement(need.requirement)
        except InvalidRequirement:
            continue
        name = canonical_name(requirement.name)
        if name in host and not requirement.specifier.contains(host[name].version, prereleases=True):
            found, where = host[name].version, str(host[name].location)
            return HostConflict(need.asker.strip(), need.requirement, name, found, where=where, detail=detail)
    listed = ", ".join(f"{need.asker.strip()} needs {need.requirement}" for need in sides)
    return Unresolvable(f"these cannot be installed together: {listed}.", detail=detail)


def _no_such_project(wanted: str, asker: str | None, config: IndexConfig, detail: str) -> InstallError:
    places = ", ".join(without_credentials(url) for url in config.index_urls)
    where = places or ("the folders of wheels" if config.no_index else "the default package index")
    if places and config.uses_default:
        where = f"{places} or the default package index"
    return Unresolvable(f"there is no {wanted} on {where}{_by(asker)}.", detail=detail)


def _no_such_version(wanted: str, asker: str | None, versions: str | None, detail: str) -> InstallError:
    offered = f"; the index offers {versions}" if versions else ""
    return Unresolvable(f"there is no {wanted}{_by(asker)}{offered}.", detail=detail)


def _only_source(name: str, asker: str | None, detail: str) -> InstallError:
    return Unresolvable(
        f"{name} is offered as source only{_by(asker)}, and building it would run its code.",
        hint=f"Use --build {name} if you trust it.",
        detail=detail,
        source_only=canonical_name(name),
    )


def _wrong_platform(name: str, asker: str | None, detail: str) -> InstallError:
    return Unresolvable(f"{name} has no wheel for this interpreter and platform{_by(asker)}.", detail=detail)


def _wrong_python(name: str, wanted: str, detail: str, found: str | None = None) -> InstallError:
    have = f", this is {found}" if found else ""
    return Unresolvable(f"{name} needs Python {wanted}{have}.", detail=detail)


def _unknown(tool: str, text: str, detail: str) -> InstallError:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.match(r"(ERROR|error)\b", line)] or lines[-1:]
    causes = re.findall(r"(?:cause|Caused by): (.+)", text)
    said = [re.sub(r"^(ERROR|error): ", "", line) for line in (*telling[:1], *causes[-1:])]
    return InstallerFailed(
        f"{tool} failed: {without_credentials(': '.join(said) or 'it said nothing')}", detail=detail
    )


def _by(asker: str | None) -> str:
    return f", which {asker} needs" if asker else ""


def _index_of(url: str) -> str:
    """The index that an address of it belongs to: the part before the project, without credentials."""
    return re.sub(r"(/simple)/.*$", r"\1", public_form(url)).rstrip("/")


def _short(reason: str) -> str:
    return without_credentials(reason).strip().rstrip(".")
