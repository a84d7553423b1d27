"""What fits facts and gives beliefs: the default pool and its members, the paper's learner, classifiers of others."""
