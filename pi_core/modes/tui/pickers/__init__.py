"""Lists to choose from that know what they list: conversations, and the tree of one.

Pure.
"""
