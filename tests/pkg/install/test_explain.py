"""What the backends print becomes one sentence; each row is an output as a backend prints it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pi_pkg.errors import InstallError
from pi_pkg.install.backends.explain import explain_pip, explain_uv
from pi_pkg.install.errors import DiskError, HostConflict, IndexUnreachable, InstallerFailed, Unresolvable
from pi_pkg.install.host import Distribution
from pi_pkg.install.index_config import IndexConfig
from pi_pkg.install.process import Finished

URL = "https://index.test/simple"
CONFIG = IndexConfig((URL,), uses_default=False)
HOST = {"pluggy": Distribution("pluggy", "1.7.0", (), (), Path("/host/site/pluggy-1.7.0.dist-info"))}

PIP: Mapping[str, tuple[str, str, type[InstallError], str]] = {
    "host": (
        "The conflict is caused by:\n    old 1.0 depends on pluggy<1\n    The user "
        "requested (constraint) pluggy==1.7.0\n",
        "", HostConflict,
        "old 1.0 needs pluggy<1, but the environment that pi runs in has pluggy 1.7.0.",
    ),
    "twins": (
        "The conflict is caused by:\n    b 1.0 depends on shared>=2\n    c 1.0 depends on shared<2\n",
        "", Unresolvable,
        "these cannot be installed together: b 1.0 needs shared>=2, c 1.0 needs shared<2.",
    ),
    "asked": (
        "The conflict is caused by:\n    The user requested shared>=2\n    c 1.0 depends on shared<2\n",
        "", Unresolvable,
        "these cannot be installed together: this scope needs shared>=2, c 1.0 needs shared<2.",
    ),
    "missing": (
        "ERROR: Could not find a version that satisfies the requirement nosuch (from versions: none)",
        f"Could not fetch URL {URL}/nosuch/: 404 Client Error: Not Found for url: {URL}/nosuch/ - skipping",
        Unresolvable, f"there is no nosuch on {URL}.",
    ),
    "missing-dependency": (
        "ERROR: Could not find a version that satisfies the requirement nosuch>=1 (from "
        "needy) (from versions: none)",
        "", Unresolvable, f"there is no nosuch>=1 on {URL}, which needy needs.",
    ),
    "version": (
        "ERROR: Could not find a version that satisfies the requirement a==9 (from versions: 1.0, 1.1)",
        "", Unresolvable, "there is no a==9; the index offers 1.0, 1.1.",
    ),
    "source": (
        "ERROR: Could not find a version that satisfies the requirement src>=2 (from versions: 1.0)",
        "Skipping link: No sources permitted for src: https://x/src-2.tar.gz", Unresolvable,
        "src is offered as source only, and building it would run its code.",
    ),
    "platform": (
        "ERROR: Could not find a version that satisfies the requirement w (from versions: none)",
        "Skipping link: none of the wheel's tags (cp311-cp311-win_amd64) are compatible", Unresolvable,
        "w has no wheel for this interpreter and platform.",
    ),
    "python": (
        "ERROR: Package 'newpy' requires a different Python: 3.11.7 not in '>=3.99'",
        "", Unresolvable, "newpy needs Python >=3.99, this is 3.11.7.",
    ),
    "silent-index": (
        "ERROR: Could not find a version that satisfies the requirement a (from versions: none)",
        f"Could not fetch URL {URL}/a/: connection error: Connection refused - skipping", IndexUnreachable,
        f"the package index {URL} did not answer: connection error: Connection refused.",
    ),
    "hash": (
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "", Unresolvable,
        "an archive is not what its index promised: its hash differs.",
    ),
    "disk": ("ERROR: install: [Errno 28] No space left on device", "", DiskError, "No space left"),
    "else": ("ERROR: the moon is full\nand more", "", InstallerFailed, "pip failed: the moon is full"),
    "nothing": ("", "", InstallerFailed, "pip failed: it said nothing"),
}  # fmt: skip

HEAD = "error: No solution found when resolving dependencies\n  cause: "
UV: Mapping[str, tuple[str, type[InstallError], str]] = {
    "host": (
        f"{HEAD}Because all versions of old depend on pluggy<1 and pluggy==1.7.0, we can "
        "conclude that all versions\n"
        "         of old cannot be used.\n         And because you require old, we can conclude that …",
        HostConflict, "old needs pluggy<1, but the environment that pi runs in has pluggy 1.7.0.",
    ),
    "twins": (
        f"{HEAD}Because all versions of c depend on shared<2 and b==1.0 depends on "
        "shared>=2, we can conclude that …",
        Unresolvable, "these cannot be installed together: c needs shared<2, b 1.0 needs shared>=2.",
    ),
    "missing": (
        f"{HEAD}Because nosuch was not found in the package registry and you require nosuch, we can …",
        Unresolvable, f"there is no nosuch on {URL}.",
    ),
    "missing-dependency": (
        f"{HEAD}Because nosuch was not found in the package registry and all versions of "
        "needy depend on nosuch>=1, …",
        Unresolvable, f"there is no nosuch on {URL}, which needy needs.",
    ),
    "version": (
        f"{HEAD}Because there is no version of a==9 and you require a==9, we can conclude …",
        Unresolvable, "there is no a==9.",
    ),
    "source": (
        f"{HEAD}Because src==1.0 has no usable wheels …\n\nhint: Wheels are required for "
        "`src` because building …",
        Unresolvable, "src is offered as source only, and building it would run its code.",
    ),
    "platform": (
        f"{HEAD}Because w==1.0 has no wheels with a matching platform tag (e.g., "
        "`manylinux`) and only w==1.0 is …",
        Unresolvable, "w has no wheel for this interpreter and platform.",
    ),
    "python": (
        f"{HEAD}Because newpy==1.0 requires Python >=3.99 and only newpy==1.0 is available, …",
        Unresolvable, "newpy needs Python >=3.99.",
    ),
    "silent-index": (
        f"error: Request failed after 1 retry in 1.6s\n  cause: Failed to fetch: "
        f"{URL}/a/\n  cause: error sending\n"
        "  cause: Connection refused (os error 111)",
        IndexUnreachable, f"the package index {URL} did not answer: Connection refused (os error 111).",
    ),
    "silent-index-before": (
        f"error: Failed to fetch: `{URL}/a/`\n  Caused by: operation timed out",
        IndexUnreachable, f"the package index {URL} did not answer: operation timed out.",
    ),
    "address": (
        "error: Failed to resolve dependencies for package `cunning==1.0`\n  cause: "
        "Package `evil` was included as a URL "
        "dependency. URL dependencies must be …",
        Unresolvable, "cunning 1.0 needs evil from an address, not from an index.",
    ),
    "disk": ("error: write\n  Caused by: No space left on device (os error 28)", DiskError, "No space left"),
    "else": ("error: odd\n  cause: because", InstallerFailed, "uv failed: odd: because"),
}  # fmt: skip


@pytest.mark.parametrize(("output", "log", "kind", "sentence"), PIP.values(), ids=PIP.keys())
def test_pips_words(output: str, log: str, kind: type[InstallError], sentence: str) -> None:
    """Each way in which pip fails has its sentence."""
    found = explain_pip(Finished(("pip",), 1, output, ""), log, CONFIG, HOST)
    assert kind is type(found)
    assert sentence in found.message


@pytest.mark.parametrize(("output", "kind", "sentence"), UV.values(), ids=UV.keys())
def test_uvs_words(output: str, kind: type[InstallError], sentence: str) -> None:
    """Each way in which uv fails has its sentence."""
    found = explain_uv(Finished(("uv",), 1, "", output), CONFIG, HOST)
    assert kind is type(found)
    assert sentence in found.message


def test_a_time_limit_is_told_as_such() -> None:
    """An installer that was stopped by us did not fail by itself."""
    stopped = Finished(("uv",), -9, "", "Resolved 3 packages", timed_out=True)
    assert "uv did not finish in time and was stopped." == explain_uv(stopped, CONFIG, HOST).message


def test_the_whole_output_is_the_detail_without_passwords() -> None:
    """The user can read everything that the tool said, except credentials."""
    output = "error: odd thing at https://user:sekret@index.test/simple/a/\nmore"
    found = explain_uv(Finished(("uv",), 1, "", output), CONFIG, HOST)
    assert "error: odd thing at https://***@index.test/simple/a/\nmore" == found.detail
    assert "sekret" not in str(found)


@pytest.mark.parametrize(
    ("config", "where"),
    [
        (IndexConfig(), "the default package index"),
        (IndexConfig((URL,), uses_default=True), f"{URL} or the default package index"),
        (IndexConfig((), uses_default=False), "the folders of wheels"),
        (
            IndexConfig(("https://u:pw@index.test/simple",), uses_default=False),
            "https://***@index.test/simple",
        ),
    ],
)
def test_the_places_that_were_asked_are_named(config: IndexConfig, where: str) -> None:
    """A missing project names every place that was asked."""
    output = f"{HEAD}Because nosuch was not found in the package registry and you require nosuch, …"
    assert (
        f"there is no nosuch on {where}." == explain_uv(Finished(("uv",), 1, "", output), config, {}).message
    )
