"""Suite `items`: a page of the list of 500,000 items with 20 labels, however it is searched, filtered and sorted.

Milliseconds are the processor's: on a busy machine a page waits for its turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import RLock
from types import SimpleNamespace
from typing import Any

import numpy as np

from corollary.campaign.events import Event
from corollary.campaign.items import Item
from corollary.campaign.labels.label_places import Places
from corollary.campaign.reading.item_list import ItemList, Wanted
from corollary.campaign.state.state import State
from corollary.logic.ontology import Ontology

from . import peak_megabytes

Figures = dict[str, Any]
N = 500_000
ANSWERED = 5_000
WORDS = (
    "transfer money account card bill flight hotel weather alarm music order balance please "
    "tomorrow what is my"
).split()
TEXT = """
a > exclusive: a1, a2, a3, a4, a5
b > exclusive: b1, b2, b3, b4, b5
c > exclusive: c1, c2, c3, c4, c5
exclusive: a, b, c
exclusive: x, y
"""
WISHES = {
    "in their order": Wanted(),
    "by doubt": Wanted(sort="doubt"),
    "by doubt of a label": Wanted(label="a1", sort="doubt"),
    "by probability of a label": Wanted(label="b2", sort="probability"),
    "a label open, by doubt": Wanted(label="c3", state="open", sort="doubt"),
    "any label implied": Wanted(state="implied"),
    "a label predicted, by probability": Wanted(label="b2", state="predicted", sort="probability"),
    "doubtful": Wanted(mark="doubtful"),
    "by whom": Wanted(who="ann"),
}


def campaign() -> SimpleNamespace:
    """What the list needs of a campaign at work, in memory: items with texts, answers, and a model's beliefs."""
    rng = np.random.default_rng(0)
    onto = Ontology.parse(TEXT)
    chosen = rng.integers(len(WORDS), size=(N, 12))
    items = {
        f"q{i}": Item(f"q{i}", " ".join([WORDS[w] for w in row]))
        for i, row in enumerate(chosen.tolist())
    }
    rows = rng.choice(N, ANSWERED, replace=False).tolist()
    events = [
        Event(kind="answer", who="ann", item=f"q{i}", label="a1", value=n % 3 == 0, seq=n + 1)
        for n, i in enumerate(rows)
    ]
    model = Event(
        kind="model",
        who="system",
        value=1,
        detail={"upto": ANSWERED, "sha256": "0"},
        seq=ANSWERED + 1,
    )
    beliefs = rng.uniform(0.01, 0.99, (N, len(onto)))
    state = State(tuple(items), {1: onto}, [*events, model], beliefs=beliefs)
    state.session.ask(0)
    return SimpleNamespace(
        ledger=SimpleNamespace(lock=RLock()), state=state, items=items, places=Places(onto)
    )


def pages() -> Figures:
    """A page of 50 of 500,000 items x 20 labels, the first and one far down, in milliseconds."""
    live = campaign()
    listed = ItemList(live)
    out: Figures = {"targets": {}}
    _, megabytes = peak_megabytes(
        lambda: [listed.page(one) for one in (Wanted(query="zzz"), Wanted(sort="doubt"))]
    )
    out["memory for texts and probabilities, megabytes"] = megabytes
    out["after a new model, once, ms"] = _milliseconds(
        lambda: ItemList(live).page(Wanted(sort="doubt")), repeat=1
    )
    for name, wanted in WISHES.items():
        for offset in (0, 2_000):
            figure = f"{name}, from {offset:,}, ms"
            out[figure] = _milliseconds(
                lambda wanted=wanted, offset=offset: listed.page(wanted, offset=offset)
            )
            out["targets"][figure] = ("at most", 100)
    for query in ("weather alarm", "e", "flight hotel flight hotel"):
        figure = f"searched for {query!r}, ms"
        out[figure] = _milliseconds(
            lambda query=query: _forgetting(listed).page(Wanted(query=query, sort="doubt"))
        )
        out["targets"][figure] = ("at most", 100)
    return out


def _forgetting(listed: ItemList) -> ItemList:
    """The list as it is for another query: what the last one found is not at hand."""
    listed._texts._last = None  # noqa: SLF001
    return listed


def _milliseconds(function: Callable[[], object], *, repeat: int = 5) -> float:
    waits = []
    for _ in range(repeat):
        start = time.process_time()
        function()
        waits.append(time.process_time() - start)
    return 1e3 * float(np.median(waits))


CASES = {"pages": pages}
