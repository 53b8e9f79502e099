"""Keeps an extension that is being loaded from ending the process under everybody else.

`sys.exit` raises and is caught; `os._exit` would not even say goodbye.

Touches: the function os._exit, while it holds.
"""

from __future__ import annotations

import os
import threading
from typing import Any, NoReturn


class HeldExit:
    """While it holds, `os._exit` in the thread that made it raises SystemExit; others, and children, exit."""

    __slots__ = ("_process", "_real", "_refusal", "_thread")

    def __init__(self) -> None:
        self._real: Any = None
        self._refusal: Any = self._refuse
        self._process = os.getpid()
        self._thread = threading.get_ident()

    def __enter__(self) -> None:
        self._real, os._exit = os._exit, self._refusal

    def __exit__(self, *error: object) -> None:
        os._exit = self._real

    def _refuse(self, status: int) -> NoReturn:
        if os.getpid() != self._process or threading.get_ident() != self._thread:
            self._real(status)
        raise SystemExit(status)
