"""The chat log: blocks, where they stand, and the widget that shows the part that is in sight.

Pure.
"""
