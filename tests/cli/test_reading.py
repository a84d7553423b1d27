"""How commands read an ontology."""

from __future__ import annotations

import click
from click.testing import CliRunner

from corollary.cli.reading import count, read, reading_options


def test_options_reach_the_reader(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("bird,animal\nfish,animal\n", encoding="utf-8")
    found = []

    @click.command()
    @reading_options("--from")
    def command(**options):
        found.append(read(path, **options))

    assert CliRunner().invoke(command, ["--from", "table"]).exit_code == 0
    assert CliRunner().invoke(command, ["--from", "table", "--siblings-exclusive"]).exit_code == 0
    plain, exclusive = found
    assert plain.labels == exclusive.labels
    assert set(map(str, exclusive.constraints)) > set(map(str, plain.constraints))


def test_what_a_file_does_not_express_is_no_warning_here(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("child,parent,note\nbird,animal,x\n", encoding="utf-8")
    assert read(path, format=None).not_expressed  # a warning would fail the test


def test_counts_in_words():
    assert (count(1, "label"), count(1200, "label")) == ("1 label", "1,200 labels")
    assert (count(2, "person", "people"), count(0, "item")) == ("2 people", "0 items")
