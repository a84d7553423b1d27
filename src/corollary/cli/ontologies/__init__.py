"""The commands that work on an ontology."""
