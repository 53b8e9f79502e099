"""Paths that stay as they are, from pi-sample-protected-paths."""

from pi_sample_protected_paths import extension

__all__ = ["extension"]
