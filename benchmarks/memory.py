"""Suite `memory`: what a session keeps for each label of each item, in bytes a cell, beliefs not counted.

Memory is what Python and numpy asked for (tracemalloc), so that the figures are the same on every machine; what the
process grew by at most, as the system saw it, stands beside them.
"""

from __future__ import annotations

import gc
import tracemalloc
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import corollary as co
from corollary.campaign.settings import Settings
from corollary.campaign.state.campaign_session import CampaignSession
from corollary.campaign.state.fallible_session import FallibleSession
from corollary.campaign.state.weighing import Heard, Statement
from corollary.learning.session.options import grouped
from corollary.learning.session.session import Session
from corollary.learning.session.training import TrainingInput, TrainingResult

from . import peak_megabytes

Figures = dict[str, Any]
#: Items and labels.
Sizes = tuple[tuple[int, int], ...]
SIZES: Sizes = ((200_000, 100), (50_000, 272))
ANSWERS = 2_000
TARGET = ("at most", 12)


def taxonomy(k: int) -> co.Ontology:
    """Labels of which each has up to five below it that exclude each other, as the first ones do."""
    labels = [f"l{i}" for i in range(k)]
    groups = [labels[i : i + 5] for i in range(0, k, 5)]
    below = [co.subsumes(labels[g - 1], *group) for g, group in enumerate(groups) if g]
    return co.Ontology(
        labels, [*(co.exclusive(*group) for group in groups if len(group) > 1), *below]
    )


def beliefs_of(n: int, k: int) -> Any:
    return np.random.default_rng(0).uniform(0.001, 0.999, (n, k))


class Watch:
    """Bytes a cell that are held beyond what was held at the start."""

    def __init__(self, cells: int):
        gc.collect()
        tracemalloc.start()
        self._cells, self._before = cells, tracemalloc.get_traced_memory()[0]

    def held(self) -> float:
        gc.collect()
        return (tracemalloc.get_traced_memory()[0] - self._before) / self._cells

    def peak(self) -> float:
        """The most since the last call."""
        peak = (tracemalloc.get_traced_memory()[1] - self._before) / self._cells
        tracemalloc.reset_peak()
        return peak


def lived(make: Callable[[], Any], cells: int, *, who: str | None = None) -> Figures:
    """A session is made, asks, is answered, is trained again while it is answered: what it holds, and the most."""
    watch, out, peaks = Watch(cells), Figures(), []

    def note(when: str) -> None:
        peaks.append(watch.peak())
        out[when] = watch.held()

    session = make()
    note("made")
    session.ask()
    note("first question asked")
    for _ in range(ANSWERS):
        (question,) = session.ask(who=who)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # answers that clash
            session.answer(question, question.score > 0.69, who=who)
    note(f"after {ANSWERS:,} answers")
    session.retrain()
    note("trained again")
    session.retrain(wait=False)
    (question,) = session.ask(who=who)
    session.answer(question, False, who=who)
    session.wait()
    note("trained in the background")
    tracemalloc.stop()
    return out | {"at most at any time": max(peaks)}


def of_sizes(measure: Callable[[int, int], Figures], sizes: Sizes) -> Figures:
    """What was measured at each size, with the target for each figure."""
    out: Figures = {"targets": {}}
    for n, k in sizes:
        for name, value in measure(n, k).items():
            out[f"{n:,} x {k}, {name}"] = value
            out["targets"][f"{n:,} x {k}, {name}"] = TARGET
    return out


def of_session(sizes: Sizes, *, who: str | None = None, **options: Any) -> Figures:
    def measure(n: int, k: int) -> Figures:
        onto, beliefs = taxonomy(k), beliefs_of(n, k)
        Session(onto, beliefs=beliefs[:1000], **grouped(options)).ask()
        return lived(lambda: Session(onto, beliefs=beliefs, **grouped(options)), n * k, who=who)

    return of_sizes(measure, sizes)


def answers_are_facts() -> Figures:
    """A session with the default score, which takes the best question each time."""
    return of_session(SIZES)


