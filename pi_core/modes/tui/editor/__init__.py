"""The editor of prompts: its widget, what was typed before, and what was pasted.

Pure.
"""
