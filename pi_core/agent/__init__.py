"""The loop: a model answers, its tool calls run, until nothing is left to do.

Pure.
"""
