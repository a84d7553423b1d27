"""A session: ask, answer, draw the consequences, retrain; in memory, deterministic, rebuilt from its log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..argument_checks import array_of, check_flag, check_onto, check_whole, list_of, shown
from ..choosing.best_questions import Chooser, Stay
from ..choosing.question_worth import Worth, by_cost, price_list, scores_of
from ..choosing.scores import ScoreName, Surprise, check_score
from ..features.learner_inputs import check_matrix
from ..features.likeness import Alike, alike
from ..features.tables_and_text import default_features
from ..knowledge import Knowledge
from ..learners.crf import CRF
from ..learners.learner import Learner, make_learner
from ..learners.logistic import Logistic
from ..learners.pool import Pool
from ..question import Asked, ItemQuestion, Question, Settled
from ..stopping.calibration import Learnt, TrackRecord
from ..stopping.forecast import Forecast, forecast
from .arguments import Beliefs, check_ids, check_options, check_untaught, count_items
from .background_training import Background
from .known_truth import answered
from .saved_session import Log, read_log, replay, write_log

#: Learners that take numbers only; a scikit-learn pipeline or a learner of one's own sees X as it is.
NEEDS_MATRIX = (Logistic, CRF, Pool)
#: A question as asked, or the item and the label it is about; no label stands for the whole item.
About = Question | ItemQuestion | tuple[Hashable, str | None]


class Trained(NamedTuple):
    """What a training gave: the beliefs, and every question scored by them."""

    beliefs: Floats
    chooser: Chooser


class Session:
    """Ask one question, get its corollaries, retrain, ask the next.

    Beliefs come from a learner fitted to `X` (a matrix, a table, a list of texts) and the facts, or are given: a
    matrix, or a function of the facts that returns one. `facts` are known from the start; the learner does not see
    those marked in `untaught`. Without `propagate` an answer settles its own cell only. With `refresh="never"` scores
    are computed once and kept.

    `costs` tells what a yes/no question about a label costs (1 where it does not say). With `item_cost` a person may
    also be asked for all labels of an item at once, at that cost. The best question is the one that tells most for it.
    `stay="label"` and `stay="item"` go on with the last label, or the last item, while its best question is worth at
    least half of the best one anywhere: easier for people; a label costs more questions. `by_chance` is the share of
    questions about items drawn at random: they make `forecast` trustworthy where the learner is sure and wrong. With
    `diverse`, items like those asked about since the last training wait: worth it where many questions lie between two.
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
        costs: Mapping[str, float] | None = None,
        item_cost: float | None = None,
        stay: Stay | None = None,
        by_chance: float = 0.0,
        diverse: bool = False,
        item_ids: Sequence[Hashable] | None = None,
        random_state: int = 0,
    ):
        check_options(
            refresh=refresh,
            stay=stay,
            by_chance=by_chance,
            propagate=propagate,
            diverse=diverse,
            costs=costs,
            random_state=random_state,
        )
        if diverse and X is None:
            raise CorollaryError("which items are alike is seen in their features: diverse needs X")
        self.onto = check_onto(onto)
        self.score = check_score(score)
        self.propagate = propagate
        self.refresh = refresh
        self.stay = stay
        self.by_chance = by_chance
        self.diverse = diverse
        self.costs = dict(costs or {})
        self.item_cost = item_cost
        self.random_state = random_state
        self._X = X
        self._likeness: Alike | None = None
        self._learner: Learner | None = None
        self._given_beliefs = beliefs
        n = count_items(X, beliefs, facts)
        if beliefs is None:
            self._learner = make_learner(learner, onto=onto, random_state=random_state)
            if isinstance(self._learner, NEEDS_MATRIX):
                self._X, _ = default_features(X)  # text and tables become numbers; a matrix stays as it is
        given = np.full((n, len(onto)), -1, np.int8) if facts is None else onto.check_facts(array_of("facts", facts))
        ids = range(n) if item_ids is None else check_ids(item_ids, n)
        self._knowledge = Knowledge(onto, given, ids, propagate=propagate)
        self._cost = price_list(onto, self.costs, item_cost, self.score)
        self._untaught = check_untaught(untaught, given.shape)
        self._log = Log(self._knowledge)
        self._trained: Trained | None = None
        self._trainings = 0
        self._coming: Background[Trained] | None = None  # a training in the background
        self._changed: set[int] = set()  # items of which something was said since it began
        self._track = TrackRecord(onto, self._knowledge.known)
        self._kept: Floats | None = None  # all scores, where they are never refreshed

    # -- what is known and believed ----------------------------------------------------------------------------------

    @property
    def facts(self) -> Facts:
        """All that is known: given, answered and implied; int8 (N, K), -1 unknown."""
        return self._knowledge.known.copy()

    @property
    def answers(self) -> Facts:
        """The answers alone, int8 (N, K), -1 where nobody answered."""
        return self._knowledge.answered.copy()

    @property
    def beliefs(self) -> Floats:
        """What the learner, or the given beliefs, say of every cell."""
        return self._ready().beliefs

    @property
    def posterior(self) -> Floats:
        """The beliefs made consistent with the ontology and the facts."""
        return self.onto.posterior(self.beliefs, self._knowledge.known)

    def predict(self) -> Facts:
        """The most probable legal labelling of every item."""
        return self.onto.most_probable(self.beliefs, self._knowledge.known)

    def forecast(self, *, target: float = 0.99, level: float = 0.9) -> Forecast:
        """How many items are labelled right, how sure that is, and how many more questions it takes to the target.

        Of the items that were not known from the start. It holds what was answered so far against what was predicted.
        """
        rows = self._track.open
        if not len(rows):
            raise CorollaryError("every item was known from the start: there is nothing to forecast")
        record = self.record()
        beliefs, known = self.beliefs[rows], self._knowledge.known[rows]
        return forecast(self.onto, beliefs, known, record, target=target, level=level, random_state=self.random_state)

    def record(self) -> list[Learnt]:
        """What was learnt under each set of beliefs until now, oldest first: how far they could be trusted."""
        return self._track.until(self.beliefs, self._knowledge.known)

    @property
    def open(self) -> int:
        """How many cells can still be asked."""
        return int((~self._knowledge.skipped[:, :-1] & (self._knowledge.known < 0)).sum())

    @property
    def training(self) -> bool:
        """Whether a training is under way in the background."""
        return self._coming is not None and not self._coming.done

    # -- ask and answer ----------------------------------------------------------------------------------------------

    def ask(self, n: int = 1) -> list[Question | ItemQuestion]:
        """The n best questions, best first; fewer when fewer are open. Asking changes nothing.

        No two of them are about cells of one item of which one could settle the other. A training in the background
        that has come to its end is taken up here.
        """
        check_whole("n", n)
        self._take_up()
        chooser = self._ready().chooser
        blocked: dict[int, npt.NDArray[np.bool_]] = {}
        questions: list[Question | ItemQuestion] = []
        place, told = chooser.place, chooser.told
        while len(questions) < n and (found := chooser.next()) is not None:
            i, k, value = found
            question = self._question(i, k, value)
            questions.append(question)
            if len(questions) < n:
                chooser.asked(i, k)
                without = blocked.setdefault(i, np.zeros(len(self.onto) + 1, np.bool_))
                without[self._settled_by(question)] = True
                chooser.refresh(i, without=without)
        for i in blocked:
            chooser.refresh(i)
        chooser.return_to(place)
        chooser.untell(told)
        return questions

    def answer(self, question: About, value: bool | Collection[str] | None) -> tuple[Settled, ...]:
        """Take an answer: True, False, or None for "can't tell"; what it settled, the answer first.

        A question about a whole item is answered by all its labels, or None; labels that the named ones imply need not
        be named. Raises Contradiction, and changes nothing, where it cannot be true together with what is known.
        """
        i, k = self._cell(question)
        known = self._knowledge
        if value is None:
            known.skipped[i, k] = True
            self._say(i, k, None)
            return ()
        cells, foreseen = self._reply(i, k, value)
        after, values = foreseen or (known.after(i, cells), None)
        before = known.known[i].copy()
        known.take(i, cells, after)
        if k == len(self.onto):
            known.wholes[i] = (*known.wholes.get(i, ()), *cells)  # a reply that is repeated settles nothing more
        self._say(i, k, value, values)
        return self._newly(i, before, cells)

    def retract(self, question: About) -> None:
        """Take back the answer to a question, and all that followed from it alone."""
        i, k = self._cell(question)
        self._knowledge.retract(i, k)
        self._log.retracted(i, k)
        self._refresh(i)

    def restate(
        self, item: Hashable, answers: Mapping[str, bool], *, skipped: Collection[str | None] = ()
    ) -> tuple[Settled, ...]:
        """Replace all answers about an item: what others agreed on, or a lead decided; what is known now and was not.

        Labels in `skipped` (None: the whole item) are not asked. Raises Contradiction, and changes nothing, where the
        answers cannot all be true.
        """
        i = self._knowledge.row(item)
        before = self._knowledge.known[i].copy()
        if not isinstance(answers, Mapping):
            raise CorollaryError(f"answers must be a dict like {{'Bird': True}}, got {shown(answers)}")
        skipped, index = list_of("skipped", skipped), self._knowledge.index
        cells = {index(label): check_flag(f"the answer to {label!r}", value) for label, value in answers.items()}
        left = [len(self.onto) if label is None else index(label) for label in skipped]
        self._knowledge.restate(i, cells, left)
        self._log.restated(i, answers, skipped)
        self._refresh(i)
        return self._newly(i, before, cells)

    def hold(self, item: Hashable, held: bool = True) -> None:
        """Do not ask about an item for now, say because someone else has it; not on record in the log."""
        i, held = self._knowledge.row(item), check_flag("held", held)
        if self._knowledge.held[i] != held:
            self._knowledge.held[i] = held
            self._refresh(i)

    def retrain(self, *, wait: bool = True) -> None:
        """Fit the learner to all that is known, and score every question anew.

        Without `wait` this goes on in the background while people answer, and `ask` takes it up once it is done; while
        one is under way no further one starts.
        """
        if not wait and self._coming is not None:
            return
        self.wait()
        self._log.retrained(wait=wait)
        train = self._training_of(self._knowledge.frozen())
        self._changed.clear()
        if wait:
            self._use(train())
        else:
            self._coming = Background(train)

    def wait(self) -> None:
        """Wait for a training in the background, if there is one, and use it."""
        self._take_up(wait=True)

    def answer_from(self, truth: npt.ArrayLike, n: int) -> Asked:
        """Ask the n best questions one after another and answer each from a truth (N, K): what a simulation does."""
        true, known = self.onto.check_facts(array_of("truth", truth)), self._knowledge
        check_whole("n", n)
        known.check_truth(true)
        self._take_up()
        chooser = self._ready().chooser
        item, label = answered(chooser, known, true, n, in_batches=self.stay != "label")
        self._changed.update(item.tolist())
        drawn = item[np.isin(item, list(chooser.drawn))]
        self._track.drawn[drawn] = True
        whole = label == len(self.onto)
        value_of = np.where(whole, -1, true[item, np.where(whole, 0, label)]).astype(np.int8)
        batch = Asked(item, label, value_of, self._cost[label])
        self._log.asked(batch, true[item[whole]])
        return batch

    # -- save and rebuild --------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the log of answers as JSON lines; with the same items, learner and start it rebuilds the session."""
        write_log(path, self._log.lines(self._made()))

    @classmethod
    def load(cls, path: str | PathLike[str], X: Any = None, **options: Any) -> Self:
        """Rebuild a session from its log; pass `X`, `facts`, `beliefs`, `learner` and the like as at its making."""
        head, *events = read_log(path)
        made = {name: head[name] for name in SETTINGS if name in head}
        session = cls(Ontology.parse(head["ontology"]), X, **(made | options))
        for number, event in enumerate(events, start=2):
            replay(session, event, f"{path}, line {number}")
        return session

    def _made(self) -> dict[str, Any]:
        made = {"ontology": str(self.onto)} | {name: getattr(self, name) for name in SETTINGS}
        if callable(self.score):
            made["score"] = getattr(self.score, "__name__", "surprise")
        return made

    # -- train and score ---------------------------------------------------------------------------------------------

    def _ready(self) -> Trained:
        """The beliefs, and every question scored."""
        if self._trained is None:
            self.retrain()  # on record: a log must rebuild the same learner
        assert self._trained is not None
        return self._trained

    def _take_up(self, *, wait: bool = False) -> None:
        """Go on with what the training in the background gave, once it is done."""
        if self._coming is None or not (wait or self._coming.done):
            return
        coming, self._coming = self._coming, None
        self._use(coming.result())
        self._log.taken_up()

    def _use(self, trained: Trained) -> None:
        """Let a training decide from now on; what was said since it began is scored by it."""
        changed = sorted(self._changed)
        trained.chooser.follow(self._knowledge, np.array(changed, np.int64))
        for i in changed:
            trained.chooser.tell(i)
        if self._trained is None:
            self._track.begin(self._knowledge.known)
        else:
            trained.chooser.return_to(self._trained.chooser.place)
            self._track.turn(self._trained.beliefs, self._knowledge.known)
        self._trained = trained

    def _training_of(self, known: Knowledge) -> Callable[[], Trained]:
        self._trainings += 1
        number = self._trainings

        def train() -> Trained:
            from threadpoolctl import threadpool_limits

            # A BLAS of several threads holds the interpreter's lock while it waits for them; people would wait 80 ms.
            with threadpool_limits(limits=1, user_api="blas"):
                beliefs = self._learn(known)
            worth, seed = self._worth(beliefs, number, known), (self.random_state, number)
            like = self._alike() if self.diverse else None
            by_chance = self.by_chance
            return Trained(beliefs, Chooser(worth, known, stay=self.stay, by_chance=by_chance, seed=seed, alike=like))

        return train

    def _alike(self) -> Alike | None:
        """Which items are alike: found once, at the first training."""
        if self._likeness is None:
            self._likeness = alike(check_matrix(default_features(self._X)[0]), random_state=self.random_state)
        return self._likeness

    def _learn(self, known: Knowledge) -> Floats:
        if self._learner is not None:
            taught = np.where(self._untaught & (known.answered < 0), -1, known.known).astype(np.int8)
            return self._learner.fit(self._X, taught).predict_proba(self._X)
        given = self._given_beliefs
        raw = array_of("beliefs", given(known.known.copy()) if callable(given) else given)
        beliefs = np.asarray(self.onto.check_beliefs(raw), np.float64)
        if beliefs.shape != known.known.shape:
            raise CorollaryError(f"beliefs must have the shape {known.known.shape}, got {beliefs.shape}")
        return beliefs

    def _worth(self, beliefs: Floats, number: int, known: Knowledge) -> Worth:
        """What questions are worth under some beliefs, by cost."""
        if self.score == "random":
            drawn = np.random.default_rng([self.random_state, number]).random(beliefs.shape)
            return by_cost(lambda rows, _: drawn[rows], self._cost)
        worth = by_cost(self._scores_of(beliefs), self._cost)
        if self.refresh == "always":
            return worth
        if self._kept is None:
            self._kept = worth(np.arange(len(beliefs)), known.known)
        kept = self._kept
        return lambda rows, _: kept[rows]

    def _scores_of(self, beliefs: Floats) -> Worth:
        whole = self.item_cost is not None
        return scores_of(self.score, self.onto, beliefs, propagated=self.propagate, whole=whole)

    def _refresh(self, i: int, values: Floats | None = None) -> None:
        """Something was said of item i: score its questions anew, or put the scores that were foreseen."""
        self._changed.add(i)
        if self._trained is not None:
            self._track.drawn[i] |= i in self._trained.chooser.drawn
            self._trained.chooser.changed(i, values)

    # -- questions and replies ---------------------------------------------------------------------------------------

    def _question(self, i: int, k: int, value: float) -> Question | ItemQuestion:
        known = self._knowledge.known[i]
        labels, item = self.onto.labels, self._knowledge.ids[i]
        if k == len(labels):
            likely = self.onto.posterior(self.beliefs[i : i + 1], known[None])[0]
            order = sorted(np.flatnonzero(known < 0).tolist(), key=lambda j: -likely[j])
            return ItemQuestion(item, tuple(labels[j] for j in order), value)
        settled = []
        for after in self._ready().chooser.foresee(i, k):
            new = np.flatnonzero((after >= 0) & (known < 0)).tolist()
            settled.append({labels[j]: bool(after[j]) for j in new if j != k})
        return Question(item, labels[k], value, *settled)

    def _settled_by(self, question: Question | ItemQuestion) -> list[int] | slice:
        """The questions about the item that this one could settle, the one for the whole item among them."""
        if isinstance(question, ItemQuestion):
            return slice(None)
        labels = (question.label, *question.if_yes, *question.if_no)
        return [len(self.onto), *(self.onto.index[label] for label in labels)]

    def _reply(
        self, i: int, k: int, value: bool | Collection[str]
    ) -> tuple[dict[int, bool], tuple[Facts, Floats] | None]:
        """The cells that a reply settles by itself, and what was foreseen for it."""
        if k == len(self.onto):
            return self._knowledge.whole(i, list_of(f"the labels that {self._knowledge.ids[i]!r} has", value)), None
        if not isinstance(value, (bool, np.bool_)):
            raise CorollaryError(f"an answer is True, False or None (can't tell), got {shown(value)}")
        foreseen = None if self._trained is None else self._trained.chooser.foreseen(i, k, bool(value))
        return {k: bool(value)}, foreseen

    def _newly(self, i: int, before: Facts, cells: Mapping[int, bool]) -> tuple[Settled, ...]:
        """What is known of item i now and was not before, the answers first."""
        now = self._knowledge.known[i]
        new = np.flatnonzero((now >= 0) & (before < 0)).tolist()
        new.sort(key=lambda j: (j not in cells, j))
        answers, labels, item = self._knowledge.answers_of(i), self.onto.labels, self._knowledge.ids[i]
        return tuple([Settled(item, labels[j], bool(now[j]), self.onto, answers) for j in new])

    def _say(self, i: int, k: int, value: bool | Collection[str] | None, values: Floats | None = None) -> None:
        self._log.answered(i, k, value)
        self._refresh(i, values)
        if self._trained is not None:
            self._trained.chooser.asked(i, k)

    def _cell(self, question: About) -> tuple[int, int]:
        if isinstance(question, Question):
            return self._knowledge.row(question.item), self._knowledge.index(question.label)
        if isinstance(question, ItemQuestion):
            question = question.item, None
        if not isinstance(question, tuple | list) or len(question) != 2:
            raise CorollaryError(f"a question is one that was asked, or (item, label), got {shown(question)}")
        item, label = question
        return self._knowledge.row(item), len(self.onto) if label is None else self._knowledge.index(label)


#: How a session was made, as far as its log tells.
SETTINGS = ("score", "random_state", "propagate", "refresh", "costs", "item_cost", "stay", "by_chance", "diverse")
