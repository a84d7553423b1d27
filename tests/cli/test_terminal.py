"""What commands print: signs that steer a terminal are shown, not obeyed."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary.cli
from corollary import Ontology
from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.cli import main
from corollary.cli.terminal import harmless

BAD = "\x1b]0;owned\x07\x1b[2J\x9b1m\r\u202e"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@given(st.text(st.characters(categories=["Cc", "Cf", "L", "P"])))
def test_nothing_that_a_terminal_obeys_is_left(text):
    assert not OBEYED.search(re.sub("\x1b\\[(?:[012]|3[0-7])m", "", harmless(text)))


def test_colours_and_line_ends_stay():
    for text in (click.style("yes", fg="cyan", bold=True), "a\r\nb".replace("\r", ""), "∴ ü 🐟\t"):
        assert harmless(text) == text
    assert harmless("a\r\nb") == "a\nb"
    assert harmless("\x1b[8mhidden") == "\\u001b[8mhidden"


@pytest.fixture
def place(tmp_path):
    path = str(tmp_path / "bad.sqlite")
    item = Item("a" + BAD, text=f"text {BAD}", fields={"field" + BAD: BAD})
    Campaign.create(
        path, [item], Ontology.parse("animal > bird, fish\nexclusive: bird, fish"), name="x" + BAD
    ).close()
    return path


@pytest.mark.parametrize(
    ("command", "keys"),
    [("ask", "yu q"), ("status", ""), ("undo", ""), ("replay", ""), ("backup", "")],
)
def test_commands_show_it(place, command, keys, tmp_path, monkeypatch):
    from click.testing import CliRunner

    monkeypatch.chdir(tmp_path)
    if command == "undo":
        with Campaign.open(place) as campaign:
            campaign.answer("lead", campaign.items()[0].id, "bird", True)
    done = CliRunner().invoke(main, [command, place], input=keys)
    assert done.exit_code == 0, done.output
    assert not OBEYED.search(re.sub("\x1b\\[(?:[012]|3[0-7])m", "", done.output))
    assert "\\u001b[2J" in done.output


def test_commands_print_by_one_function():
    folder = Path(corollary.cli.__file__).parent
    assert [
        file.name
        for file in folder.glob("*.py")
        if "click.echo" in file.read_text(encoding="utf-8")
    ] == ["terminal.py"]
