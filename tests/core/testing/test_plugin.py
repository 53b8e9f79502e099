"""The pytest plugin, as an author meets it: fixtures that are there by themselves, in a run of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.core.extensions.support import write
from tests.support.agent_cli import python_environ

ROOT = Path(__file__).resolve().parents[3]
PYPROJECT = """
    [build-system]
    requires = ["hatchling"]
    build-backend = "hatchling.build"
    [project]
    name = "acme-gate"
    version = "1.0"
    [project.entry-points.pi]
    acme-gate = "acme_gate"
    [tool.hatch.build.targets.wheel]
    packages = ["src/acme_gate"]
"""
EXTENSION = """
    from pi_core.api import Block
    def extension(pi):
        pi.on("tool_call", lambda event, ctx: Block("no"))
        pi.every(60, lambda: pi.append_entry("minute"))
        @pi.tool
        def where() -> str:
            "Say where this file is."
            return __file__
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with an extension and a skill."""
    root = tmp_path / "acme-gate"
    write(root / "pyproject.toml", PYPROJECT)
    write(root / "src" / "acme_gate" / "__init__.py", "")
    write(root / "src" / "acme_gate" / "extensions" / "gate.py", EXTENSION)
    skill = "---\nname: review\ndescription: Review a change\n---\nLook.\n"
    write(root / "src" / "acme_gate" / "skills" / "review" / "SKILL.md", skill)
    return root


def run(package: Path, tests: str, *options: str) -> str:
    """What pytest says about the author's tests."""
    write(package / "tests" / "test_gate.py", tests)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "pi_core.testing.plugin", "-c", os.devnull,
         "--rootdir", ".", "-p", "no:cacheprovider", *options, "tests"],
        cwd=package,
        env={**python_environ(), "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_the_plugin_is_found_by_itself() -> None:
    """The distribution advertises it to pytest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"pi": "pi_core.testing.plugin"} == project["entry-points"]["pytest11"]


def test_it_costs_a_run_without_pi_nothing() -> None:
    """Loading it imports nothing of pi but itself and what it stands in."""
    script = (
        "import sys, pytest; before = set(sys.modules); import pi_core.testing.plugin\n"
        "print(*(name for name in set(sys.modules) - before if name.startswith(('pi_', 'hookspecs'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=python_environ(), capture_output=True, text=True, check=True
    )
    assert {"pi_core", "pi_core.testing", "pi_core.testing.plugin"} == set(done.stdout.split())


@pytest.mark.slow
def test_an_authors_tests_pass(package: Path) -> None:
    """Harness, session and package, in plain functions."""
    said = run(
        package,
        """
        from pi_core.api import ToolCall

        def test_harness(pi_harness, pi_package):
            pi = pi_harness(*pi_package().requests)
            assert pi.emit(ToolCall(tool_name="bash", tool_call_id="1", input={})).reason == "no"
            pi.advance(121)
            assert len(pi.host.session.entries) == 2

        def test_session(pi_session, pi_package):
            (gate,) = (request.path for request in pi_package().requests)
            pi = pi_session(gate, script=[{"tool": "bash", "arguments": {"command": "ls"}}, "done"])
            pi.prompt("list")
            assert pi.texts == ["done"]
            assert pi.results[0].is_error

        def test_the_wheel_brings_what_the_tree_has(pi_package):
            tree, wheel = pi_package(), pi_package(wheel=True)
            assert tree.extensions == wheel.extensions == ("acme_gate/extensions/gate.py",)
            assert tree.skills == wheel.skills == ("acme_gate/skills/review/SKILL.md",)
            assert wheel.diagnostics == ()

        def test_the_wheel_is_what_runs(pi_harness, pi_package):
            pi = pi_harness(*pi_package(wheel=True).requests)
            assert "site" in pi.call_tool("where").content
        """,
    )
    assert "4 passed" in said, said


@pytest.mark.slow
def test_what_the_wheel_lacks_shows(package: Path) -> None:
    """The classic: skills that stand in the tree and are not packed."""
    write(package / "pyproject.toml", PYPROJECT + '    exclude = ["src/acme_gate/skills"]\n')
    said = run(
        package,
        """
        def test_packed(pi_package):
            assert pi_package().skills == pi_package(wheel=True).skills
        """,
    )
    assert "1 failed" in said, said
    assert "acme_gate/skills/review/SKILL.md" in said


@pytest.mark.slow
def test_the_trees_modules_come_back(package: Path) -> None:
    """What the test imported from the tree is there again after a test of the wheel."""
    said = run(
        package,
        """
        import sys
        sys.path.insert(0, "src")
        import acme_gate
        from pathlib import Path

        def test_wheel(pi_package):
            pi_package(wheel=True)
            import acme_gate as other
            assert "site" in other.__file__

        def test_tree():
            assert sys.modules["acme_gate"] is acme_gate
            assert not [path for path in sys.path if path.endswith("site")]
        """,
    )
    assert "2 passed" in said, said


@pytest.mark.slow
def test_failures_are_told(package: Path) -> None:
    """A broken handler is an error at the end of its test, a broken build says what the backend said."""
    write(package / "other" / "pyproject.toml", '[build-system]\nbuild-backend = "acme_nowhere.build"\n')
    said = run(
        package,
        """
        import pytest
        from pi_core.api import TurnStart
        from pi_core.testing import WheelBuildError

        def broken(pi):
            pi.on("turn_start", lambda event, ctx: 1 / 0)

        def test_strict(pi_harness):
            pi_harness(broken).emit(TurnStart(turn_index=0, timestamp=0))

        def test_lenient(pi_harness):
            pi_harness(broken, strict=False).emit(TurnStart(turn_index=0, timestamp=0))

        def test_build(pi_package):
            with pytest.raises(WheelBuildError, match="acme_nowhere"):
                pi_package("other", wheel=True)
        """,
    )
    assert "3 passed, 1 error" in said, said
    assert "division by zero" in said
