"""The logistic regression of the paper, and its kernels."""
