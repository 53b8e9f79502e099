"""Bringing packages in: a scope's roots become one immutable generation, put in force by one file.

Import from the modules themselves: `index` is all that a reader needs and loads nothing heavy.

Pure.
"""
