"""What a session loads and when: user first, then the project if it is trusted.

Enter by the file that does it: `loader` (the passes), `import_path` (where packages are imported from).

Pure.
"""
