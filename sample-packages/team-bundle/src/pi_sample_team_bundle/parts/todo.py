"""The to-do list, from pi-sample-todo."""

from pi_sample_todo.extension import extension

__all__ = ["extension"]
