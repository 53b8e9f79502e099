"""The pages of the documentation, run block by block."""
