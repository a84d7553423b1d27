"""Sure predictions of a model: found, audited at random, and accepted all at once."""
