"""Learners fit facts and give beliefs.

The default pool and its members, the paper's learner, scikit-learn's.
"""
