"""The built-in tools: read, write, edit, bash and the rules that they share.

Pure.
"""
