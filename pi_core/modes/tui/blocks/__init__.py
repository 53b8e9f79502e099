"""The kinds of blocks: what a person said, what a model answered, what tools did, and what there is to know.

Pure.
"""
