"""Data sets: truth, ontology and split together, and where they come from."""
