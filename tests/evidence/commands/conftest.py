"""The command line of the evidence, and a table to call it on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evidence.__main__ import main

from ...experiment.made_up import written_things


@pytest.fixture
def call() -> Callable[..., Result]:
    """Run `python -m evidence` with these arguments; an unclean exit fails the test."""

    def run(*arguments: object) -> Result:
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def things(tmp_path: Path) -> tuple[Path, Path]:
    """A table of thirty items and its ontology."""
    return written_things(tmp_path)
