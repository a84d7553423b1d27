"""Sessions, campaigns and pools whose questions are on record, so that they stay the same bit for bit.

`python -m tests.together.learning.recorded` writes the record anew: only where questions are meant to change.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import corollary as co
from corollary.learning.session.options import grouped

RECORD = Path(__file__).with_name("recorded.json")
ZOO = """
animal > exclusive: bird, fish, mammal
place > exclusive: city, river
exclusive: animal, place
rule: flies >> bird
"""
N = 24
PEOPLE = ("ann", "ben", "carl")


class Counts:
    """A learner of fractions: by sums of whole numbers, so that no library rounds otherwise."""

    def fit(self, X: Any, facts: Any) -> Counts:
        facts = np.asarray(facts)
        alike = np.asarray(X)[:, :1] == np.arange(4)
        self.yes = np.stack([(facts[group] == 1).sum(axis=0) for group in alike.T])
        self.no = np.stack([(facts[group] == 0).sum(axis=0) for group in alike.T])
        return self

    def predict_proba(self, X: Any) -> Any:
        X = np.asarray(X).astype(np.int64)
        labels = np.arange(self.yes.shape[1])
        lean = (X[:, 1:2] * (labels + 3) + 7 * X[:, 2:3]) % 101
        yes = self.yes[X[:, 0]] + 0.5 + lean / 101.0
        return yes / (yes + self.no[X[:, 0]] + 1.0)


def world() -> tuple[co.Ontology, Any, Any, Any]:
    """The ontology, items as whole numbers, the truth, and beliefs."""
    onto = co.Ontology.parse(ZOO)
    random = np.random.RandomState(7)
    X = random.randint(0, 90, (N, 4)).astype(np.float64)
    X[:, 0] = random.randint(0, 4, N)
    beliefs = random.randint(5, 95, (N, len(onto))) / 100.0
    truth = onto.most_probable(random.randint(5, 95, (N, len(onto))) / 100.0)
    return onto, X, truth, beliefs


def facts_of(onto: co.Ontology, truth: Any) -> Any:
    """What is known from the start: all of five items, something of five more."""
    facts = np.full(truth.shape, -1, np.int8)
    facts[:5] = truth[:5]
    facts[5:10, ::3] = truth[5:10, ::3]
    return facts


def shown(question: co.Question | co.ItemQuestion) -> list[Any]:
    """A question as it is on record."""
    item = question.item if isinstance(question.item, str) else int(question.item)
    if isinstance(question, co.ItemQuestion):
        return [item, list(question.labels), question.score]
    settles = sorted(question.if_yes.items()), sorted(question.if_no.items())
    who = getattr(question, "who", None)
    return [item, question.label, question.score, len(settles[0]), len(settles[1]), who]


def reply(onto: co.Ontology, row: Any, label: str | None, *, wrong: bool) -> Any:
    """What someone answers of an item."""
    if label is None:
        return [name for k, name in enumerate(onto.labels) if row[k]]
    return bool(row[onto.index[label]]) != wrong


def asked(session: co.Session, *, fallible: bool) -> list[Any]:
    """Questions of some rounds: answers, one that nobody can tell, one taken back, trainings between."""
    onto, _, truth, _ = world()
    found = []
    last = None
    for step in range(18):
        who = PEOPLE[step % 3] if fallible else None
        best = session.ask(2, who=who)
        found.append([shown(question) for question in best])
        if not best:
            break
        question = best[0]
        label = getattr(question, "label", None)
        wrong = fallible and step % 5 == 3
        value = reply(onto, truth[int(question.item)], label, wrong=wrong)
        session.answer(question, None if step == 4 else value, who=who)
        if step == 8 and last is not None:
            session.retract(last, who=PEOPLE[1] if fallible else None)
        last = question if step == 7 else last
        if step in (6, 12):
            session.retrain()
    found.append(float(session.posterior.sum()))
    return found


def session_of(**how: Any) -> list[Any]:
    """The questions of a session made so."""
    return asked(make_session(**how), fallible=bool(how.get("fallible")))


def make_session(*, learner: Any = None, given: bool = False, matrix: bool = True, **how: Any):
    """A session; `given`: of beliefs instead of a learner."""
    onto, X, truth, beliefs = world()
    facts = facts_of(onto, truth)
    if given:
        X = X if matrix else None
        return co.Session(onto, X, beliefs=beliefs, facts=facts, **grouped(how))
    return co.Session(onto, X, learner=learner or Counts(), facts=facts, **grouped(how))


def texts_of() -> list[Any]:
    """The questions about texts; only items and labels, since libraries round sums otherwise."""
    onto, _, truth, _ = world()
    texts = [
        f"{onto.labels[int(row.argmax())]} {' '.join(onto.labels[k] for k in np.flatnonzero(row))}"
        for row in truth
    ]
    session = co.Session(
        onto,
        texts,
        learner="meaning",
        facts=facts_of(onto, truth),
        reading=co.Reading(encoder="lexical"),
    )
    return [[question[:2] for question in best] for best in asked(session, fallible=False)[:-1]]


def batch_of(**how: Any) -> list[Any]:
    """The questions that a truth answers at once."""
    session = make_session(**how)
    truth = world()[2]
    found = []
    for n in (7, 20):
        batch = session.answer_from(truth, n)
        found.append([batch.item.tolist(), batch.label.tolist(), batch.cost.tolist()])
        session.retrain()
    return found


def campaign_of(**settings: Any) -> list[Any]:
    """The questions of a campaign, with a model trained in between."""
    from corollary.campaign.campaign import Campaign
    from corollary.campaign.items import Item

    onto, X, truth, _ = world()
    items = [
        Item(f"i{i}", fields={f"x{j}": float(x) for j, x in enumerate(row)})
        for i, row in enumerate(X)
    ]
    found = []
    options = {"learner": "logistic", "retrain_every": 10**6, "seed": 3} | settings
    with tempfile.TemporaryDirectory() as place:
        campaign = Campaign.create(
            f"{place}/c.sqlite", items, onto, name="recorded", settings=options, lead="mara"
        )
        for name in PEOPLE[:2]:
            campaign.invite(name)
        for step in range(24):
            who = PEOPLE[step % 2]
            best = campaign.next(who)
            found.append([[one.item.id, one.label] for one in best])
            if not best:
                break
            wrong = bool(settings.get("fallible")) and step % 5 == 3
            row = truth[int(best[0].item.id[1:])]
            value = reply(onto, row, best[0].label, wrong=wrong)
            campaign.answer(who, best[0].item.id, best[0].label, "skip" if step == 4 else value)
            if step == 12:
                assert campaign.retrain(wait=True)["error"] is None
        campaign.close()
    return found


def pool_of(**how: Any) -> list[Any]:
    """The best questions of a pool."""
    import pyarrow as pa
    from pyarrow import parquet

    from corollary.scale.pool import Pool

    onto, _, truth, beliefs = world()
    facts = facts_of(onto, truth)
    told = {
        f"item {i}": {onto.labels[k]: bool(row[k]) for k in np.flatnonzero(row >= 0)}
        for i, row in enumerate(facts)
        if (row >= 0).any()
    }
    with tempfile.TemporaryDirectory() as place:
        column = pa.FixedSizeListArray.from_arrays(pa.array(beliefs.ravel()), len(onto))
        table = pa.table({"id": [f"item {i}" for i in range(N)], "beliefs": column})
        parquet.write_table(table, f"{place}/part.parquet", row_group_size=7)
        pool = Pool(place, onto, facts=told)
        return [shown(question) for question in pool.best_questions(12, **how)]


def spoken() -> dict[str, Any]:
    """What a model said before, of all items."""
    _, _, truth, beliefs = world()
    return {"model": 0.7 * truth + 0.3 * beliefs}


COSTS = {"bird": 3.0, "city": 0.5}
#: What is on record, by name.
SESSIONS: dict[str, Callable[[], list[Any]]] = {
    "learner": partial(session_of),
    "given": partial(session_of, given=True, matrix=False),
    **{
        f"score {score}": partial(session_of, given=True, score=score)
        for score in ("posterior", "gain", "log", "expected", "entropy", "random", "contrast")
    },
    "score auto, a learner": partial(session_of, score="auto", stay="auto"),
    **{
        f"stay {stay}": partial(session_of, stay=stay) for stay in ("item", "label", "settle", None)
    },
    "costs": partial(session_of, costs=COSTS),
    "item_cost": partial(session_of, item_cost=2.0),
    "pick auto": partial(session_of, pick="auto", costs=COSTS),
    "pick always": partial(session_of, pick="always"),
    "at random": partial(session_of, share_at_random=0.4),
    "diverse": partial(session_of, diverse=True),
    "diverse picks": partial(session_of, diverse=True, pick="auto"),
    "never refreshed": partial(session_of, refresh="never"),
    "not propagated": partial(session_of, propagate=False, score="log"),
    "drawn facts": partial(session_of, facts_at_random=True),
    "fallible": partial(session_of, fallible=True),
    "fallible, given": partial(session_of, fallible=True, given=True),
    "fallible, prices": partial(
        session_of, fallible=True, costs=COSTS, prices={"ann": 2.0, "zoe": 0.1}
    ),
    "fallible, picks": partial(session_of, fallible=True, pick="auto"),
    "fallible, witnesses": partial(session_of, fallible=True, witnesses=spoken()),
    "texts": texts_of,
    "truth": partial(batch_of),
    "truth, label by label": partial(batch_of, stay="label"),
    "truth, whole items": partial(batch_of, item_cost=2.0),
    "truth, contrast": partial(batch_of, score="contrast", stay=None),
}
CAMPAIGNS: dict[str, Callable[[], list[Any]]] = {
    "campaign": partial(campaign_of),
    "campaign, label by label": partial(campaign_of, stay="label", pick="never", overlap=0.5),
    "campaign, fallible": partial(campaign_of, fallible=True),
}
POOLS: dict[str, Callable[[], list[Any]]] = {
    "pool": partial(pool_of),
    "pool, gain": partial(pool_of, score="gain", costs=COSTS),
    "pool, picks": partial(pool_of, pick="auto"),
}


def lines(found: dict[str, list[Any]]) -> Iterator[str]:
    """A record with a line for each part of each session: differences can be read."""
    for number, (name, parts) in enumerate(found.items()):
        yield f"{',' if number else '{'}\n{json.dumps(name)}: [\n"
        yield ",\n".join(json.dumps(part) for part in parts)
        yield "\n]"
    yield "\n}\n"


def write() -> None:
    """Put all on record."""
    found = {name: run() for name, run in (SESSIONS | CAMPAIGNS | POOLS).items()}
    RECORD.write_text("".join(lines(found)), encoding="utf-8")


if __name__ == "__main__":
    write()
