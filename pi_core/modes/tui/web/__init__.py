"""The same application in a browser on this machine: a server, and a process of its own for every visit.

Pure.
"""
