"""Items and pairs of them, tied by relations: everything that follows, and probabilities."""
