"""The values that all of the package manager speaks in: places, findings, errors, the face.

Touches: files, processes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import pi_pkg
from pi_pkg import errors
from pi_pkg.diagnostics import Diagnostic, distinct
from pi_pkg.locations import Locations, default_agent_dir, project_key

PLACES = Locations(Path("/h/.pi/agent"), Path("/w/proj"), Path("/h"))


def test_every_name_of_the_face_is_there() -> None:
    """What the face promises can be imported."""
    assert not [name for name in pi_pkg.__all__ if getattr(pi_pkg, name, None) is None]


def test_the_face_imports_nothing_by_itself() -> None:
    """A program pays for the names it uses."""
    script = "import sys, pi_pkg; print(sorted(name for name in sys.modules if name.startswith('pi_pkg.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "[]\n" == done.stdout


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails as in any module."""
    with pytest.raises(AttributeError, match="has no attribute 'Locatoins'"):
        pi_pkg.Locatoins  # noqa: B018 - reading it is the test


def test_places_of_the_user() -> None:
    """Everything of the user's is below the agent folder."""
    assert Path("/h/.pi/agent") == default_agent_dir(Path("/h"))
    places = [PLACES.user_settings, PLACES.trust_store, PLACES.user_envs, PLACES.checkouts, PLACES.runs]
    assert all(place.parent == PLACES.agent_dir for place in places)
    assert Path("/h/.pi/agent/skills") == PLACES.resource_dir("user", "skills")


def test_places_of_the_project() -> None:
    """Settings and resources stand in the project, what is installed for it with the user."""
    assert Path("/w/proj/.pi/settings.toml") == PLACES.project_settings
    assert Path("/w/proj/.pi/themes") == PLACES.resource_dir("project", "themes")
    assert PLACES.project_envs.parts[:5] == ("/", "h", ".pi", "agent", "projects")


def test_a_project_is_known_by_its_real_path(tmp_path: Path) -> None:
    """Through a link it is the same project, another folder is another one."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert project_key(tmp_path / "real") == project_key(tmp_path / "link") != project_key(tmp_path)


def test_a_finding_has_its_documented_form() -> None:
    """Keys and their order are a contract; the longer output comes only where there is some."""
    keys = ["severity", "code", "stage", "source", "scope", "path", "message", "hint"]
    finding = Diagnostic("warning", "some-code", "resolve", "Something.", source="pypi:x")
    assert keys == list(finding.to_json())
    longer = Diagnostic("error", "c", "load", "m", detail="trace").to_json()
    assert [*keys, "detail"] == list(longer)


def test_equal_findings_are_one() -> None:
    """The first of equal findings stays, in order."""
    one, two = (Diagnostic("info", code, "load", "m") for code in ("a", "b"))
    assert (one, two) == distinct([one, two, one])


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (errors.SourceError("x", "it is odd", "Write y."), "'x' is no package source: it is odd. Write y."),
        (errors.SettingsError("/s", "broken", line=2, column=3), "/s:2:3: broken."),
        (errors.SettingsError("/s", "gone"), "/s: gone."),
        (errors.TrustError("/t", "broken", hint="Repair it."), "/t: broken. Repair it."),
        (
            errors.ProjectNotTrusted("/p", "install into it"),
            "/p is not trusted; refused to install into it. "
            "Trust it with 'pi trust allow', or for this run with --approve.",
        ),
        (errors.NoSuchPackage("x", "/s"), "no package matches 'x' in /s: it declares no packages."),
        (
            errors.NoSuchPackage("x", "/s", known=["pypi:a", "pypi:b"], near="pypi:a"),
            "no package matches 'x' in /s: it declares pypi:a, pypi:b. Did you mean pypi:a?",
        ),
    ],
)
def test_errors_build_their_sentence(error: errors.PackageError, sentence: str) -> None:
    """What was asked, what was found, what to do."""
    assert sentence == str(error)


def test_all_errors_are_one_tree() -> None:
    """Whoever catches the root catches them all, and each has a stable code."""
    found = [item for item in vars(errors).values() if isinstance(item, type)]
    classes = [item for item in found if issubclass(item, errors.PackageError)]
    assert 10 <= len({item.code for item in classes}) == len(classes)
