"""The two installers that can fill a generation, behind one small port.

Pure.
"""
