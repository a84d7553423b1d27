"""A whole labelling of items and pairs run against a known truth, with the ties between them or without."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from ..learning.argument_checks import seed_of
from ..learning.session.linked_session import LinkedSession
from ..learning.session.options import Asking, Reading
from ..logic.engines import Floats
from ..logic.errors import CorollaryError
from ..logic.language.relations import Declared, is_rule_about_pairs, relation
from ..logic.ontology import Ontology
from ..logic.relations.pairs import Pairs
from .data.datasets import Dataset
from .metrics import weighted_auc
from .simulation import DIGITS, Curve, PerRound, Progress, check_settings, round_size

METHODS = ("posterior", "random")


def simulate_linked(
    dataset: Dataset,
    method: object = "posterior",
    *,
    learner: object = "auto",
    asking: Asking = Asking(),
    reading: Reading = Reading(),
    per_round: PerRound = "auto",
    until: float | None = 0.99,
    max_rounds: int | None = None,
    progress: Progress | None = None,
    random_state: Any = 0,
) -> Curve:
    """Label the test part of a data set with pairs question by question, and measure after every round.

    The run ends when the share `until` of the components of the test part is predicted wholly right. The other
    arguments are those of `simulate`.
    """
    if dataset.pairs is None or dataset.R is None:
        raise CorollaryError(f"{dataset!r} has no pairs; simulate is for data sets without")
    if method not in METHODS:
        raise CorollaryError(
            f"with pairs the method must be {' or '.join(METHODS)}, got {method!r}"
        )
    random_state = seed_of(random_state)
    check_settings(
        per_round=per_round, until=until, random_state=random_state, max_rounds=max_rounds
    )
    ends = dataset.pairs
    known = dataset.train[ends.head] & dataset.train[ends.tail]
    pair_facts = np.where(known[:, None], dataset.R, np.int8(-1))
    session = LinkedSession(
        dataset.onto,
        dataset.X,
        pairs=Pairs(ends.head, ends.tail, X=ends.X, texts=ends.texts, facts=pair_facts),
        learner=learner,
        facts=np.where(dataset.train[:, None], dataset.Y, np.int8(-1)),
        asking=replace(asking, score=str(method)),  # type: ignore[arg-type]  # one of METHODS
        reading=reading,
        random_state=random_state,
    )
    settings = {
        "dataset": dataset.name,
        "method": method,
        "learner": learner if isinstance(learner, str) else repr(learner),
        "per_round": per_round,
        "until": until,
        "random_state": random_state,
    }
    run = _LinkedRun(dataset, session)
    run.measure()
    while not run.over(until) and (max_rounds is None or len(run.asked) <= max_rounds):
        run.ask(per_round)
        run.measure()
        if progress is not None:
            progress(run.curve(settings))
    return run.curve(settings)


def without_ties(onto: Ontology) -> Ontology:
    """The same labels and relations, without anything that ties a relation to its ends or to other pairs."""
    kept = [
        one
        for one in onto.pair_constraints
        if not isinstance(one, Declared) and not is_rule_about_pairs(one)
    ]
    declared = [relation(name, "true", "true") for name in onto.relations]
    return Ontology(onto.labels, [*onto.constraints, *declared, *kept], budget=onto.budget)


class _LinkedRun:
    """A session, the truth of items and pairs, and the points measured so far."""

    def __init__(self, dataset: Dataset, session: LinkedSession):
        assert dataset.pairs is not None
        assert dataset.R is not None
        self.truth = dataset.Y, dataset.R
        self.session = session
        ends = dataset.pairs
        self.test = dataset.test, dataset.test[ends.head] | dataset.test[ends.tail]
        linked = dataset.onto.linked(ends)
        found, of_pairs = linked.components
        alone = np.arange(len(dataset) - len(found)) + (found.max(initial=-1) + 1)
        self.component = np.concatenate([found, alone]), of_pairs
        self.counted = np.unique(self.component[0][dataset.test])
        self.cells = sum(
            int(test.sum()) * truth.shape[1]
            for test, truth in zip(self.test, self.truth, strict=True)
        )
        self.asked: list[int] = []
        self.cost: list[float] = []
        self.fixed: list[int] = []
        self.right: list[float] = []
        self.auc_full: list[float] = []
        self.auc_test: list[float] = []
        self.questions, self.spent = 0, 0.0
        self.choosing = self.training = self.evaluating = 0.0

    def ask(self, per_round: PerRound) -> None:
        start = perf_counter()
        n = round_size(per_round, asked=self.questions, cells=self.cells)
        asked = self.session.answer_from(self.truth[0], n, pairs=self.truth[1])
        self.questions += len(asked.item)
        self.spent += float(asked.cost.sum())
        self.choosing += perf_counter() - start

    def measure(self) -> None:
        start = perf_counter()
        self.session.retrain()
        self.training += perf_counter() - start
        start = perf_counter()
        known = self.session.facts, self.session.pairs.facts
        predicted = self.session.predict(), self.session.pairs.predict()
        wrong = np.zeros(max(int(one.max(initial=-1)) for one in self.component) + 1, np.int64)
        for component, found, true in zip(self.component, predicted, self.truth, strict=True):
            np.add.at(wrong, component, (found != true).any(axis=1))
        self.right.append(round(float((wrong[self.counted] == 0).mean()), DIGITS))
        posterior = self.session.posterior, self.session.pairs.posterior
        every = [np.ones(len(test), np.bool_) for test in self.test]
        self.auc_full.append(self._auc(posterior, every))
        self.auc_test.append(self._auc(posterior, self.test))
        self.asked.append(self.questions)
        self.cost.append(round(self.spent, DIGITS))
        self.fixed.append(
            sum(int((one[test] >= 0).sum()) for one, test in zip(known, self.test, strict=True))
        )
        self.evaluating += perf_counter() - start

    def _auc(self, posterior: tuple[Floats, Floats], rows: Any) -> float:
        """The average over labels and relations, weighted by how often each holds."""
        total, weight = 0.0, 0
        for p, true, own in zip(posterior, self.truth, rows, strict=True):
            positives = int(true[own].sum())
            if positives:
                total += positives * weighted_auc(p[own], true[own].astype(np.bool_))
                weight += positives
        return round(total / weight, DIGITS) if weight else float("nan")

    def over(self, until: float | None) -> bool:
        done = self.session.open == 0
        return done or (until is not None and self.right[-1] >= until)

    def curve(self, settings: dict[str, Any]) -> Curve:
        def floats(values: list[float]) -> npt.NDArray[np.float64]:
            return np.array(values, np.float64)

        return Curve(
            np.array(self.asked, np.int64),
            floats(self.cost),
            np.array(self.fixed, np.int64),
            floats(self.auc_full),
            floats(self.auc_test),
            self.choosing,
            self.training,
            self.evaluating,
            settings,
            floats(self.right),
        )
