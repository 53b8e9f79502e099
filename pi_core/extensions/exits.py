"""Keeps an extension that is being loaded from ending the process under everybody else.

`sys.exit` raises and is caught; `os._exit` would not even say goodbye.

Touches: the function os._exit, while it holds.
"""

from __future__ import annotations

import os
import threading
from typing import Any, Final, NoReturn

REAL_EXIT: Final[Any] = os._exit


class HeldExit:
    """While it holds, `os._exit` in the thread that made it raises SystemExit; others, and children, exit.

    Several may hold at once, in several threads, and let go in any order.
    """

    __slots__ = ("_before", "_held", "_process", "_refusal", "_thread")

    def __init__(self) -> None:
        self._before: Any = REAL_EXIT
        self._held = False
        self._refusal: Any = self._refuse
        self._process = os.getpid()
        self._thread = threading.get_ident()

    def __enter__(self) -> None:
        self._held = True
        self._before, os._exit = os._exit, self._refusal

    def __exit__(self, *error: object) -> None:
        self._held = False
        if os._exit is self._refusal:  # else another one began later and is not through yet
            os._exit = self._before

    def _refuse(self, status: int) -> NoReturn:
        if not self._held or os.getpid() != self._process or threading.get_ident() != self._thread:
            REAL_EXIT(status)
        raise SystemExit(status)
