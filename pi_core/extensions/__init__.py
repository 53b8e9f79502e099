"""Extensions: from a file or a module to registrations, and from registrations to answers.

Enter by the file that does it: `loader` (load), `actions` (what a load shares), `runner` (dispatch).

Pure.
"""
