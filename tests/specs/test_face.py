"""The face of hookspecs: every public name of its files, and nothing imported before it is asked for.

Touches: processes.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hookspecs

FOLDER = Path(hookspecs.__file__).parent
PRIVATE = {"F", "ASYNC_WRAPPER_FLAG", "HOST_ONLY"}
"""Names that files share among themselves."""


def defined(path: Path) -> set[str]:
    """The public names that a file defines at its top."""
    names: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in names if not name.startswith("_")} - PRIVATE


def test_the_face_shows_every_public_name() -> None:
    """What a file defines is on the face, and the other way round."""
    files = [path for path in FOLDER.rglob("*.py") if path != FOLDER / "__init__.py"]
    assert set().union(*map(defined, files)) == set(hookspecs.__all__)


@pytest.mark.parametrize("name", hookspecs.__all__)
def test_a_name_can_be_imported(name: str) -> None:
    """Each name leads to the very value that one of the files defines."""
    value = getattr(hookspecs, name)
    files = [module for key, module in sys.modules.items() if key.startswith("hookspecs.")]
    assert any(vars(module).get(name) is value for module in files)
    assert name in dir(hookspecs)


def test_an_unknown_name_is_an_error() -> None:
    """The message names the module and the name."""
    with pytest.raises(AttributeError, match=r"'hookspecs' has no attribute 'Blok'"):
        getattr(hookspecs, "Blok")  # noqa: B009 - the attribute must not exist


def test_importing_the_face_imports_nothing_else() -> None:
    """Neither pluggy nor a file of events is loaded by the import alone."""
    code = "import sys, hookspecs; print([n for n in sys.modules if n.startswith(('hookspecs.', 'pluggy'))])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=FOLDER.parent
    )
    assert "[]" == done.stdout.strip()
