"""The commands that one labels with."""
