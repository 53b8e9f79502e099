"""Times tool calls through pluggy's door; see `timing.py`."""
