"""Holds skills, prompts and themes. There is no code here."""
