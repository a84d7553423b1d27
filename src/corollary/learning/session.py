"""A session: ask, answer, draw the consequences, retrain; in memory, deterministic, rebuilt from its log."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from ..logic.engines import Facts, Floats
from ..logic.errors import Contradiction, CorollaryError, nearest
from ..logic.ontology import Ontology
from .crf import CRF
from .features import default_features
from .learner import Learner, make_learner
from .log import VERSION, read_log, write_log
from .logistic import Logistic
from .lookahead import LookAhead
from .pool import Pool
from .question import Asked, Question, Settled
from .queue import BestFirst
from .scores import ScoreName, Surprise, check_score, raw_scores

#: Learners that take numbers only; a scikit-learn pipeline or a learner of one's own sees X as it is.
NEEDS_MATRIX = (Logistic, CRF, Pool)
Beliefs = npt.ArrayLike | Callable[[Facts], npt.ArrayLike]


class Session:
    """Ask one question, get its corollaries, retrain, ask the next.

    Beliefs come from a learner fitted to `X` (a matrix, a table, a list of texts) and the facts, or are given: a
    matrix, or a function of the facts that returns one. `facts` are known from the start; the learner does not see
    those marked in `untaught`. Without `propagate` an answer settles its own cell only. With `refresh="never"` scores
    are computed once and kept.
    """

    def __init__(
        self,
        onto: Ontology,
        X: Any = None,
        *,
        learner: object = "auto",
        score: ScoreName | Surprise = "posterior",
        beliefs: Beliefs | None = None,
        facts: npt.ArrayLike | None = None,
        untaught: npt.NDArray[np.bool_] | None = None,
        propagate: bool = True,
        refresh: Literal["always", "never"] = "always",
        item_ids: Sequence[Hashable] | None = None,
        random_state: int = 0,
    ):
        if refresh not in ("always", "never"):
            raise CorollaryError(f"refresh must be 'always' or 'never', got {refresh!r}")
        self.onto = onto
        self.score = check_score(score)
        self.propagate = propagate
        self.refresh = refresh
        self.random_state = random_state
        self._X = X
        self._learner: Learner | None = None
        self._given_beliefs = beliefs
        n = self._count_items(X, beliefs, facts)
        if beliefs is None:
            self._learner = make_learner(learner, onto=onto, random_state=random_state)
            if isinstance(self._learner, NEEDS_MATRIX):
                self._X, _ = default_features(X)  # text and tables become numbers; a matrix stays as it is
        self._given = np.full((n, len(onto)), -1, np.int8) if facts is None else onto.check_facts(facts)
        self._untaught = self._check_untaught(untaught)
        self._ids = tuple(range(n)) if item_ids is None else tuple(item_ids)
        self._row_of = {item: i for i, item in enumerate(self._ids)}
        if len(self._ids) != n or len(self._row_of) != n:
            raise CorollaryError(f"item_ids must be {n} different ids, got {len(self._ids)}")
        self._answered = np.full_like(self._given, -1)
        self._skipped = np.zeros(self._given.shape, np.bool_)
        self._known = self._complete(self._given)
        self._log: list[dict[str, Any]] = []
        self._beliefs: Floats | None = None
        self._trainings = 0
        self._queue: BestFirst | None = None
        self._best_label = np.zeros(n, np.int64)
        self._drawn: Floats | None = None  # random scores, until the next training
        self._kept: Floats | None = None  # all scores, where they are never refreshed

    # -- what is known and believed ----------------------------------------------------------------------------------

    @property
    def facts(self) -> Facts:
        """All that is known: given, answered and implied; int8 (N, K), -1 unknown."""
        return self._known.copy()

    @property
    def answers(self) -> Facts:
        """The answers alone, int8 (N, K), -1 where nobody answered."""
        return self._answered.copy()

    @property
    def beliefs(self) -> Floats:
        """What the learner, or the given beliefs, say of every cell."""
        if self._beliefs is None:
            self.retrain()  # on record: a log must rebuild the same learner
        assert self._beliefs is not None
        return self._beliefs

    @property
    def posterior(self) -> Floats:
        """The beliefs made consistent with the ontology and the facts."""
        return self.onto.posterior(self.beliefs, self._known)

    def predict(self) -> Facts:
        """The most probable legal labelling of every item."""
        return self.onto.most_probable(self.beliefs, self._known)

    @property
    def open(self) -> int:
        """How many cells can still be asked."""
        return int(((self._known < 0) & ~self._skipped).sum())

    # -- ask and answer ----------------------------------------------------------------------------------------------

    def ask(self, n: int = 1) -> list[Question]:
        """The n best questions, best first; fewer when fewer are open. Asking changes nothing.

        No two of them are about cells of one item of which one could settle the other.
        """
        queue = self._ready()
        before: dict[int, tuple[float, int]] = {}
        blocked: dict[int, npt.NDArray[np.bool_]] = {}
        questions: list[Question] = []
        while len(questions) < n and (i := queue.best()) is not None:
            k = int(self._best_label[i])
            before.setdefault(i, (float(queue.values[i]), k))
            question = self._question(i, k, float(queue.values[i]))
            questions.append(question)
            settles = [self._index(label) for label in (question.label, *question.if_yes, *question.if_no)]
            blocked.setdefault(i, np.zeros(len(self.onto), np.bool_))[settles] = True
            self._rescore(i, without=blocked[i])
        for i, (value, k) in before.items():
            self._best_label[i] = k
            queue.update(i, value)
        return questions

    def answer(self, question: Question | tuple[Hashable, str], value: bool | None) -> tuple[Settled, ...]:
        """Take an answer: True, False, or None for "can't tell"; what it settled, the answer first.

        Raises Contradiction, and changes nothing, where it cannot be true together with what is known.
        """
        i, k = self._cell(question)
        if value is not None and not isinstance(value, (bool, np.bool_)):
            raise CorollaryError(f"an answer is True, False or None (can't tell), got {value!r}")
        if value is None:
            self._skipped[i, k] = True
            self._record("answer", i, k, None)
            self._rescore(i)
            return ()
        if self._row_facts(i)[k] == int(not value):
            label = self.onto.labels[k]
            raise Contradiction(
                f"{self._ids[i]!r} was said {'not ' * value}to be {label!r}; retract that answer to give another",
                answers={label: not value},
                constraints=(),
            )
        known = self._known[i] if self._known[i, k] == int(value) else self._with_answer(i, k, value)
        new = np.flatnonzero((known >= 0) & (self._known[i] < 0))
        self._answered[i, k] = value
        self._skipped[i, k] = False
        self._known[i] = known
        self._record("answer", i, k, bool(value))
        self._rescore(i)
        answers = self._row_answers(i)
        order = sorted(new, key=lambda j: (j != k, j))
        return tuple(Settled(self._ids[i], self.onto.labels[j], bool(known[j]), self.onto, answers) for j in order)

    def retract(self, question: Question | tuple[Hashable, str]) -> None:
        """Take back the answer to a question, and all that followed from it alone."""
        i, k = self._cell(question)
        if self._answered[i, k] < 0 and not self._skipped[i, k]:
            raise CorollaryError(
                f"nobody answered whether {self._ids[i]!r} is {self.onto.labels[k]!r}: nothing to retract"
            )
        self._answered[i, k] = -1
        self._skipped[i, k] = False
        self._known[i] = self._complete(self._row_facts(i)[None])[0]
        self._record("retract", i, k, None)
        self._rescore(i)

    def retrain(self) -> None:
        """Fit the learner to all that is known, and score every question anew."""
        self._learn()
        self._record("retrain")

    def answer_from(self, truth: npt.ArrayLike, n: int) -> Asked:
        """Ask the n best questions one after another and answer each from a truth (N, K): what a simulation does."""
        true = self.onto.check_facts(truth)
        if true.shape != self._known.shape:
            raise CorollaryError(f"the truth must have the shape {self._known.shape} of the facts, got {true.shape}")
        queue = self._ready()

        def step(rows: npt.NDArray[np.int64]) -> tuple[Facts, Floats, npt.NDArray[np.int64]]:
            known, label = self._known[rows], self._best_label[rows]
            closed = queue.values[rows] == -np.inf
            known[~closed, label[~closed]] = true[rows[~closed], label[~closed]]
            known = self._complete(known)
            return known, *self._best(rows, known)

        ahead = LookAhead(queue.values, len(self.onto), step)
        item, label = np.empty(n, np.int64), np.empty(n, np.int64)
        asked = 0
        while asked < n and (i := queue.best()) is not None:
            k = self._best_label[i]
            item[asked], label[asked] = i, k
            asked += 1
            self._answered[i, k] = true[i, k]
            self._known[i], value, self._best_label[i] = ahead.take(i)
            queue.update(i, value)
        batch = Asked(item[:asked], label[:asked], true[item[:asked], label[:asked]])
        self._log.append({"event": "answers", "batch": batch})
        return batch

    # -- save and rebuild --------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the log of answers as JSON lines; with the same items, learner and start it rebuilds the session."""
        write_log(path, self._events())

    @classmethod
    def load(cls, path: str | PathLike[str], X: Any = None, **options: Any) -> Self:
        """Rebuild a session from its log; pass `X`, `facts`, `beliefs`, `learner` and the like as at its making."""
        head, *events = read_log(path)
        made = {name: head[name] for name in ("score", "random_state", "propagate", "refresh")}
        session = cls(Ontology.parse(head["ontology"]), X, **(made | options))
        for number, event in enumerate(events, start=2):
            session._replay(event, f"{path}, line {number}")
        return session

    def _events(self) -> Iterator[dict[str, Any]]:
        yield {
            "event": "session",
            "version": VERSION,
            "ontology": str(self.onto),
            "score": self.score if isinstance(self.score, str) else getattr(self.score, "__name__", "surprise"),
            "random_state": self.random_state,
            "propagate": self.propagate,
            "refresh": self.refresh,
        }
        for event in self._log:
            if event["event"] != "answers":
                yield event
                continue
            for i, k, value in zip(*(part.tolist() for part in event["batch"]), strict=True):
                cell = {"item": self._ids[i], "label": self.onto.labels[k]}
                yield {"event": "answer", **cell, "value": bool(value)}

    def _replay(self, event: dict[str, Any], where: str) -> None:
        try:
            kind = event["event"]
            if kind == "retrain":
                self.retrain()
            elif kind == "retract":
                self.retract((event["item"], event["label"]))
            elif kind == "answer":
                self.answer((event["item"], event["label"]), event["value"])
            else:
                raise CorollaryError(f"unknown event {kind!r}")
        except (KeyError, CorollaryError) as error:
            if isinstance(error, Contradiction):
                raise
            raise CorollaryError(f"{where}: {error}") from error

    def _record(self, event: str, i: int | None = None, k: int = 0, value: bool | None = None) -> None:
        entry: dict[str, Any] = {"event": event}
        if i is not None:
            entry |= {"item": self._ids[i], "label": self.onto.labels[k]}
        if event == "answer":
            entry["value"] = value
        self._log.append(entry)

    # -- inside ------------------------------------------------------------------------------------------------------

    def _learn(self) -> None:
        if self._learner is not None:
            taught = np.where(self._untaught & (self._answered < 0), -1, self._known).astype(np.int8)
            self._beliefs = self._learner.fit(self._X, taught).predict_proba(self._X)
        else:
            given = self._given_beliefs
            raw = given(self.facts) if callable(given) else given
            assert raw is not None
            self._beliefs = np.asarray(self.onto.check_beliefs(raw), np.float64)
            if self._beliefs.shape != self._known.shape:
                raise CorollaryError(f"beliefs must have the shape {self._known.shape}, got {self._beliefs.shape}")
        self._trainings += 1
        self._queue = None

    def _ready(self) -> BestFirst:
        """The queue, with every item scored."""
        if self._queue is None:
            beliefs = self.beliefs
            if self.score == "random":
                self._drawn = np.random.default_rng([self.random_state, self._trainings]).random(beliefs.shape)
            if self.refresh == "never" and self._kept is None:
                self._kept = self._scores(np.arange(len(beliefs)), self._known)
            values, self._best_label = self._best(np.arange(len(beliefs)), self._known)
            self._queue = BestFirst(values)
        return self._queue

    def _scores(self, rows: npt.NDArray[np.int64], known: Facts) -> Floats:
        if self._kept is not None:
            return self._kept[rows]
        if self._drawn is not None:
            return self._drawn[rows]
        if not self.propagate and self.score not in ("entropy", "probability"):
            known = self.onto.propagate(known)  # what a question is worth depends on what follows, drawn or not
        return raw_scores(self.score, self.beliefs[rows], self.onto, known)

    def _best(
        self, rows: npt.NDArray[np.int64], known: Facts, without: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Floats, npt.NDArray[np.int64]]:
        """The best open question of each row: its score and its label."""
        if not len(rows):
            return np.empty(0), np.empty(0, np.int64)
        closed = (known >= 0) | self._skipped[rows]
        if without is not None:
            closed |= without
        scores = np.where(closed, -np.inf, self._scores(rows, known))
        label = scores.argmax(axis=1)
        return scores[np.arange(len(rows)), label], label

    def _rescore(self, i: int, *, without: npt.NDArray[np.bool_] | None = None) -> None:
        if self._queue is not None:
            (value,), (label,) = self._best(np.array([i]), self._known[i : i + 1], without)
            self._best_label[i] = label
            self._queue.update(i, value)

    def _question(self, i: int, k: int, value: float) -> Question:
        label = self.onto.labels[k]
        known = self._known[i]
        settled = []
        for answer in (True, False):
            after = self._with_answer(i, k, answer)
            new = np.flatnonzero((after >= 0) & (known < 0))
            settled.append({self.onto.labels[j]: bool(after[j]) for j in new if j != k})
        return Question(self._ids[i], label, value, *settled)

    def _with_answer(self, i: int, k: int, value: bool) -> Facts:
        """Row i after one more answer; a Contradiction names the answers it clashes with."""
        if not self.propagate:
            known: Facts = self._known[i].copy()
            known[k] = value
            return known
        row = self._row_facts(i)
        row[k] = value
        try:
            return np.asarray(self._complete(row[None])[0])
        except Contradiction:
            self.onto.propagate(self._row_answers(i) | {self.onto.labels[k]: bool(value)})  # the same, told of one item
            raise

    def _complete(self, facts: Facts) -> Facts:
        return self.onto.propagate(facts) if self.propagate else facts.copy()

    def _row_facts(self, i: int) -> Facts:
        row: Facts = np.where(self._answered[i] >= 0, self._answered[i], self._given[i])
        return row

    def _row_answers(self, i: int) -> dict[str, bool]:
        row = self._row_facts(i)
        return {self.onto.labels[k]: bool(row[k]) for k in np.flatnonzero(row >= 0)}

    def _cell(self, question: Question | tuple[Hashable, str]) -> tuple[int, int]:
        item, label = (question.item, question.label) if isinstance(question, Question) else question
        if item not in self._row_of:
            raise CorollaryError(f"no item {item!r} in this session of {len(self._ids):,} items")
        return self._row_of[item], self._index(label)

    def _index(self, label: str) -> int:
        try:
            return self.onto.index[label]
        except KeyError:
            raise CorollaryError(f"unknown label {label!r}{nearest(str(label), self.onto.labels)}") from None

    def _count_items(self, X: Any, beliefs: Beliefs | None, facts: npt.ArrayLike | None) -> int:
        if X is None and beliefs is None:
            raise CorollaryError("a session needs items to learn from (X), or ready-made beliefs")
        sizes = {"X": _length(X), "beliefs": None if callable(beliefs) else _length(beliefs), "facts": _length(facts)}
        given = {name: size for name, size in sizes.items() if size is not None}
        if not given:
            raise CorollaryError("beliefs from a function need X or facts, to tell how many items there are")
        if len(set(given.values())) > 1:
            told = ", ".join(f"{name} has {size:,}" for name, size in given.items())
            raise CorollaryError(f"all must have one row an item, but {told}")
        return next(iter(given.values()))

    def _check_untaught(self, untaught: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.bool_]:
        if untaught is None:
            return np.zeros(self._given.shape, np.bool_)
        if np.shape(untaught) != self._given.shape:
            raise CorollaryError(f"untaught must have the shape {self._given.shape}, got {np.shape(untaught)}")
        return np.asarray(untaught, np.bool_)


def _length(array: Any) -> int | None:
    if array is None:
        return None
    return int(array.shape[0]) if hasattr(array, "shape") else len(array)
