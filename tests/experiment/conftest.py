"""A table of iris to damage."""

from __future__ import annotations

import pytest

from .known_sets import table_of


@pytest.fixture
def iris(tmp_path):
    """A table of iris to damage."""
    return table_of("iris", tmp_path)
