"""Tests; see the folder of the same name in the source."""
