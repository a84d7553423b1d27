"""The options by which files of items are read."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from corollary.campaign.files.imports.file_form import Form
from corollary.cli.forms import form_of, form_options, size


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [("1000", 1000), ("2GB", 2 << 30), (" 500 mb ", 500 << 20), ("1.5K", 1536), ("3B", 3)],
)
def test_sizes(text, bytes_):
    assert size(text) == bytes_


@pytest.mark.parametrize("text", ["", "GB", "-1", "1TB", "1e6", "two"])
def test_what_is_no_size(text):
    with pytest.raises(click.BadParameter, match="is not a size; write one like 500MB or 2GB"):
        size(text)


def test_options_become_a_form():
    found = []

    @click.command()
    @form_options
    def command(**options):
        found.append(form_of(options))

    assert CliRunner().invoke(command, []).exit_code == 0
    words = (
        "--id :row --text what --complete --ignore a --ignore b --separator / --limit 1K".split()
    )
    assert CliRunner().invoke(command, words).exit_code == 0
    assert found == [
        Form(),
        Form(id=":row", text="what", complete=True, ignore=("a", "b"), separator="/", limit=1024),
    ]
