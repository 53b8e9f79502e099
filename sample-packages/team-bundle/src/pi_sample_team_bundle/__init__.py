"""The bundle: see `pi.toml` for what it brings."""
