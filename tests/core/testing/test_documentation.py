"""What docs/testing.md shows runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.core.extensions.support import write
from tests.core.testing.test_plugin import PYPROJECT, run

ROOT = Path(__file__).resolve().parents[3]
EXTENSION = '''
    def extension(pi):
        @pi.tool
        def double(n: int) -> str:
            """Double a number."""
            return str(2 * n)
'''


@pytest.mark.slow
def test_the_examples_pass(tmp_path: Path) -> None:
    """All blocks together are a test file of a package."""
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    write(tmp_path / "pyproject.toml", PYPROJECT)
    write(tmp_path / "src" / "acme_gate" / "__init__.py", "")
    write(tmp_path / "src" / "acme_gate" / "extensions" / "gate.py", EXTENSION)
    said = run(tmp_path, "\n".join(blocks), "-p", "pytest_asyncio.plugin", "--asyncio-mode=auto")
    assert f"{sum(block.count('def test_') for block in blocks)} passed" in said, said
