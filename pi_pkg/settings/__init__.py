"""What the user and the project declared: read strictly, merged by rule, edited with care.

Pure.
"""
