"""What runs of several methods are worth beside each other, in figures, words and pictures."""
