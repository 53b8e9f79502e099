"""The history of a conversation: entries in a tree, kept in a session file.

Pure.
"""
