"""What packages and folders contribute to a session, found and ranked without running any of it.

Pure.
"""
