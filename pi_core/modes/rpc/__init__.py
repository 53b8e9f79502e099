"""The rpc mode: a program drives the agent by commands on standard input and reads records on its output.

Pure.
"""
