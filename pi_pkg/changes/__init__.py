"""Changes of one scope: files first and settings last to bring in, settings first and files last to remove.

Whatever fails, the settings file keeps its bytes and the generation that was in force stays in force.

Pure.
"""
