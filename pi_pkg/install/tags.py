"""Which interpreter, and for compiled modules which machine, a generation was built for.

A home may be shared between machines, or mounted into a container: what holds only Python fits wherever
the same version runs, what holds compiled modules fits the same kind of machine.

Pure.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Final

COMPILED: Final = (".so", ".pyd", ".dll", ".dylib")
"""Endings of files that only one kind of machine can load."""


def python_tag() -> str:
    """The tag of the running interpreter, such as `cpython-311`."""
    version = f"{sys.version_info[0]}{sys.version_info[1]}"
    return sys.implementation.cache_tag or f"{sys.implementation.name}-{version}"


def machine_tag() -> str:
    """The tag of the running interpreter on this machine, such as `cpython-311-x86_64-linux-gnu`."""
    tag = EXTENSION_SUFFIXES[0].lstrip(".").rpartition(".")[0] or python_tag()
    machine = os.uname().machine if hasattr(os, "uname") else ""
    return tag if machine in tag else f"{tag}-{machine}"


def fits_here(tag: str) -> bool:
    """Whether what was built for a tag can be used by the running interpreter."""
    return tag in (python_tag(), machine_tag())
