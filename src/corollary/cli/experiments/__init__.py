"""The commands that compare methods."""
