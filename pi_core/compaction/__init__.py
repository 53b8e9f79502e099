"""A conversation that grows past the model's window: the older part becomes a summary.

Pure.
"""
