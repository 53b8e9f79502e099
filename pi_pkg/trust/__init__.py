"""Whether the files of a project may be read at all.

Pure.
"""
