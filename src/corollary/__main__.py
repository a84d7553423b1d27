"""`python -m corollary` is `corollary`."""

from .cli import main

main()
