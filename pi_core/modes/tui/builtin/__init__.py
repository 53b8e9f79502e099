"""The program's own commands, a file for each thing that they are about.

Pure.
"""
