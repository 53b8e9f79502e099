"""Everything that becomes prompt text: templates, skills, context files, the system prompt.

Pure.
"""
