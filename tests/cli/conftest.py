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


ITEMS = """\
id,text,labels
robin,small and red-breasted,bird
carp,in the pond,
cow,gives milk,
Rome,seven hills,city
"""


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """Things to label, two of them labelled."""
    path = tmp_path / "things.csv"
    path.write_text(ITEMS, encoding="utf-8")
    return path


@pytest.fixture
def place(call: Callable[..., Result], zoo: Path, items: Path, tmp_path: Path) -> Path:
    """A campaign of four things."""
    path = tmp_path / "zoo.sqlite"
    assert call("new", path, "--items", items, "--ontology", zoo, "--pick", "never").exit_code == 0
    return path
