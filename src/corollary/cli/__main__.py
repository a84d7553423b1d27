"""`python -m corollary.cli`, where the installed command is not on the path."""

from . import main

main(prog_name="corollary")
