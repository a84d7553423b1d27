"""Do the tests notice when the core is wrong? Mutants of it, each tried by the tests that should kill it."""
