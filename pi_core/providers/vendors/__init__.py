"""What only the vendors' libraries know how to do; nothing outside imports these modules at start-up.

Pure.
"""
