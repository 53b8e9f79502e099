"""The gate before destructive commands, from pi-sample-permission-gate."""

from pi_sample_permission_gate import extension

__all__ = ["extension"]
