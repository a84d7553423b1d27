"""A command line to call and an ontology file to call it on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from corollary.cli import main

ZOO = """\
animal > exclusive: bird, fish, mammal
place > exclusive: city, "red square"
exclusive: animal, place
rule: flies >> bird
"""


@pytest.fixture
def call() -> Callable[..., Result]:
    """Run `corollary` with these arguments; whatever is not a clean exit fails the test."""

    def run(*arguments: object) -> Result:
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    """An ontology without faults."""
    path = tmp_path / "zoo.onto"
    path.write_text(ZOO, encoding="utf-8")
    return path
