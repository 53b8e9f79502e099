"""Where the coverage-guided engine has no build for the platform, the tests that drive it are not there."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("atheris") else ["test_engine.py"]
