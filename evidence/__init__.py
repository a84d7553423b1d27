"""The evidence: which comparisons there are, all of them run by one command, and the pages that are made of them."""
