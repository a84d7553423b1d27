"""What a model is sure of: found, audited by chance, and accepted all at once."""
