"""Searching the texts of items."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.items import Item
from corollary.campaign.reading.item_texts import Texts


@given(
    st.lists(st.text(alphabet="aB ", max_size=6), max_size=8),
    st.lists(st.text(alphabet="ab ", min_size=1), max_size=5),
)
def test_searching_gives_the_same_whatever_was_searched_before(texts, queries):
    items, kept = {f"{n}": Item(f"{n}", text=text) for n, text in enumerate(texts)}, Texts()
    for query in queries:
        plain = [
            query.casefold() in f"{item.id}\n{item.text}".casefold() for item in items.values()
        ]
        assert kept.having(query, len(items), kept.missing(items)).tolist() == plain
        items[f"new {len(items)}"] = Item(f"new {len(items)}", text="b a")
