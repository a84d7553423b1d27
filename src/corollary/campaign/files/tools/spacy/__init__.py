"""spaCy: texts with cats, as JSON lines or its own binary files."""
