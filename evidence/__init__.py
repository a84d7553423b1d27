"""The evidence: which comparisons there are, all of them run by one command, and the page that is made of them."""