def staying() -> Figures:
    """The same where questions go on with an item, the default where a session learns."""
    return of_session(SIZES[1:], stay="item")


def staying_on_labels() -> Figures:
    """The same where they go on with a label: every question's worth is kept, twice while a training ends."""
    return of_session(SIZES[1:], stay="label")


def fallible() -> Figures:
    """The same where answers may be wrong."""
    return of_session(SIZES, who="ann", fallible=True)


def settled() -> Figures:
    """A session of items that are all known from the start, and one where all are but a thousandth."""

    def measure(n: int, k: int) -> Figures:
        onto, beliefs = taxonomy(k), beliefs_of(n, k)
        truth = onto.most_probable(beliefs)
        out = Figures()
        for name, opened in (("all known", 0), ("all but a thousandth", n // 1000)):
            facts = truth.copy()
            facts[:opened] = -1
            watch = Watch(n * k)
            session = Session(onto, beliefs=beliefs, facts=facts)
            session.ask()
            out[f"{name}, at most"] = watch.peak()
            out[name] = watch.held()
            tracemalloc.stop()
            del session
        return out

    return of_sizes(measure, SIZES)


def campaign() -> Figures:
    """The session of a campaign with people who answer: what is asked, answered and trained; items and events apart."""
    return of_sizes(lambda n, k: _of_campaign(n, k, CampaignSession), SIZES[1:])


def campaign_fallible() -> Figures:
    """The same where they can be wrong."""
    return of_sizes(
        lambda n, k: _of_campaign(n, k, partial(FallibleSession, heard={}, trust={})), SIZES[1:]
    )


def _of_campaign(n: int, k: int, kind: Callable[..., Any]) -> Figures:
    onto, beliefs, ids = taxonomy(k), beliefs_of(n, k), [str(i) for i in range(n)]
    Session(onto, beliefs=beliefs[:1000]).ask()
    watch, out, peaks = Watch(n * k), Figures(), []

    def note(when: str) -> None:
        peaks.append(watch.peak())
        out[when] = watch.held()

    def train(_: TrainingInput) -> TrainingResult:
        return TrainingResult(beliefs)

    answers, skipped, held = (
        np.full((n, k), -1, np.int8),
        np.zeros((n, k + 1), np.bool_),
        np.zeros(n, np.bool_),
    )
    session = kind(
        onto,
        ids,
        beliefs,
        Settings(pick="never"),
        answers=answers,
        known=answers.copy(),
        skipped=skipped,
        held=held,
    )
    del answers, skipped, held
    note("made")
    session.ask(0)
    note("first question asked")
    for _ in range(ANSWERS):
        i, label = session.best()
        said = {onto.labels[label]: False}
        if kind is CampaignSession:
            session.restate(ids[i], said)
        else:
            statements = (Statement("ann", {label: False}, 0),)
            session.hear(ids[i], Heard({}, session.sure[i], statements), said)
    note(f"after {ANSWERS:,} answers")
    for _ in range(2):
        session.train(train)
        session.take_up(wait=True)
    note("trained in the background")
    tracemalloc.stop()
    return out | {"at most at any time": max(peaks)}


def resident() -> Figures:
    """How far the process grows while a session of 1,000,000 items x 26 labels is made and asks, by the system."""
    onto, beliefs = taxonomy(26), beliefs_of(1_000_000, 26)
    Session(onto, beliefs=beliefs[:1000]).ask()
    _, megabytes = peak_megabytes(lambda: Session(onto, beliefs=beliefs).ask())
    return {"bytes a cell": 1e6 * megabytes / beliefs.size, "targets": {"bytes a cell": TARGET}}


CASES = {
    "answers are facts": answers_are_facts,
    "staying on items": staying,
    "staying on labels": staying_on_labels,
    "answers may be wrong": fallible,
    "items that are settled": settled,
    "a campaign": campaign,
    "a campaign where people can be wrong": campaign_fallible,
    "resident": resident,
}
