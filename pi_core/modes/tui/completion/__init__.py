"""Proposals while the person types: commands, their arguments, files, and what extensions propose.

Pure.
"""
