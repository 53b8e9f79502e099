"""The version of pi, which existing clients read: major and minor name the contract, the last number is ours.

Pure.
"""

from __future__ import annotations

VERSION = "1.6.0"
