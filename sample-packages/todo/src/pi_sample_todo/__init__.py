"""A to-do list for the agent. The extension is in `extension.py`, the list itself in `items.py`."""
