"""Sessions against a model that keeps a dict of answers and lists the legal worlds; odd arguments give our errors."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sklearn.naive_bayes import GaussianNB

import corollary as co
from corollary.campaign.items import Item, Picture, as_items, features_of
from corollary.experiment.data.datasets import Dataset
from corollary.learning.learners.crf import CRF
from corollary.learning.learners.paper.logistic import Logistic
from corollary.learning.learners.pool import Pool
from corollary.learning.session.options import grouped

from ..logic.ontologies import entailed, ontologies, worlds
from .frame import examples, within

pytestmark = pytest.mark.slow

N = 3
X = np.random.default_rng(0).normal(size=(N, 2))
LEARNERS = {
    "given": lambda: {"beliefs": np.full((N, 1), 0.5)},
    "logistic": lambda: {"learner": Logistic(steps=20)},
    "crf": lambda: {"learner": CRF(iterations=3)},
    "classifier": lambda: {"learner": GaussianNB()},
    "default": dict,
}
ITEM = st.integers(0, N - 1)
PLACE = st.integers(0, 9)


class Sessions(RuleBasedStateMachine):
    """What is said, by item: `given` and `answers` (label to value), what nobody could tell, and whole replies."""

    @initialize(
        made=ontologies(max_labels=5, max_constraints=4),
        kind=st.sampled_from(["given", "given", "logistic", "crf", "classifier", "default"]),
        propagate=st.booleans(),
        score=st.sampled_from(["posterior", "entropy", "gain", "log", "random"]),
        seed=st.integers(0, 99),
        whole=st.booleans(),
        stay=st.sampled_from([None, "label", "item"]),
        single=st.booleans(),
    )
    def begin(self, made, kind, propagate, score, seed, whole, stay, single):
        labels, constraints = made
        if single:  # an ontology of one label is none that `ontologies` makes
            labels, constraints = ["a"], [co.at_least_one("a")] if seed % 3 == 0 else []
        if not len(worlds(labels, constraints)):
            with pytest.raises(co.Contradiction):
                co.Session(
                    co.Ontology(labels, constraints), beliefs=np.full((N, len(labels)), 0.5)
                ).ask()
            constraints = []
        self.onto, self.labels = co.Ontology(labels, constraints), list(labels)
        self.worlds = worlds(labels, constraints)
        rng = np.random.default_rng(seed)
        some = self.worlds[rng.integers(len(self.worlds), size=N)]
        given = np.where(rng.random(some.shape) < 0.2, some, -1).astype(np.int8)
        self.given = [self._dict(row) for row in given]
        self.answers = [{} for _ in range(N)]
        self.skipped = [set() for _ in range(N)]
        self.wholes = [set() for _ in range(N)]
        self.held = [False] * N
        options = {
            "propagate": propagate,
            "score": score,
            "random_state": seed,
            "stay": stay,
            "facts": given,
        }
        options |= {"item_cost": 2.0, "pick": "auto"} if whole and score == "posterior" else {}
        options |= LEARNERS[kind]()
        if kind == "given":
            options["beliefs"] = rng.random(given.shape)
        self.propagate, self.options = propagate, options
        self.session = self.tried(True, lambda: co.Session(self.onto, X, **grouped(options)))

    def _dict(self, row):
        return {
            label: bool(value)
            for label, value in zip(self.labels, row.tolist(), strict=True)
            if value >= 0
        }

    def said(self, i):
        return self.given[i] | self.answers[i]

    def follows(self, facts):
        return entailed(self.worlds, self.labels, facts)

    def known(self, i):
        return self.follows(self.said(i)) if self.propagate else self.said(i)

    def fits(self, i, cells):
        said = self.said(i)
        agree = all(said.get(label, value) == value for label, value in cells.items())
        return agree and self.follows(said | cells) is not None

    def tried(self, can, action):
        """Run an action that must be refused exactly where it cannot be."""
        with within(60), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if can:
                return action()
            with pytest.raises(co.CorollaryError):
                action()
            return None

    @rule(i=ITEM, place=PLACE, value=st.sampled_from([True, False, True, False, None]))
    def answer(self, i, place, value):
        label = self.labels[place % len(self.labels)]
        if value is None:
            assert self.tried(True, lambda: self.session.answer((i, label), None)) == ()
            self.skipped[i].add(label)
            return
        before, can = self.known(i), self.fits(i, {label: value})
        settled = self.tried(can, lambda: self.session.answer((i, label), value))
        if can:
            self.answers[i][label] = value
            self.skipped[i].discard(label)
            now = self.known(i)
            assert {one.label: one.value for one in settled} == {
                k: v for k, v in now.items() if k not in before
            }

    @rule(i=ITEM, places=st.lists(PLACE, max_size=2))
    def answer_whole(self, i, places):
        names = {self.labels[place % len(self.labels)]: True for place in places}
        said, cells = self.said(i), {}
        can = self.fits(i, names)
        if can:
            implied = self.follows(said | names)
            cells = {label: implied.get(label, False) for label in self.labels if label not in said}
            can = self.fits(i, cells)
        self.tried(can, lambda: self.session.answer((i, None), list(names)))
        if can:
            self.answers[i] |= cells
            self.wholes[i] |= cells.keys()
            self.skipped[i] -= cells.keys()

    @rule(i=ITEM, place=PLACE)
    def retract(self, i, place):
        label = self.labels[place % len(self.labels)]
        there = label in self.answers[i] or label in self.skipped[i]
        can = there and label not in self.wholes[i]
        self.tried(can, lambda: self.session.retract((i, label)))
        if can:
            self.answers[i].pop(label, None)
            self.skipped[i].discard(label)

    @rule(i=ITEM)
    def retract_whole(self, i):
        self.tried(bool(self.wholes[i]), lambda: self.session.retract((i, None)))
        for label in self.wholes[i]:
            del self.answers[i][label]
        self.wholes[i] = set()

    @rule(
        i=ITEM,
        answers=st.dictionaries(PLACE, st.booleans(), max_size=2),
        skipped=st.lists(PLACE, max_size=1),
    )
    def restate(self, i, answers, skipped):
        cells = {self.labels[place % len(self.labels)]: value for place, value in answers.items()}
        left = [self.labels[place % len(self.labels)] for place in skipped]
        can = self.follows(self.given[i] | cells) is not None
        self.tried(can, lambda: self.session.restate(i, cells, skipped=left))
        if can:
            self.answers[i], self.skipped[i], self.wholes[i] = cells, set(left), set()

    @rule(i=ITEM, held=st.booleans())
    def hold(self, i, held):
        self.session.hold(i, held)
        self.held[i] = held

    @rule(wait=st.booleans())
    def retrain(self, wait):
        self.tried(True, lambda: self.session.retrain(wait=wait))

    @rule(n=st.integers(0, 4))
    def ask(self, n):
        asked = self.tried(True, lambda: self.session.ask(n))
        free = {(i, label) for i in range(N) if not self.held[i] for label in self.open(i)}
        single = [one for one in asked if isinstance(one, co.Question)]
        assert len({(one.item, one.label) for one in single}) == len(single)
        assert {(one.item, one.label) for one in single} <= free
        assert len(asked) <= n
        assert bool(asked) == bool(free and n)
        for one in single if self.propagate else ():
            for value, settles in ((True, one.if_yes), (False, one.if_no)):
                known = self.known(one.item)
                after = self.follows(self.said(one.item) | {one.label: value})
                assert settles == {
                    k: v for k, v in after.items() if k not in known and k != one.label
                }

    def open(self, i):
        return [
            label
            for label in self.labels
            if label not in self.known(i) and label not in self.skipped[i]
        ]

    @invariant()
    def what_is_known_is_what_follows(self):
        facts, answers = self.session.facts, self.session.answers
        for i in range(N):
            assert self._dict(facts[i]) == self.known(i)
            assert self._dict(answers[i]) == self.answers[i]
        assert self.session.open == sum(len(self.open(i)) for i in range(N))

    def teardown(self):
        if not hasattr(self, "session"):
            return
        with tempfile.TemporaryDirectory() as name, warnings.catch_warnings(), within(60):
            warnings.simplefilter("ignore")
            self.session.wait()
            self.session.save(path := Path(name) / "log.jsonl")
            again = co.Session.load(path, X, **self.options)
            assert np.array_equal(again.facts, self.session.facts)
            assert np.array_equal(again.answers, self.session.answers)


TestSessions = Sessions.TestCase
TestSessions.settings = settings(examples(20), stateful_step_count=12)


# -- odd arguments -----------------------------------------------------------------------------------------------------

ONTO = co.Ontology.parse("a > b, c\nexclusive: b, c")
FEATURES = np.random.default_rng(0).random((4, 2))
TRUTH = np.array([[1, 1, 0], [0, 0, 0], [1, 0, 1], [1, 1, 0]])
ODD = [
    *(None, "text", b"x", 5, -1, 3.5, float("nan"), float("inf"), 10**400, True, [], {}, ()),
    *(
        [[1], [1, 2]],
        ["a", 1],
        [["a"]],
        [None],
        [[pd.NA] * 3] * 4,
        [[{}] * 3] * 4,
        ["\ud800"] * 4,
        [[10**400] * 3] * 4,
    ),
    *(pd.NA, object(), {"a": 1}, {"a": [1]}, {1, 2}, co.Question, slice(None), ..., np.ma.masked),
    *(
        np.array(5),
        np.zeros((2, 2, 2)),
        np.zeros((4, 3)),
        np.zeros((4, 3), object),
        np.array([["a"] * 3] * 4),
    ),
    *(
        np.full((4, 3), np.nan),
        np.zeros((4, 3), complex),
        np.zeros(0),
        np.zeros((0, 3)),
        np.datetime64("2020"),
    ),
    *(pd.DataFrame({"a": [1] * 4, "b": ["x"] * 4, "c": [None] * 4}), pd.Series([1, 2])),
]


def session(onto=ONTO, x=FEATURES, **options):
    made = co.Session(onto, x, **grouped({"learner": Logistic(steps=5)} | options))
    made.ask()
    return made


def classifier(*args, **options):
    return co.ConsistentClassifier(*args, **options)


OPTIONS = ("learner", "facts", "held_out", "costs", "item_cost", "stay", "share_at_random", "item_ids", "random_state",
           "refresh", "propagate", "diverse")  # fmt: skip
CALLS = {
    **{f"Session {name}": lambda odd, name=name: session(**{name: odd}) for name in OPTIONS},
    "Session onto": lambda odd: session(onto=odd),
    "Session X": lambda odd: session(x=odd),
    "Session beliefs": lambda odd: session(x=None, beliefs=odd),
    "Session beliefs of a function": lambda odd: session(beliefs=lambda _: odd),
    "ask": lambda odd: session().ask(odd),
    "answer": lambda odd: session().answer(odd, True),
    "answer item": lambda odd: session().answer((odd, "a"), True),
    "answer label": lambda odd: session().answer((0, odd), True),
    "answer value": lambda odd: session().answer((0, "a"), odd),
    "answer whole": lambda odd: session().answer((0, None), odd),
    "answer name": lambda odd: session().answer((0, None), [odd]),
    "retract": lambda odd: session().retract(odd),
    "restate item": lambda odd: session().restate(odd, {}),
    "restate answers": lambda odd: session().restate(0, odd),
    "restate value": lambda odd: session().restate(0, {"a": odd}),
    "restate skipped": lambda odd: session().restate(0, {}, skipped=odd),
    "hold": lambda odd: session().hold(odd),
    "hold held": lambda odd: session().hold(0, odd),
    "answer_from": lambda odd: session().answer_from(odd, 1),
    "answer_from n": lambda odd: session().answer_from(TRUTH, odd),
    "forecast": lambda odd: session().forecast(target=odd),
    "load": lambda odd: co.Session.load(odd, FEATURES),
    "classifier": lambda odd: classifier(odd, onto=ONTO).fit(FEATURES, TRUTH),
    "classifier onto": lambda odd: classifier("logistic", onto=odd).fit(FEATURES, TRUTH),
    "classifier X": lambda odd: classifier("logistic", onto=ONTO).fit(odd, TRUTH),
    "classifier y": lambda odd: classifier("logistic", onto=ONTO).fit(FEATURES, odd),
    "classifier classes": lambda odd: classifier("logistic").fit(FEATURES, odd),
    "classifier facts": lambda odd: classifier("logistic", onto=ONTO).fit(FEATURES, TRUTH).predict(FEATURES, facts=odd),
    "classifier later": lambda odd: classifier("logistic", onto=ONTO).fit(FEATURES, TRUTH).predict(odd),
    "Logistic X": lambda odd: Logistic().fit(odd, TRUTH),
    "Logistic y": lambda odd: Logistic().fit(FEATURES, odd),
    "CRF X": lambda odd: CRF(ONTO).fit(odd, TRUTH),
    "CRF y": lambda odd: CRF(ONTO).fit(FEATURES, odd),
    "Pool X": lambda odd: Pool(ONTO).fit(odd, TRUTH) if not isinstance(odd, np.ndarray) else None,
    **{f"Logistic {name}": lambda odd, name=name: Logistic(**{name: odd}).fit(FEATURES, TRUTH)
       for name in ("batch", "steps", "schedule", "random_state", "balanced", "scale")},
    **{f"CRF {name}": lambda odd, name=name: CRF(ONTO, **({"kernel": "rbf"} | {name: odd})).fit(FEATURES, TRUTH)
       for name in ("kernel", "gamma", "landmarks", "l2", "iterations", "at_most", "random_state")},
    "Dataset X": lambda odd: Dataset(odd, TRUTH, ONTO, train=[0, 1]),
    "Dataset Y": lambda odd: Dataset(FEATURES, odd, ONTO, train=[0, 1]),
    "Dataset onto": lambda odd: Dataset(FEATURES, TRUTH, odd, train=[0, 1]),
    "Dataset train": lambda odd: Dataset(FEATURES, TRUTH, ONTO, train=odd),
    "Dataset name": lambda odd: repr(Dataset(FEATURES, TRUTH, ONTO, train=[0, 1], name=odd)),
    "Dataset notes": lambda odd: Dataset(FEATURES, TRUTH, ONTO, train=[0, 1], notes=odd),
    "with_start": lambda odd: Dataset(FEATURES, TRUTH, ONTO, train=[0, 1]).with_start(odd),
    "Item": Item,
    "Item text": lambda odd: Item("a", odd),
    "Item fields": lambda odd: Item("a", fields=odd),
    "Item image": lambda odd: Item("a", image=odd),
    "Picture": lambda odd: Picture(odd, "image/png"),
    "Picture mime": lambda odd: Picture("a", odd),
    "as_items": lambda odd: list(as_items(odd)),
    "an item": lambda odd: list(as_items([odd])),
    "a field": lambda odd: features_of([Item("a", fields={"x": odd}), Item("b", "x")]),
    "a vector": lambda odd: features_of([Item("a", fields={"vector": odd})]),
}  # fmt: skip


@examples(250)
@given(
    call=st.sampled_from(sorted(CALLS)),
    odd=st.sampled_from([SimpleNamespace(value=one) for one in ODD]),
)
def test_odd_arguments_are_taken_or_refused_by_us(call, odd):
    with within(60), warnings.catch_warnings(), contextlib.suppress(co.CorollaryError):
        warnings.simplefilter("ignore")
        CALLS[call](odd.value)
