"""Classifiers of scikit-learn, and others of their shape: all classes at once, all labels, or a clone for each."""
