"""The live product: a conversation with its agent, its extensions and its file.

Enter by the file that does it: `session` (the face), `runtime` (what a session is built from).

Pure.
"""
