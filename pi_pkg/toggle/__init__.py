"""Switching one resource or package on or off, and nothing else with it.

Enter by `toggle` (the change) or `tokens` (who is meant).

Pure.
"""
