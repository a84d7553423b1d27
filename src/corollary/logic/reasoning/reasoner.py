"""What follows from facts under some constraints; all that this takes is worked out when first needed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..arrays import check_evidence, check_facts, check_same_shape
from ..engines import Budget, Facts, Floats
from ..errors import CorollaryError
from ..label_search import LabelSearch
from ..labelled import is_missing, named_row
from ..language.about import About
from ..language.constraints import Constraint, hard_ones, soft_ones
from ..solving.clauses import Clauses, to_clauses
from .explanation import Trace

if TYPE_CHECKING:
    from ..compiled.consequences import Consequences
    from ..compiled.model import Model
    from ..compiled.soft_gain import SoftGain


#: What a file without annotations says of its labels.
NOTHING_SAID: Mapping[str, About] = {}


class Reasoner:
    """Labels and constraints as clauses, as a model, and as a source of reasons.

    `index` has the column of each label. Soft constraints are only in `weighed`, the model for
    probabilities.
    """

    def __init__(
        self,
        labels: tuple[str, ...],
        index: Mapping[str, int],
        constraints: tuple[Constraint, ...],
        budget: Budget,
        about: Mapping[str, About] = NOTHING_SAID,
    ):
        self.labels = labels
        self._about = about
        self.index = index
        self._budget = budget
        self._constraints = hard_ones(constraints)
        self._soft = soft_ones(constraints)

    @cached_property
    def clauses(self) -> Clauses:
        """The constraints as clauses over numbered labels."""
        return to_clauses(self.labels, self._constraints)

    @cached_property
    def trace(self) -> Trace:
        """The propagation that keeps reasons."""
        return Trace(self.labels, self._constraints, self.clauses, soft=self._soft)

    @cached_property
    def model(self) -> Model:
        """The constraints compiled; a Contradiction where they cannot all be true."""
        from ..compiled.model import Model, Unsatisfiable

        try:
            return Model(self.clauses, self._budget)
        except Unsatisfiable:
            raise self.trace.clash({}) from None

    @cached_property
    def weighed(self) -> Model:
        """The model that soft constraints have their say in; the same where there are none."""
        if not self._soft:
            return self.model
        from ..compiled.soft import soften

        _ = self.model  # raises an error if the constraints cannot all be true
        return soften(self.labels, self._constraints, self._soft, self._budget)

    @cached_property
    def soft_gain(self) -> SoftGain | None:
        """What puts the gain right where there are soft constraints."""
        if not self._soft:
            return None
        from ..compiled.soft_gain import SoftGain

        return SoftGain(self.labels, (*self._constraints, *self._soft), self._budget)

    @cached_property
    def consequences(self) -> Consequences:
        """What weighs what each answer would settle."""
        from ..compiled.consequences import Consequences

        return Consequences(self.model)

    def complete(self, facts: Facts, *, one: bool = False) -> Facts:
        """Facts (N, K) and everything they entail; a Contradiction names the item, unless there is only the `one`."""
        known, clash = self.model.propagate(facts)
        if clash.any():
            i = int(np.argmax(clash))
            given = {
                label: bool(facts[i, k]) for k, label in enumerate(self.labels) if facts[i, k] >= 0
            }
            raise self.trace.clash(given, item=None if one else i)
        return known

    def known_like(
        self,
        beliefs: npt.NDArray[np.floating],
        facts: npt.ArrayLike | None,
        *,
        propagated: bool = False,
    ) -> Facts:
        """What follows from the facts, one row for each row of beliefs; `propagated` facts need only fit."""
        if facts is None:
            return np.tile(self.model.base, (len(beliefs), 1))
        trusted = propagated and isinstance(facts, np.ndarray) and facts.dtype == np.int8
        checked: Facts = facts if trusted else check_facts(facts, self.labels)  # type: ignore[assignment]  # as `trusted` says
        check_same_shape("facts", checked, "beliefs", beliefs)
        return checked if propagated else self.complete(checked)

    def known_and_evidence(
        self,
        beliefs: npt.NDArray[np.floating],
        facts: npt.ArrayLike | None,
        evidence: npt.ArrayLike | None,
        *,
        propagated: bool = False,
    ) -> tuple[Facts, Floats | None]:
        """What follows from the facts and from infinite evidence, and the evidence that is finite, if there is any."""
        if evidence is None:
            return self.known_like(beliefs, facts, propagated=propagated), None
        ratios = check_evidence(evidence, self.labels)
        check_same_shape("evidence", ratios, "beliefs", beliefs)
        certain = np.isinf(ratios)
        if certain.any():
            facts = self._with_certain(beliefs, facts, np.where(certain, ratios > 0, -1))
            propagated = False
            ratios[certain] = 0.0
        return self.known_like(
            beliefs, facts, propagated=propagated
        ), ratios if ratios.any() else None

    def _with_certain(
        self,
        beliefs: npt.NDArray[np.floating],
        facts: npt.ArrayLike | None,
        certain: npt.NDArray[np.int64],
    ) -> Facts:
        """Facts together with what evidence says for certain."""
        if facts is None:
            return certain.astype(np.int8)
        given = check_facts(facts, self.labels)
        check_same_shape("facts", given, "beliefs", beliefs)
        clash = (certain >= 0) & (given >= 0) & (certain != given)
        if clash.any():
            i, k = np.argwhere(clash)[0]
            said = ("no", "yes")
            raise CorollaryError(
                f"item {i}, label {self.labels[k]!r}: the facts say {said[given[i, k]]}, infinite evidence says "
                f"{said[certain[i, k]]}; make the evidence finite where it can be wrong"
            )
        return np.where(certain >= 0, certain, given).astype(np.int8)

    def row(self, facts: Mapping[str, bool]) -> Facts:
        """The facts of one item, by label, as int8 (K,); -1, None and nan are unknown, as in a table."""
        given = named_row(facts)
        if given is None:
            raise CorollaryError(
                f"the facts of one item are a dict, label: True or False; got {type(facts).__name__}"
            )
        row = np.full(len(self.labels), -1, np.int8)
        for label, value in given.items():
            k = self.index[self.find(label)]
            if is_missing(value):
                continue
            if not isinstance(value, bool | np.bool_ | Real) or value not in (-1, 0, 1):
                raise CorollaryError(
                    f"a fact is True or False, got {value!r} for {label!r}; leave unknown labels out"
                )
            known = -1 if value == -1 else bool(value)
            if row[k] >= 0 and row[k] != known:
                raise CorollaryError(
                    f"{label!r} means {self.labels[k]!r}, which has another value; keep one"
                )
            row[k] = known
        return row

    def find(self, text: str) -> str:
        """The label that a text means."""
        known = isinstance(text, str) and text in self.index
        return text if known else self._search.find(text)

    @cached_property
    def _search(self) -> LabelSearch:
        return LabelSearch(self.index, self._about)
