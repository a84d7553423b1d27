"""The labels as files, each value with where it comes from."""
