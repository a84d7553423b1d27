"""Probable labels from reports of witnesses that can be wrong, and the accuracy of each witness."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ...logic.arrays import Table
from ...logic.engines import Facts, Floats
from ...logic.errors import CorollaryError
from ...logic.labelled import index_of, same_rows
from ...logic.ontology import Ontology
from ..argument_checks import check_onto, check_whole, list_of
from ..features.learner_inputs import NotFitted
from .measures import Measured, measure
from .one_more import one_more_reply
from .parts import Parts
from .reports import Reports, is_wide, read_reports

#: It is done when the probability that moves most moves by less than this in a step, on average over items.
TOLERANCE = 1e-4
#: The number of divisions of the witnesses into two halves, to see how far the halves differ.
SPLITS = 4


class Consensus:
    """Estimate labels and the reliability of witnesses from reports alone.

    It is expectation maximisation under the constraints: labels give the reliability of witnesses,
    and reliability gives labels. There are three kinds of reports, each with a model of its own: a
    yes or no (`Reliability`), one reply about a whole exclusive group (`Confusion`), and
    probabilities (`Calibration`).

    Parameters
    ----------
    onto
        The labels, and the constraints between them.
    max_iter
        The largest number of steps.
    progress
        A function that is called with the step and `max_iter` after each step.

    Examples
    --------
    >>> import corollary as co
    >>> onto = co.Ontology.parse("exactly one: cat, dog")
    >>> reports = [("rex", "dog", "ann", 1), ("rex", "dog", "bob", 1), ("rex", "cat", "eve", 1)]
    >>> co.Consensus(onto).fit(reports).predict().tolist()
    [[0, 1]]
    """

    witnesses_: tuple[Hashable, ...]
    items_: tuple[Hashable, ...]
    #: The probability of each label of each item, (N, K).
    posterior_: Floats
    #: For each witness, by label: the share of right reports, of yes among true cells, and of no
    #: among false ones; 90 % intervals are (2, K). nan without reports.
    accuracy_: dict[Hashable, Floats]
    sensitivity_: dict[Hashable, Floats]
    specificity_: dict[Hashable, Floats]
    accuracy_interval_: dict[Hashable, Floats]
    sensitivity_interval_: dict[Hashable, Floats]
    specificity_interval_: dict[Hashable, Floats]
    n_iter_: int
    #: Whether the last step moved probabilities by less than TOLERANCE.
    converged_: bool

    def __init__(
        self,
        onto: Ontology,
        *,
        max_iter: int = 60,
        progress: Callable[[int, int], None] | None = None,
    ):
        self.onto = check_onto(onto)
        self.max_iter = check_whole("max_iter", max_iter, least=1)
        self.progress = progress

    def fit(
        self, reports: Any, facts: Table | None = None, *, items: Iterable[Hashable] | None = None
    ) -> Self:
        """Learn from reports.

        Parameters
        ----------
        reports
            A dict from witnesses to probabilities (N, K), nan if silent. Or a long table with
            the columns item, label, witness and value: a frame, a mapping, or a list of tuples.
            Items of a table are ids, and `items_` has them in the order of their first report.
        facts
            Certain labels, (N, K): 1, 0, and -1 if unknown.
        items
            All items of a table in the order of rows; `range(N)` if its items are row numbers.

        Returns
        -------
        Consensus
            Itself.
        """
        listed = None if items is None else list_of("items", items)
        said = read_reports(reports, self.onto, items=listed)
        known = self.onto.propagate(
            self._facts(facts, said, by_position=listed is not None or is_wide(reports))
        )
        self.witnesses_ = said.witnesses
        self.items_ = said.items
        self._known = known
        self._parts = Parts(said, self.onto, known)
        self._maximise()
        found = measure(self._parts, self.posterior_, self._differ())
        self.accuracy_, self.accuracy_interval_ = self._by_witness(found.accuracy)
        self.sensitivity_, self.sensitivity_interval_ = self._by_witness(found.sensitivity)
        self.specificity_, self.specificity_interval_ = self._by_witness(found.specificity)
        return self

    def _facts(self, facts: Any, said: Reports, *, by_position: bool) -> Facts:
        """Facts of the items that were reported on, in their order."""
        if facts is None:
            return np.full((len(said.items), len(self.onto)), -1, np.int8)
        if not by_position and index_of(facts) is None:
            raise CorollaryError(
                "which items are the facts about? Pass items=, the ids in the order of the rows of facts, "
                "or a frame of facts with the ids as its index"
            )
        known = self.onto.check_facts(same_rows("facts", facts, "reports", said.items))
        if len(known) != len(said.items):
            raise CorollaryError(
                f"facts have {len(known):,} items where the reports have {len(said.items):,}"
            )
        return known

    def predict(self) -> Facts:
        """The most probable legal labelling of each item, int8 (N, K)."""
        self._check_fitted()
        even = np.full(self.posterior_.shape, 0.5)
        return self.onto.most_probable(
            even, self._known, evidence=self._parts.prevalence.odds + self._parts.evidence()
        )

    def pick_worth(self, witness: Hashable | None = None) -> Floats:
        """Return the information of one more reply about a whole exclusive group, in nats, (N,).

        It is the mutual information of reply and truth, as if the witness erred independently
        of the others. Of several groups, the largest counts.

        Parameters
        ----------
        witness
            The witness. It is 0 for items with a reply of theirs. None, or a witness without
            replies, means an average one.

        Returns
        -------
        array of items
        """
        self._check_fitted()
        if not self._parts.choices:
            raise CorollaryError(
                "pick_worth: no witness has replied about a whole exclusive group of labels"
            )
        w = self.witnesses_.index(witness) if witness in self.witnesses_ else None
        found = [one_more_reply(one, self.posterior_, w) for one in self._parts.choices]
        return np.asarray(np.max(found, axis=0))

    def _check_fitted(self) -> None:
        if not hasattr(self, "posterior_"):
            raise NotFitted("this Consensus is not fitted yet; call fit(reports) first")

    def _maximise(self) -> None:
        self.posterior_ = self._posterior()
        self.converged_ = False
        for step in range(1, self.max_iter + 1):
            self._parts.update(self.posterior_)
            posterior = self._posterior()
            moved = np.abs(posterior - self.posterior_).max(axis=1, initial=0.0).mean()
            self.posterior_ = posterior
            self.n_iter_ = step
            self.converged_ = bool(moved < TOLERANCE)
            if self.progress is not None:
                self.progress(step, self.max_iter)
            if self.converged_:
                break

    def _posterior(self, of: npt.NDArray[np.bool_] | None = None) -> Floats:
        """What follows from the reports of all witnesses, or of some."""
        odds = np.tile(self._parts.prevalence.odds, (len(self._known), 1))
        return self.onto.marginals(
            odds, self._known, evidence=self._parts.evidence(of), propagated=True
        )[0]

    def _differ(self) -> Floats:
        """How probably what one half of the witnesses says of a cell differs from what the others say, (N, K)."""
        rng = np.random.default_rng(0)
        n = len(self.witnesses_)
        total = np.zeros(self._known.shape)
        for _ in range(SPLITS):
            half = np.zeros(n, np.bool_)
            half[rng.permutation(n)[: n // 2]] = True
            a = self._posterior(half)
            b = self._posterior(~half)
            total += (a * (1.0 - b) + b * (1.0 - a)) / SPLITS
        return total

    def _by_witness(
        self, measured: Measured
    ) -> tuple[dict[Hashable, Floats], dict[Hashable, Floats]]:
        rate, low, high = measured
        intervals = np.stack([low, high], axis=1)
        return dict(zip(self.witnesses_, rate, strict=True)), dict(
            zip(self.witnesses_, intervals, strict=True)
        )
