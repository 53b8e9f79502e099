"""What is released, as strangers get it."""
