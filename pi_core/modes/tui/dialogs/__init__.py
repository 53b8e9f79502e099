"""Screens that ask: they stand on top of the conversation until they are answered, or time is up.

Pure.
"""
