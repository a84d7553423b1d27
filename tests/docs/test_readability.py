"""Pages say for whom they are, open with a short summary, and have short sentences."""

from __future__ import annotations

import re
from statistics import median

import pytest

from tests.prose import GENERATED, markdown_passages

from .pages import PAGES, ROOT

#: Words in a sentence: half of the sentences of a page have at most the first number, and none more than the second.
USUAL, MOST = 18, 40
#: Pages of results that readers look up, each with a short page in front of it.
SUMMARIES = ("evidence", "fewer-questions", "stopping", "benchmarks", "witnesses")
READ = [page for page in PAGES if str(page.relative_to(ROOT)) not in GENERATED]
#: The README and the start page open with the product; reports of comparisons are made by scripts.
OPENING = [page for page in READ if page.name not in ("README.md", "index.md", "report.md")]


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", READ, ids=name_of)
def test_sentences_are_short(page):
    lengths = sentence_lengths(page.read_text(encoding="utf-8"))
    assert not lengths or median(lengths) <= USUAL
    assert max(lengths, default=0) <= MOST


def sentence_lengths(text):
    """Words of each sentence; a colon does not end one."""
    return [
        len(sentence.split())
        for _, passage in markdown_passages(text)
        for sentence in re.split(r"(?<=[.!?])[)*\"']*\s+", passage)
        if sentence.strip()
    ]


@pytest.mark.parametrize("page", OPENING, ids=name_of)
def test_pages_say_for_whom_they_are_and_what_readers_will_have(page):
    _, _, after_title = page.read_text(encoding="utf-8").partition("\n\n")
    opening = after_title.partition("\n\n")[0]
    assert opening.startswith("For ")
    assert re.search(r"\b[Yy]ou(r)?\b", opening)


@pytest.mark.parametrize("name", SUMMARIES)
def test_results_open_with_a_summary_and_one_table(name):
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    short = page.partition("## In short\n")[2] or page
    before, _, _ = short.partition("\n| ")
    summary = re.sub(r"```.*?```|^#.*$", "", before, flags=re.S | re.M)
    assert len(summary.split()) <= 120
    _head, _line, *rows = short[len(before) :].strip().partition("\n\n")[0].splitlines()
    assert len(rows) <= 7
