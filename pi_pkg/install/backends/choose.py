"""Which backend runs: uv where it is found, else pip, unless the settings say.

Touches: files (to find uv).
"""

from __future__ import annotations

from collections.abc import Mapping

from pi_pkg.install.backends.base import Backend
from pi_pkg.install.backends.pip import PipBackend
from pi_pkg.install.backends.uv import UvBackend, find_uv
from pi_pkg.install.errors import IndexConfigError


def choose_backend(preference: object, environ: Mapping[str, str]) -> Backend:
    """The backend for `install.backend` of the settings: `auto` (or None), `uv` or `pip`.

    Raises IndexConfigError for another word, or for `uv` where there is none.
    """
    if preference not in (None, "auto", "uv", "pip"):
        raise IndexConfigError(
            f"install.backend in settings.toml is {preference!r}.", hint='Use "auto", "uv" or "pip".'
        )
    uv = None if preference == "pip" else find_uv(environ)
    if uv is not None:
        return UvBackend(uv)
    if preference == "uv":
        raise IndexConfigError(
            "install.backend is uv, but there is no uv beside pi or on the PATH.",
            hint="Install the extra pi-pluggy[uv], or use pip.",
        )
    return PipBackend()
