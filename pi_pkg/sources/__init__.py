"""A source string becomes a value that knows what it identifies.

Pure.
"""
