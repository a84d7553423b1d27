"""A session about items and pairs of them: questions about both by one worth, and one learner for each."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from ...logic.arrays import Table, check_beliefs, check_facts
from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.labelled import same_rows
from ...logic.ontology import Ontology
from ...logic.reasoning.explanation import Explanation
from ...logic.relations.pair_logic import cell
from ...logic.relations.pairs import Pairs
from ..argument_checks import (
    check_flag,
    check_onto,
    check_whole,
    is_flag,
    is_number,
    seed_of,
    shown,
)
from ..features.one_thread import one_thread_of_blas
from ..features.pairs import features_of_pairs
from ..knowledge import Knowledge
from ..learners.learner import Learner, make_learner
from ..meaning.label_texts import check_names
from ..meaning.reader import texts_of
from ..question import Asked, Question, Settled
from .arguments import Beliefs, by_id, check_held_out, count_items
from .asking import About, Wording
from .linked_choosing import LinkedChooser, LookAhead
from .linked_knowledge import Both, LinkedKnowledge, costs_of
from .options import Annotators, Asking, Reading, check_kinds, costs_by_label, experiment
from .saved_session import Log, fingerprint, made_with, write_log
from .session import Session
from .training import Train, input_of, to_learn_from, trainer

LOG = logging.getLogger("corollary.learning")
SCORES = ("auto", "posterior", "random")


class LinkedSession(Session):
    """A session with pairs: `Session(onto, X, pairs=Pairs(head, tail))` makes one."""

    def __init__(
        self,
        onto: Ontology,
        X: Any = None,
        *,
        pairs: Pairs,
        learner: object = "auto",
        beliefs: Beliefs | None = None,
        facts: Table | None = None,
        asking: Asking = Asking(),
        reading: Reading = Reading(),
        annotators: Annotators = Annotators(),
        item_ids: Sequence[Hashable] | None = None,
        random_state: Any = 0,
    ):
        check_kinds(asking, reading, annotators)
        if not isinstance(pairs, Pairs):
            raise CorollaryError(f"pairs must be Pairs(head, tail), got {shown(pairs)}")
        _check_options(asking, annotators)
        self.random_state = random_state = seed_of(random_state)
        self.onto = check_onto(onto, pairs=True)
        if not onto.relations:
            raise CorollaryError(
                "pairs: the ontology has no relations; say one with co.relation(...)"
            )
        costs = costs_by_label(asking.costs, onto)
        every = (*onto.labels, *onto.relations)
        for price in costs.values():
            if not is_number(price) or price <= 0:
                raise CorollaryError(f"a question costs something: above 0, got {shown(price)}")
        self.asking = replace(
            asking, score="posterior" if asking.score == "auto" else asking.score, stay=None
        )
        self.reading = reading
        self.annotators = annotators
        n = count_items(X, beliefs, facts)
        ids, beliefs, facts = by_id(X, beliefs, facts, item_ids, n)
        self._items = X
        self._spec = learner
        names = check_names(reading.names, every)
        self._wording = Wording(texts_of(X), names)
        self._words = None if pairs.texts is None else list(pairs.texts)
        given = None if facts is None else onto.check_facts(facts)
        self._tied = LinkedKnowledge(onto, pairs, ids, given)
        self._knowledge = self._tied.items
        self._cost = costs_of(onto.labels, costs), costs_of(onto.relations, costs)
        held_out = check_held_out(experiment(asking).held_out, X, onto.labels, n)
        self._learner = None
        self._prepare = None
        if beliefs is None:
            self._learner = self._made(learner, onto)
            seen, self._prepare, self._encoder = to_learn_from(self._learner, X, onto, reading)
        else:
            seen = None
        relations = self._tied.pairs.onto
        of_pairs = self._made(learner, relations) if pairs.beliefs is None else None
        seen_of_pairs = None
        if of_pairs is not None:
            features = features_of_pairs(X, pairs) if pairs.X is None else pairs.X
            seen_of_pairs = to_learn_from(of_pairs, features, relations, Reading())[0]
        said_of_pairs = pairs.beliefs
        if said_of_pairs is not None and not callable(said_of_pairs):
            said_of_pairs = check_beliefs(said_of_pairs, onto.relations, what="pair_beliefs")
        self._held_out = held_out
        self._trainers = (
            trainer(self._learner, seen, beliefs),
            trainer(of_pairs, seen_of_pairs, said_of_pairs),
        )
        self._trained: _Trained | None = None
        self._begun = 0
        self._found: dict[str, tuple[int, Any]] = {}
        self._version = 0
        self._log = _LinkedLog(self._tied, X)

    def _made(self, spec: object, onto: Ontology) -> Learner:
        own = isinstance(spec, str | type | BaseEstimator)
        return make_learner(
            spec if own else deepcopy(spec),
            onto=onto,
            random_state=self.random_state,
            device=self.asking.device,
        )

    def __repr__(self) -> str:
        known = self._tied
        answers = sum(int((one.answered >= 0).sum()) for one in (known.items, known.pairs))
        return (
            f"<Session: {known.n_items:,} items, {known.n_pairs:,} pairs, {answers:,} cells answered, "
            f"{self.open:,} open>"
        )

    # -- facts and predictions ---------------------------------------------------------------------------------------

    @property
    def pairs(self) -> PairsOfSession:
        """Facts and predictions of the pairs."""
        return PairsOfSession(
            self._tied.pairs,
            lambda: self._ready().beliefs[1],
            lambda: self._posteriors()[1],
            lambda: self._most_probable()[1],
        )

    @property
    def facts(self) -> Facts:
        """All that is known of items: given, answered and implied; int8 (N, K), -1 unknown."""
        return self._tied.items.known.copy()

    @property
    def beliefs(self) -> Floats:
        """What the learner, or the given beliefs, say of every label."""
        found: Floats = self._ready().beliefs[0].copy()
        return found

    @property
    def posterior(self) -> Floats:
        """The probability of every label of an item, given all known facts of items and pairs."""
        found: Floats = self._posteriors()[0].copy()
        return found

    def predict(self, X: Any = None) -> Facts:
        """The most probable legal labels of every item, or of other items `X`, of which only the learner knows."""
        if X is not None:
            return super().predict(X)
        found: Facts = self._most_probable()[0].copy()
        return found

    def _posteriors(self) -> tuple[Floats, Floats]:
        found: tuple[Floats, Floats] = self._once("posterior")
        return found

    def _most_probable(self) -> Both:
        found: Both = self._once("most_probable")
        return found

    def _once(self, what: str) -> Any:
        """What `linked` finds for all that is known, kept until more is known."""
        beliefs = self._ready().beliefs
        if self._found.get(what, (-1, None))[0] != self._version:
            known = self._tied.items.known, self._tied.pairs.known
            found = getattr(self._tied.linked, what)(*beliefs, *known)
            self._found[what] = self._version, found
        return self._found[what][1]

    @property
    def open(self) -> int:
        """How many cells of items and pairs can still be asked."""
        return self._tied.open

    @property
    def training(self) -> bool:
        """Whether a training is under way in the background; with pairs there is none."""
        return False

    def forecast(self, **options: Any) -> NoReturn:  # noqa: ARG002 (the arguments of Session.forecast)
        """Not with pairs yet."""
        raise _not_yet("forecast")

    def record(self) -> NoReturn:
        """Not with pairs yet."""
        raise _not_yet("record")

    def reliability(self) -> NoReturn:
        """Not with pairs yet."""
        raise _not_yet("reliability")

    def doubtful(self, n: int = 10) -> NoReturn:  # noqa: ARG002 (the arguments of Session.doubtful)
        """Not with pairs yet."""
        raise _not_yet("doubtful")

    # -- ask and answer ----------------------------------------------------------------------------------------------

    def ask(self, n: int = 1, *, who: Hashable | None = None) -> list[Any]:  # noqa: ARG002 (nobody is wrong)
        """The n best questions about items and pairs, best first. Asking changes nothing.

        No two of them are about one component if an answer to one could settle the other.
        """
        check_whole("n", n)
        chooser = self._ready().chooser
        known = self._tied
        left_out: dict[int, set[tuple[int, int]]] = {}
        questions: list[Question] = []
        while len(questions) < n and (found := chooser.next()) is not None:
            value, row, k = found
            question, settled = self._question(row, k, value)
            questions.append(question)
            if len(questions) < n:
                component = int(known.component[row])
                without = left_out.setdefault(component, set())
                without |= settled
                chooser.refresh(component, without=without)
        for component in left_out:
            chooser.refresh(component)
        return questions

    def _question(self, row: int, k: int, value: float) -> tuple[Question, set[tuple[int, int]]]:
        """A question, and the cells that an answer to it settles."""
        yes, no = (self._new(row, self._tied.after(row, k, answer)) for answer in (True, False))
        settled = {*yes, *no}
        if_yes, if_no = (
            {self._name(*at): said for at, said in new.items() if at != (row, k)}
            for new in (yes, no)
        )
        table, place = self._tied.table(row)
        label = table.onto.labels[k]
        name = self._wording.name(label)
        if row < self._tied.n_items:
            text = self._wording.text(place)
            return Question(table.ids[place], label, value, if_yes, if_no, text, name), settled
        ends = self._tied.linked.pairs.head[place], self._tied.linked.pairs.tail[place]
        words = tuple(self._wording.text(int(i)) for i in ends)
        return Question(
            None,
            label,
            value,
            if_yes,
            if_no,
            None if self._words is None else self._words[place],
            name,
            pair=table.ids[place],  # type: ignore[arg-type]  # ids of pairs are tuples of two
            ends=None if None in words else words,  # type: ignore[arg-type]  # both are texts
        ), settled

    def _new(self, row: int, known: Both) -> dict[tuple[int, int], bool]:
        """Facts of the row's component that were unknown: values by row and column."""
        items, pairs = self._tied.rows_of([self._tied.component[row]])
        found: dict[tuple[int, int], bool] = {}
        for table, rows, after, first in (
            (self._tied.items, items, known[0], 0),
            (self._tied.pairs, pairs, known[1], self._tied.n_items),
        ):
            new = (after >= 0) & (table.known[rows] < 0)
            for n, k in np.argwhere(new).tolist():
                found[first + int(rows[n]), k] = bool(after[n, k])
        return found

    def _name(self, row: int, k: int) -> str:
        """The name of a cell, by the ids of items: `person(3)`, `kills(3, 4)`."""
        table, place = self._tied.table(row)
        of = (table.ids[place],) if row < self._tied.n_items else table.ids[place]
        return cell(table.onto.labels[k], of)  # type: ignore[arg-type]  # ids of pairs are tuples

    def answer(
        self,
        question: About | tuple[tuple[Hashable, Hashable], str],
        value: bool | Collection[str] | None,
        *,
        who: Hashable | None = None,
    ) -> tuple[Settled, ...]:
        """Take an answer: True, False, or None for "can't tell"; what it settled, the answer first.

        A question is one that was asked, (item, label) or ((head, tail), relation). Raises Contradiction, and changes
        nothing, if it contradicts known facts.
        """
        row, k = self._cell_of(question)
        table, place = self._tied.table(row)
        if value is None:
            table.skip(place, k)
            self._changed(row)
            self._log.answered(row, k, None, who)
            return ()
        if not is_flag(value):
            raise CorollaryError(
                f"an answer is True, False or None (can't tell), got {shown(value)}"
            )
        known = self._tied.after(row, k, bool(value))
        new = self._new(row, known)
        self._tied.take(row, {k: bool(value)}, known)
        self._changed(row)
        self._log.answered(row, k, bool(value), who)
        why = _Why(self._tied, *self._tied.rows_of([self._tied.component[row]]))
        cells = sorted(new, key=lambda at: at != (row, k))
        return tuple(self._settled(at, new[at], why) for at in cells)

    def _settled(self, at: tuple[int, int], value: bool, why: _Why) -> Settled:
        table, place = self._tied.table(at[0])
        is_pair = at[0] >= self._tied.n_items
        of = table.ids[place]
        label = table.onto.labels[at[1]]
        item, pair = (None, of) if is_pair else (of, None)
        return Settled(item, label, value, self.onto, {}, pair, lambda: why(*at))  # type: ignore[arg-type]  # ids of pairs are tuples of two

    def _cell_of(self, question: Any) -> tuple[int, int]:
        if isinstance(question, Question):
            of = question.item if question.pair is None else question.pair
            return self._tied.cell(of, question.label)
        if not isinstance(question, tuple | list) or len(question) != 2:
            raise CorollaryError(
                "a question is one that was asked, (item, label) or ((head, tail), relation), "
                f"got {shown(question)}"
            )
        return self._tied.cell(*question)

    def _changed(self, row: int) -> None:
        self._version += 1
        if self._trained is not None:
            self._trained.chooser.refresh(int(self._tied.component[row]))

    def retract(self, question: About, *, who: Hashable | None = None) -> None:
        """Take back the answer to a question, and all that followed from it alone."""
        row, k = self._cell_of(question)
        self._tied.retract(row, k)
        self._log.retracted(row, k, who)
        self._changed(row)

    def restate(
        self,
        item: Hashable,  # noqa: ARG002 (the arguments of Session.restate)
        answers: Mapping[str, bool],  # noqa: ARG002
        *,
        skipped: Collection[str | None] = (),  # noqa: ARG002
    ) -> NoReturn:
        """Not with pairs yet."""
        raise _not_yet("restate")

    def hold(self, item: Hashable, held: bool = True) -> None:
        """Do not ask about an item, and all that is tied to it, for now; not on record in the log."""
        i = self._tied.items.row(item)
        held = check_flag("held", held)
        if self._tied.items.held[i] != held:
            self._tied.items.held[i] = held
            self._changed(i)

    def retrain(self, *, wait: bool = True) -> None:
        """Fit both learners to all that is known, and weigh every question again."""
        if not wait:
            raise _not_yet("retrain(wait=False)")
        self._log.retrained(wait=True)
        begun = time.perf_counter()
        self._begun += 1
        with one_thread_of_blas:
            known = self._tied
            beliefs = (
                self._believed(self._trainers[0], known.items, self._held_out),
                self._believed(self._trainers[1], known.pairs, None),
            )
        seed = (self.random_state, self._begun) if self.asking.score == "random" else None
        chooser = LinkedChooser(known, beliefs, self._cost, seed=seed)
        self._trained = _Trained(beliefs, chooser)
        self._version += 1
        if (posterior := chooser.taken_posterior()) is not None:
            self._found["posterior"] = self._version, posterior
        LOG.info("training %d took %.1f s", self._begun, time.perf_counter() - begun)

    def _believed(
        self, train: Train, known: Knowledge, held_out: npt.NDArray[np.bool_] | None
    ) -> Floats:
        if not len(known.known):
            return np.zeros(known.known.shape)
        wanted = input_of(known, held_out, random_state=self.random_state)
        return np.asarray(train(wanted).beliefs, np.float64)

    def wait(self) -> None:
        """Nothing to wait for: with pairs, trainings are never in the background."""

    def _ready(self) -> Any:
        if self._trained is None:
            self.retrain()
        return self._trained

    def answer_from(self, truth: Table, n: int, *, pairs: Table | None = None) -> Asked:
        """Ask the n best questions one after another and answer each from a truth of items (N, K) and `pairs` (M, R).

        Rows of the result from N on are pairs; their labels are numbers of relations.
        """
        known = self._tied
        if pairs is None:
            raise CorollaryError(
                "answer_from: pass the truth of the relations, too: answer_from(Y, n, pairs=R)"
            )
        true = check_facts(
            same_rows("truth", truth, "the session", known.items.ids),
            self.onto.labels,
            what="truth",
        )
        related = check_facts(pairs, self.onto.relations, what="pairs")
        check_whole("n", n)
        known.check_truth(true, related)
        chooser = self._ready().chooser
        ahead = LookAhead(chooser, known, (true, related), n)
        asked: list[tuple[int, int, bool, float]] = []
        while len(asked) < n and (found := chooser.next()) is not None:
            _, row, k = found
            _, place = known.table(row)
            is_pair = row >= known.n_items
            value = bool((related if is_pair else true)[place, k])
            component = int(known.component[row])
            after, best = ahead.take(component)
            known.take(row, {k: value}, after)
            chooser.put(component, best)
            self._log.answered(row, k, value)
            asked.append((row, k, value, float(self._cost[is_pair][k])))
        self._version += 1
        columns = zip(*asked, strict=True) if asked else ([], [], [], [])
        row_, label, said, cost = columns
        return Asked(
            np.array(row_, np.int64),
            np.array(label, np.int64),
            np.array(said, np.int8),
            np.array(cost, np.float64),
        )

    @property
    def answers(self) -> Facts:
        """The answers about items alone, int8 (N, K), -1 where nobody answered."""
        return self._tied.items.answered

    # -- save and rebuild --------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the log of answers as JSON lines; `Session.load(path, X, pairs=...)` rebuilds the session."""
        pairs = self._tied.linked.pairs
        made = made_with(self) | {"pairs": fingerprint(np.stack([pairs.head, pairs.tail]))}
        write_log(path, self._log.lines(made))


