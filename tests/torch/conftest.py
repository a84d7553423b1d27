"""Without PyTorch, as in make test, none of these tests is run; make test-torch runs them all."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["*.py"]
