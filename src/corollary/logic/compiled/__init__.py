"""The compiled ontology: what follows from facts, and how probable everything is, many items at once."""