class PairsOfSession:
    """What a session knows and believes of its pairs, pairs x relations."""

    def __init__(
        self,
        known: Knowledge,
        beliefs: Callable[[], Floats],
        posterior: Callable[[], Floats],
        predicted: Callable[[], Facts],
    ):
        self._known = known
        self._beliefs = beliefs
        self._posterior = posterior
        self._predicted = predicted

    @property
    def ids(self) -> tuple[Hashable, ...]:
        """The ids of both ends of each pair."""
        return tuple(self._known.ids)

    @property
    def facts(self) -> Facts:
        """All that is known: given, answered and implied; int8 (M, R), -1 unknown."""
        return self._known.known.copy()

    @property
    def answers(self) -> Facts:
        """The answers alone, -1 where nobody answered."""
        return self._known.answered

    @property
    def beliefs(self) -> Floats:
        """What the learner of relations, or the given beliefs, say of every relation."""
        return self._beliefs().copy()

    @property
    def posterior(self) -> Floats:
        """The probability of every relation, given all known facts of items and pairs."""
        return self._posterior().copy()

    def predict(self) -> Facts:
        """The relations in the most probable legal labelling of all items and pairs."""
        return self._predicted().copy()

    def __len__(self) -> int:
        return len(self._known.ids)

    def __repr__(self) -> str:
        return f"<{len(self):,} pairs, {self._known.open:,} of their cells open>"


