"""A session as one web page that needs nothing else: to read, to keep and to hand on.

Pure.
"""
