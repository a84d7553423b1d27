"""A session: ask, answer, derive consequences, retrain. It is deterministic, and its log rebuilds it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from ...logic.arrays import Table, check_facts
from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.labelled import same_rows
from ...logic.ontology import Ontology
from ...logic.relations.pairs import Pairs
from ..argument_checks import check_flag, check_onto, check_whole, list_of, seed_of
from ..choosing.contrast import Contrast
from ..choosing.picks import asks
from ..choosing.question_worth import check_asks, cost_of_asked, price_list
from ..choosing.scores import CONTRAST, name_of
from ..knowledge import Knowledge
from ..learners.learner import make_learner
from ..learners.scikit_learn.consistent import ConsistentClassifier
from ..meaning.label_texts import check_names
from ..meaning.reader import can_be_read, texts_of
from ..question import Asked, ItemQuestion, Question, Settled
from ..stopping.calibration import Learnt
from ..stopping.forecast import Forecast, forecast
from ..testimony import Testimony
from .arguments import (
    Beliefs,
    by_id,
    check_drawn_facts,
    check_fallible,
    check_held_out,
    check_likeness,
    count_items,
    how_to_stay,
    what_to_choose_by,
)
from .asking import About, Wording, best_questions, cell_of, cells_of, newly_settled, restate
from .core import Core
from .hearing import Doubt, Hearing, Trust, read_witnesses
from .held_out import DrawnFacts, HeldOutBeliefs
from .known_truth import answered
from .options import Annotators, Asking, Reading, check_kinds, costs_by_label, experiment
from .saved_session import Log, made_with, rebuilt, write_log
from .scoring import Neighbours, Scoring
from .training import Prepare, input_of, to_learn_from, trainer

if TYPE_CHECKING:
    from .linked_session import PairsOfSession


class Session:
    """Ask a question, derive what the answer settles, retrain, and ask the next one.

    Pass `X` to train a learner, or `beliefs` of your own. The rows of frames are matched by their
    index, the columns of frames and dicts by the names of labels. A missing label is unknown.

    Parameters
    ----------
    onto
        The labels, and the constraints between them.
    X
        The items: a matrix, a table, or a list of texts. The column `text` of a table is read.
    learner
        A name ("auto", "pool", "crf", "logistic", "meaning"), a learner, or a classifier or
        pipeline of scikit-learn.
    beliefs
        A matrix of probabilities, items x labels, or a function that computes one from the facts.
        They replace the learner.
    facts
        The labels known from the start, items x labels: 1, 0, and -1 if unknown.
    asking
        Which questions come first, and what they cost.
    reading
        How texts or pictures are read, and what labels mean.
    annotators
        Whether annotators can be wrong.
    item_ids
        An id for each item. By default the index of the first frame or Series among `X`,
        `beliefs` and `facts`, or else the row.
    pairs
        The pairs of items that are asked about, too, if the ontology has relations.
    random_state
        The seed of all random choices.

    Raises
    ------
    CorollaryError
        If an argument is wrong, or two of them do not fit together.
    """

    _prepare: Prepare | None = None
    _encoder = ""

    def __new__(cls, *args: Any, pairs: Any = None, **options: Any) -> Self:  # noqa: ARG004
        """A session, or one about pairs, too."""
        if pairs is None or cls is not Session:
            return super().__new__(cls)
        from .linked_session import LinkedSession

        return super().__new__(cast(type[Self], LinkedSession))

    def __init__(
        self,
        onto: Ontology,
        X: Any = None,
        *,
        learner: object = "auto",
        beliefs: Beliefs | None = None,
        facts: Table | None = None,
        asking: Asking = Asking(),
        reading: Reading = Reading(),
        annotators: Annotators = Annotators(),
        item_ids: Sequence[Hashable] | None = None,
        pairs: Pairs | None = None,  # noqa: ARG002 (`__new__` makes another session of them)
        random_state: Any = 0,
    ):
        check_kinds(asking, reading, annotators)
        run = experiment(asking)
        device = asking.device
        fallible = annotators.fallible
        propagate = run.propagate is not False
        self.random_state = random_state = seed_of(random_state)
        check_likeness(X, diverse=asking.diverse, score=asking.score)
        self.onto = check_onto(onto)
        costs = costs_by_label(asking.costs, self.onto)
        fitted = (
            make_learner(learner, onto=onto, random_state=random_state, device=device)
            if beliefs is None
            else None
        )
        self._learner = fitted
        self._spec = learner
        self._items = X
        items = X
        asked = asks(asking.pick, asking.item_cost, onto)
        drawn = asking.facts_at_random or asking.share_at_random > 0
        only_posterior = fallible or drawn or asked != "labels"
        score = what_to_choose_by(asking.score, fitted, X, only_posterior=only_posterior)
        if fallible:
            check_fallible(run, score=score)
        check_asks(asked, score)
        stay = how_to_stay(asking.stay, fitted, score=score, fallible=fallible)
        self.asking = replace(asking, score=score, stay=stay)
        self.reading = reading
        self.annotators = annotators
        n = count_items(X, beliefs, facts)
        ids, beliefs, facts = by_id(X, beliefs, facts, item_ids, n)
        self._wording = Wording(texts_of(X), check_names(reading.names, onto.labels))
        held_out = self._held_out = check_held_out(run.held_out, items, onto.labels, n)
        self._drawn_facts: DrawnFacts | None = None
        if fitted is not None:
            X, self._prepare, self._encoder = to_learn_from(fitted, X, onto, reading)
            if asking.facts_at_random:
                self._drawn_facts = DrawnFacts(
                    fitted, X, held_out, n_items=n, random_state=random_state
                )
        self._train = trainer(fitted, X, beliefs)
        if fallible and fitted is not None:
            self._train = HeldOutBeliefs(fitted, X, n_items=n, random_state=random_state)
        given = None if facts is None else onto.check_facts(facts)
        knowledge = Knowledge(onto, given, ids, propagate=propagate)
        if asking.facts_at_random:
            check_drawn_facts(given, knowledge.known, learns=beliefs is None)
        witnesses = annotators.witnesses
        if fallible:
            others = (
                None if witnesses is None else read_witnesses(onto, witnesses, knowledge.known, ids)
            )
            knowledge.testimony = Testimony(onto, n, others)
        neighbours = Neighbours(X, random_state=random_state)
        scoring = Scoring(
            onto=onto,
            cost=price_list(onto, costs, asking.item_cost, asked=asked),
            score=Contrast(neighbours) if score == CONTRAST else score,
            propagate=propagate,
            refresh=run.refresh,
            asks=asked,
            stay=stay,
            share_at_random=asking.share_at_random,
            neighbours=neighbours if asking.diverse else None,
            prices=dict(annotators.prices or {}),
            random_state=random_state,
            device=device,
            learner=fitted,
            X=None if fitted is None else X,
        )
        self._core = Core(knowledge, scoring, record=True)
        self._knowledge = knowledge
        self._hearing = Hearing(self._core) if fallible else None
        self._log = Log(knowledge, items)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_") and "_log" in self.__dict__:
            raise AttributeError(
                f"{name!r} is set when a session is made. Save this one; Session.load(path, X, ...) "
                "makes another with the same answers and other options"
            )
        super().__setattr__(name, value)

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Session cannot be pickled or copied: session.save(path) writes its log, "
            "and Session.load(path, X, ...) rebuilds it"
        )

    def __repr__(self) -> str:
        n, k = self._knowledge.known.shape
        answers = int((self._knowledge.answered >= 0).sum())
        learner = (
            "beliefs given" if self._learner is None else f"learner {type(self._learner).__name__}"
        )
        read = f", encoder {self._encoder}" if self._encoder else ""
        chosen = f"{learner}{read}, score {name_of(self.asking.score)}, stay {self.asking.stay}"
        return f"<Session: {n:,} items, {k:,} labels, {answers:,} labels answered, {self.open:,} open; {chosen}>"

    # -- facts and predictions ---------------------------------------------------------------------------------------

    @property
    def item_ids(self) -> tuple[Hashable, ...]:
        """The ids of the items, in the order of rows."""
        return tuple(self._knowledge.ids)

    @property
    def facts(self) -> Facts:
        """All known labels: given, answered and implied; int8 (N, K), -1 if unknown.

        If people can be wrong, only probable answers count, and their consequences.
        """
        return self._core.probable_facts.copy()

    @property
    def answers(self) -> Facts:
        """The answers alone, int8 (N, K), -1 without an answer; the last one if answers differ."""
        return self._knowledge.all_answers()

    @property
    def beliefs(self) -> Floats:
        """The probability of every cell by the learner, or the given beliefs, before logic."""
        return np.asarray(self._ready().beliefs_in_use, np.float64)

    @property
    def posterior(self) -> Floats:
        """The probability of every cell, given the ontology, the facts and all answers."""
        beliefs = self.beliefs
        known = self._knowledge.known
        said = self._knowledge.evidence
        scorer = self._core.scoring.scorer
        if scorer is not None:
            return scorer.posterior(beliefs, known, said)
        return self.onto.posterior(beliefs, known, evidence=said)

    def predict(self, X: Any = None) -> Facts:
        """Return the most probable labelling of every item that keeps all constraints.

        Parameters
        ----------
        X
            Other items to predict, by the learner alone. By default the items of the session.

        Returns
        -------
        array of items x labels
            1 for yes and 0 for no.

        Raises
        ------
        CorollaryError
            If `X` is given, and the session has no learner, or its features need old items.
        """
        if X is not None:
            return self.onto.most_probable(self._beliefs_of(X))
        return self.onto.most_probable(
            self.beliefs, self._knowledge.known, evidence=self._knowledge.evidence
        )

    def classifier(self) -> ConsistentClassifier:
        """Fit a classifier to all known labels, for items that the session does not have.

        It has the learner of the session, and reads texts as the session does. It does without
        `similarity`, since new items have none.

        Returns
        -------
        ConsistentClassifier
            A fitted estimator of scikit-learn. It can be saved with joblib, without the session.

        Raises
        ------
        CorollaryError
            If the session has beliefs and no learner, or nothing is known, or an encoder reads
            other things than texts.
        """
        if self._learner is None:
            raise CorollaryError(
                "classifier(): this session has given beliefs and no learner; fit a "
                "ConsistentClassifier to your features and session.facts"
            )
        if self.reading.encoder not in ("auto", "lexical", None) and not can_be_read(self._items):
            raise CorollaryError(
                "classifier(): the encoder reads other things than texts; fit a "
                "ConsistentClassifier to the encoder's vectors and session.facts"
            )
        facts = self.facts
        if (facts < 0).all():
            raise CorollaryError("classifier(): no label is known yet; answer questions first")
        estimator = self._spec if isinstance(self._spec, str) else deepcopy(self._spec)
        return ConsistentClassifier(
            estimator,
            self.onto,
            encoder=self.reading.encoder,
            meaning=self.reading.meaning,
            random_state=self.random_state,
            device=self.asking.device,
        ).fit(self._items, facts)

    def _beliefs_of(self, X: Any) -> Floats:
        """Return the learner's beliefs about items that are not in the session."""
        if self._learner is None:
            raise CorollaryError(
                "predict(X): this session has given beliefs and no learner; pass them to onto.posterior"
            )
        if self._prepare is None:
            raise CorollaryError(
                "predict(X): new items have no similarity, and no vectors of this encoder; "
                "session.classifier() does without similarity"
            )
        self._ready()
        self.wait()  # a training in the background changes the learner
        return self._learner.predict_proba(self._prepare(X))

    def forecast(self, *, target: float = 0.99, level: float = 0.9) -> Forecast:
        """Estimate the share of items with right labels, and the questions left to a target.

        It counts items that were not known from the start. It compares earlier predictions with
        the answers that came later.

        Parameters
        ----------
        target
            The wanted share of right items.
        level
            The probability that the intervals hold.

        Returns
        -------
        Forecast
            The share with its interval, and the number of questions to the target.

        Raises
        ------
        CorollaryError
            If every item was known from the start.
        """
        rows = self._core.track.open
        if not len(rows):
            raise CorollaryError(
                "every item was known from the start: there is nothing to forecast"
            )
        record = self.record()
        beliefs = self.beliefs[rows]
        known = self.facts[rows]
        cost = cost_of_asked(self._core.scoring.cost, self._core.scoring.asks)
        return forecast(
            self.onto,
            beliefs,
            known,
            record,
            target=target,
            level=level,
            cost=cost,
            random_state=self.random_state,
        )

    def record(self) -> list[Learnt]:
        """Return predictions and later answers under each set of beliefs so far, the oldest first."""
        track = self._core.track
        known = self.facts
        later = track.until(self.beliefs, known)
        if self._drawn_facts is None:
            return later
        rows = np.setdiff1d(np.arange(len(known)), track.open)
        return [self._drawn_facts.learnt(self.onto, known, rows), *later]

    @property
    def open(self) -> int:
        """The number of cells that can still be asked."""
        return self._knowledge.open

    @property
    def training(self) -> bool:
        """Whether a training runs in the background."""
        return self._core.awaited and not self._core.done

    @property
    def pairs(self) -> PairsOfSession | None:
        """Facts and predictions of the pairs; None if the session has none."""
        return None

    # -- whom to trust -----------------------------------------------------------------------------------------------

    def reliability(self) -> dict[Hashable | None, Trust]:
        """Return the accuracy of each person who answered, in a fallible session.

        Returns
        -------
        dict from people to Trust
            `sensitivity` and `specificity` with 90 % intervals, and the number of answers.

        Raises
        ------
        CorollaryError
            If the session is not fallible.
        """
        self._ready()
        return self._heard().reliability()

    def doubtful(self, n: int = 10) -> list[Doubt]:
        """Return the answers most likely to be wrong, the worst first, in a fallible session.

        Parameters
        ----------
        n
            The largest number of answers.

        Returns
        -------
        list of Doubt
            Each with its probability of being wrong, and the answers that disagree.

        Raises
        ------
        CorollaryError
            If the session is not fallible.
        """
        check_whole("n", n)
        self._ready()
        return self._heard().doubtful(n)

    def _heard(self) -> Hearing:
        if self._hearing is None:
            raise CorollaryError(
                "answers are the truth in this session; annotators=Annotators(fallible=True) doubts them"
            )
        return self._hearing

    # -- ask and answer ----------------------------------------------------------------------------------------------

    def ask(self, n: int = 1, *, who: Hashable | None = None) -> list[Question | ItemQuestion]:
        """Return the best questions, the best first, fewer if fewer are open.

        Asking changes nothing. No answer to one of the questions could settle another one. The
        first call trains, which takes seconds with tens of thousands of items; the logger
        `corollary.learning` reports it at the level INFO. A training in the background is used
        from here on if it is done.

        Parameters
        ----------
        n
            The number of questions.
        who
            The person to ask. If people can be wrong, they are not asked what they answered before.

        Returns
        -------
        list of Question or ItemQuestion
        """
        check_whole("n", n)
        self._take_up()
        found = best_questions(self._ready(), n, self._wording, who=who)
        return found if self._hearing is None else self._hearing.addressed(found)

    def answer(
        self, question: About, value: bool | Collection[str] | None, *, who: Hashable | None = None
    ) -> tuple[Settled, ...]:
        """Take an answer and return the labels that it settles, the answer first.

        Parameters
        ----------
        question
            A question of `ask`, or `(item, label)`. The label None means the whole item.
        value
            True, False, or None for "can't tell". For a whole item: the labels that it has.
            Labels that these imply may be left out.
        who
            The author of the answer, in a fallible session.

        Returns
        -------
        tuple of Settled
            The newly known labels, each with the reason in `why`.

        Raises
        ------
        Contradiction
            If the answer contradicts known labels; nothing changes then. A fallible session warns
            instead.
        CorollaryError
            If the question or the value is unknown.
        """
        known = self._knowledge
        i, k = cell_of(question, known)
        if value is None:
            known.skip(i, k)
            self._say(i, k, None, who=who)
            return ()
        if self._hearing is not None:
            settled, clash = self._hearing.hear(i, k, value, who)
            self._say(i, k, value, who=who)
            if clash is not None:  # last, so that the answer is kept even if warnings are errors
                warnings.warn(clash, stacklevel=2)
            return settled
        cells = cells_of(known, i, k, value)
        foreseen = (
            None
            if not self._core.has_beliefs or k == len(self.onto)
            else self._core.chooser.foreseen(i, k, cells[k])
        )
        after, values = foreseen or (known.after(i, cells), None)
        before = known.known[i].copy()
        known.take(i, cells, after)
        if k == len(self.onto):
            known.take_whole(
                i, cells
            )  # with the earlier answers: a repeated reply settles nothing more
        self._say(i, k, value, values)
        return newly_settled(known, i, before, cells)

    def _say(
        self,
        i: int,
        k: int,
        value: bool | Collection[str] | None,
        values: Floats | None = None,
        who: Hashable | None = None,
    ) -> None:
        self._log.answered(i, k, value, who)
        self._core.rescore(i, values)
        if self._core.has_beliefs:
            self._core.chooser.asked(i, k)

    def retract(self, question: About, *, who: Hashable | None = None) -> None:
        """Take back the answer to a question, and everything that followed from it alone.

        Parameters
        ----------
        question
            The question, or `(item, label)`.
        who
            The author of the answer, if there are several.
        """
        i, k = cell_of(question, self._knowledge)
        self._knowledge.retract(i, k, who)
        self._log.retracted(i, k, who)
        self._core.rescore(i)

    def restate(
        self, item: Hashable, answers: Mapping[str, bool], *, skipped: Collection[str | None] = ()
    ) -> tuple[Settled, ...]:
        """Replace all answers about an item, after people agreed or a lead decided.

        Parameters
        ----------
        item
            The id of the item.
        answers
            The new answers by label.
        skipped
            Labels that are not asked; None means the whole item.

        Returns
        -------
        tuple of Settled
            The newly known labels.

        Raises
        ------
        Contradiction
            If the answers contradict each other; nothing changes then.
        """
        i = self._knowledge.row(item)
        left = list_of("skipped", skipped)
        settled = restate(self._knowledge, i, answers, left)
        self._log.restated(i, answers, left)
        self._core.rescore(i)
        return settled

    def hold(self, item: Hashable, held: bool = True) -> None:
        """Do not ask about an item for now, for example while another person has it.

        The log does not keep this.

        Parameters
        ----------
        item
            The id of the item.
        held
            False to ask about it again.
        """
        i = self._knowledge.row(item)
        held = check_flag("held", held)
        if self._knowledge.held[i] != held:
            self._knowledge.held[i] = held
            self._core.rescore(i)

    def retrain(self, *, wait: bool = True) -> None:
        """Fit the learner to all known labels, and score every question anew.

        Parameters
        ----------
        wait
            If False, the training runs in the background, and the next `ask` after its end uses
            it. Only one training runs at a time.
        """
        if not wait and self._core.awaited:
            return
        self.wait()
        self._log.retrained(wait=wait)
        known = self._knowledge.frozen(waiting=wait)
        wanted = input_of(known, self._held_out, random_state=self.random_state)
        self._core.begin(self._train, wanted, known, wait=wait)

    def wait(self) -> None:
        """Wait for a training in the background, if there is one, and use it."""
        self._take_up(wait=True)

    def _take_up(self, *, wait: bool = False) -> None:
        if self._core.take_up(wait=wait) is not None:
            self._log.taken_up()

    def _ready(self) -> Core:
        """The core, with beliefs and every question scored."""
        if not self._core.has_beliefs:
            self.retrain()  # with a line in the log, which must rebuild the same learner
        return self._core

    def answer_from(self, truth: Table, n: int) -> Asked:
        """Ask the best questions in turn and answer each from a known truth, as a simulation does.

        Parameters
        ----------
        truth
            The true labels, items x labels.
        n
            The number of questions.

        Returns
        -------
        Asked
            The questions and their answers.
        """
        known = self._knowledge
        own = same_rows("truth", truth, "the session", known.ids)
        true = check_facts(own, self.onto.labels, what="truth")
        check_whole("n", n)
        known.check_truth(true)
        self._take_up()
        chooser = self._ready().chooser
        if self.annotators.fallible:
            raise CorollaryError(
                "a truth is never wrong: answer a fallible session question by question"
            )
        batch = answered(
            chooser, known, true, n, self._core.scoring.cost, in_batches=self.asking.stay != "label"
        )
        self._core.changed(batch.item.tolist(), drawn=chooser.drawn)
        self._log.asked(batch, true[batch.item[batch.label == len(self.onto)]])
        return batch

    # -- save and rebuild --------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the log of answers as JSON lines, from which `load` rebuilds the session.

        Parameters
        ----------
        path
            The file to write.
        """
        write_log(path, self._log.lines(made_with(self)))

    @classmethod
    def load(cls, path: str | PathLike[str], X: Any = None, **options: Any) -> Self:
        """Rebuild a session from its log.

        Parameters
        ----------
        path
            The log that `save` wrote.
        X
            The same items.
        **options
            The same `facts`, `beliefs`, `learner` and `item_ids`. Fields of `Asking`, `Reading`
            and `Annotators` replace those of the log, by name: `device="cuda"`. Pass again what a
            log cannot hold: `device`, `score` if it is a strategy, `encoder` if it is not a name,
            `names`, `similarity`, `witnesses` and `held_out`.
        """
        return rebuilt(cls, path, X, options)