class _Trained(NamedTuple):
    """What a training gave: beliefs about items and pairs, and every component's best question."""

    beliefs: tuple[Floats, Floats]
    chooser: LinkedChooser


class _Why:
    """Explains what followed in some components from what was said of them at the time."""

    def __init__(self, known: LinkedKnowledge, items: Any, pairs: Any):
        self._known = known
        self._rows = items, pairs
        said = known.said(items, pairs)
        self._said = said[0][items], said[1][pairs]

    def __call__(self, row: int, k: int) -> Explanation:
        known = self._known
        facts = np.full_like(known.items.known, -1), np.full_like(known.pairs.known, -1)
        for one, rows, said in zip(facts, self._rows, self._said, strict=True):
            one[rows] = said
        return known.explain(row, k, facts)


class _LinkedLog(Log):
    """What happened in a session with pairs; rows from N on are pairs."""

    def __init__(self, known: LinkedKnowledge, X: Any):
        super().__init__(known.items, X)
        self._tied = known

    def _cell(self, i: int, k: int) -> dict[str, Any]:
        table, place = self._tied.table(i)
        of: Any = table.ids[place]
        return {
            "item": of if i < self._tied.n_items else list(of),
            "label": table.onto.labels[k],
        }


def _not_yet(what: str) -> CorollaryError:
    return CorollaryError(f"{what}: a session with pairs cannot do this yet")


def _check_options(asking: Asking, annotators: Annotators) -> None:
    """An error for an option that a session with pairs does not have yet."""
    run = experiment(asking)
    asked = {
        "Annotators(fallible=True)": annotators.fallible,
        "Annotators(witnesses=...)": annotators.witnesses is not None,
        f"Asking(score={shown(asking.score)})": not isinstance(asking.score, str)
        or asking.score not in SCORES,
        f"Asking(pick={asking.pick!r})": asking.pick != "never",
        "Asking(item_cost=...)": asking.item_cost is not None,
        f"Asking(stay={asking.stay!r})": asking.stay not in ("auto", None),
        "Asking(share_at_random=...)": asking.share_at_random > 0,
        "Asking(facts_at_random=True)": asking.facts_at_random,
        "Asking(diverse=True)": asking.diverse,
        "Experiment(propagate=False)": run.propagate is False,
        "Experiment(refresh='never')": run.refresh != "always",
    }
    if wrong := next((what for what, is_asked in asked.items() if is_asked), None):
        raise _not_yet(wrong)
