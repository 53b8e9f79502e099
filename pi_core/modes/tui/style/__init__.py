"""How things look: palettes, themes and the colours of code.

Pure.
"""
