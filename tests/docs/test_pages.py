"""The reader of pages itself: it must notice what is wrong."""

from __future__ import annotations

import pytest

import corollary as co

from .pages import Reader, assert_shown, blocks, check_command


def follow(text: str) -> Reader:
    reader = Reader("a page")
    reader.follow(blocks(text))
    return reader


def test_files_are_written_and_python_goes_on_from_block_to_block(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (
        '```onto title="zoo.onto"\nanimal > bird\n```\n'
        '```python\nimport corollary as co\nonto = co.Ontology.load("zoo.onto")\n```\n'
        '```python\nprint(onto.propagate({"bird": True}))\n```\n'
        "```text title=\"prints\"\n{'animal': ..., 'bird': True}\n```\n"
        "```console\n$ corollary explain zoo.onto --given bird=yes\n∴ animal  yes  ...\n```\n"
    )
    assert follow(page).ran == 3


def test_an_error_that_the_page_tells_of():
    text = "import corollary as co\no = co.Ontology.parse('exclusive: a, b')\n"
    follow(f"```python\n{text}o.propagate({{'a': True, 'b': True}})  # Contradiction: both\n```\n")
    with pytest.raises(AssertionError, match="was not raised"):
        follow(f"```python\n{text}o.propagate({{'a': True}})  # Contradiction: both\n```\n")
    with pytest.raises(co.Contradiction):
        follow(f"```python\n{text}o.propagate({{'a': True, 'b': True}})\n```\n")


def test_what_is_shown_must_be_printed():
    assert_shown("one\n...\nthree ... five", "one\ntwo\n\nthree four five\n", "here")
    assert_shown("two", "one\ntwo\n", "here")
    with pytest.raises(AssertionError, match="but this was printed"):
        assert_shown("one\nthree", "one\ntwo\nthree\n", "here")
    with pytest.raises(AssertionError, match="but this was printed"):
        assert_shown("97 questions", "98 questions\n", "here")
    assert_shown(
        "97 questions, -1.5 (60.00%)", "1,098 questions, 0.25 (70.12%)\n", "here", about=True
    )
    with pytest.raises(AssertionError, match="but this was printed"):
        assert_shown("97 questions", "98 answers\n", "here", about=True)


@pytest.mark.parametrize(
    "command", ["corollary nix", "corollary lint a.onto --nix", "corollary datasets nix"]
)
def test_commands_that_are_not_there(command):
    with pytest.raises(AssertionError, match="no command|[Nn]o such option"):
        check_command(command, "here")


def test_a_command_that_fails_is_noticed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="ended with 2"):
        follow("```console\n$ corollary lint missing.onto\n```\n")
    follow("<!-- fails -->\n```console\n$ corollary lint missing.onto\n```\n")
    with pytest.raises(AssertionError, match="what is 'rm'"):
        follow("```console\n$ rm -r missing\n```\n")


def test_keys_are_pressed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (
        '```onto title="zoo.onto"\nanimal > exclusive: bird, fish\n```\n```csv title="zoo.csv"\nid,text\n1,robin\n```\n'
        "```console\n$ corollary new zoo.sqlite --items zoo.csv --ontology zoo.onto\n```\n"
        "<!-- keys: y n q -->\n```console\n$ corollary ask zoo.sqlite\n...\n2 answered; ...\n```\n"
    )
    assert follow(page).ran == 2
