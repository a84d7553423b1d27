"""When to stop: how far beliefs can be trusted, and what a target takes."""
