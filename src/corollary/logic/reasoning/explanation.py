"""Why something is true: the answers and constraints behind an implied fact, or behind a contradiction, and no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..errors import Contradiction, CorollaryError, nearest
from ..language.constraints import Constraint, Soft
from ..readable import Names
from ..solving.clauses import Clauses
from ..solving.deduction import ClauseIndex, Derivation, Search
from ..solving.sat import Solver
from ..wording import SHOWN_UP_TO, fact_in_words, in_words, listed

Fact = tuple[str, bool]
#: A constraint, the literals it needs, and what it gives: one literal, or none where it is violated all by itself.
Use = tuple[int, tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Step:
    """One use of a constraint: where the premises hold, so does the fact."""

    fact: Fact
    because: tuple[Fact, ...]
    constraint: Constraint

    def __str__(self) -> str:
        return self.text()

    def text(self, names: Names = None) -> str:
        """In words; `names` are what people call the labels, see `Explanation.text`."""
        labels = {label for label, _ in (self.fact, *self.because)}
        return f"{fact_in_words(*self.fact, names)}: {in_words(self.constraint, about=labels, names=names)}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """The reason for the value of a label; no answer and no constraint in it can be left out.

    The steps lead from the answers to the label. If `supposed`, they lead from the opposite
    value to a clash: the last step contradicts an earlier one. Without steps, only all
    constraints together imply the value.

    Attributes
    ----------
    label : str
        The label.
    value : bool
        Its value.
    answers : dict
        The answers that it needs, by label.
    steps : tuple of Step
        The steps, in order.
    constraints : tuple of Constraint
        The constraints that it needs.
    supposed : bool
        Whether the steps begin with the opposite value.
    """

    label: str
    value: bool
    answers: dict[str, bool]
    steps: tuple[Step, ...]
    constraints: tuple[Constraint, ...]
    supposed: bool = False

    def __str__(self) -> str:
        return self.text()

    def text(self, names: Names = None) -> str:
        """Return the steps in words, one a line.

        Parameters
        ----------
        names
            Names of labels for people, such as those of `read_names`. Other labels are spelled
            out.

        Returns
        -------
        str
        """
        fact = fact_in_words(self.label, self.value, names)
        if self.label in self.answers:
            return f"{fact}: answered"
        lines = [f"{fact}:"]
        if len(self.answers) > SHOWN_UP_TO:
            lines.append(f"{_answers(self.answers, names)} (answered)")
        else:
            lines += [
                f"{fact_in_words(*answer, names)} (answered)" for answer in self.answers.items()
            ]
        steps = [step.text(names) for step in self.steps]
        if not steps:
            rules = (in_words(constraint, names=names) for constraint in self.constraints)
            lines += ["only this fits all of the following:", *rules]
        elif self.supposed:
            lines.append(f"suppose {fact_in_words(self.label, not self.value, names)}")
            lines += [f"then {step}" for step in steps[:-1]]
            lines.append(f"but {steps[-1]}")
        else:
            lines += [f"so {step}" for step in steps]
        return "\n  ".join(lines)


def explain(
    labels: Sequence[str],
    constraints: Sequence[Constraint],
    clauses: Clauses,
    facts: Mapping[str, bool],
    label: str,
) -> Explanation:
    """Why the facts give this label its value; for several questions keep a `Trace`."""
    return Trace(labels, constraints, clauses).explain(facts, label)


def clash(
    labels: Sequence[str],
    constraints: Sequence[Constraint],
    clauses: Clauses,
    facts: Mapping[str, bool],
    *,
    item: int | None = None,
) -> Contradiction:
    """Why the facts cannot all be true; for several questions keep a `Trace`."""
    return Trace(labels, constraints, clauses).clash(facts, item=item)


class Trace:
    """An ontology made ready for explanations; `clauses` are those of the constraints."""

    def __init__(
        self,
        labels: Sequence[str],
        constraints: Sequence[Constraint],
        clauses: Clauses,
        *,
        soft: Sequence[Soft] = (),
    ):
        self._labels = labels
        self._constraints = constraints
        self._soft = soft
        self._position = {label: k for k, label in enumerate(labels)}
        self.index = ClauseIndex(clauses, constraints=constraints)

    def explain(self, facts: Mapping[str, bool], label: str) -> Explanation:
        """Why the facts give this label its value.

        Raises Contradiction if the facts cannot all be true, and CorollaryError if nothing follows about the label.
        """
        given = self._literals(facts)
        if not self.possible(given):
            raise self.clash(facts)
        if label in facts:
            return Explanation(label, bool(facts[label]), {label: bool(facts[label])}, (), ())
        (wanted,) = self._literals({label: True})
        for literal in (wanted, wanted ^ 1):
            found = self.minimal(given, target=literal)
            if found is not None:
                return self._explanation(literal, *found)
        soft = [in_words(one) for one in self._soft if label in one.labels]
        hint = f"; soft constraints only make it more or less probable: {listed(soft, noun='of them', last='; ')}"
        raise CorollaryError(
            f"nothing follows about {label!r} from these answers: it can still be yes or no{hint if soft else ''}"
        )

    def clash(self, facts: Mapping[str, bool], *, item: int | None = None) -> Contradiction:
        """Why the facts cannot all be true: as few answers and constraints as it takes."""
        found = self.minimal(self._literals(facts))
        if found is None:
            raise CorollaryError(
                "these answers do not contradict one another: there is nothing to explain"
            )
        answers, owners = found
        used = dict(map(self._fact, answers))
        reason = self.reason(answers, owners)
        if not used:
            message = (
                f"the ontology contradicts itself, whatever is answered, and needs repair: {reason}"
            )
        elif len(used) == 1:
            message = f"this answer cannot be true: {_answers(used)}. Reason: {reason}"
        else:
            message = f"these answers cannot all be true: {_answers(used)}. Reason: {reason}"
        message = message[0].upper() + message[1:] if item is None else f"Item {item}: {message}"
        constraints = [self._constraints[owner] for owner in owners]
        return Contradiction(message, answers=used, constraints=constraints, item=item)

    def possible(self, literals: Sequence[int]) -> bool:
        """Whether the literals can all hold."""
        if self.world is None:
            return False
        answer = Search(self.index, self.world).possible(literals)
        return self.solver.satisfiable(literals) if answer is None else answer

    def minimal(
        self, given: Sequence[int], *, target: int = -1
    ) -> tuple[list[int], list[int]] | None:
        """The given literals and the constraints behind the target, or behind a clash if there is no target.

        No literal could be left out even with all constraints there are, and then no constraint; None if there is
        nothing to find.
        """
        found = self._core(given, target)
        if found is None:
            return None
        supposed = [target ^ 1] if target >= 0 else []
        answers = found[0]
        for answer in found[0]:
            fewer = [other for other in answers if other != answer]
            if not self.possible(fewer + supposed):
                answers = fewer
        if len(answers) < len(found[0]):
            found = self._core(answers, target) or found
        return answers, Solver(self.index.part(found[1])).minimal_clash(
            answers + supposed, found[1]
        )

    def reason(self, answers: Sequence[int], owners: Iterable[int], names: Names = None) -> str:
        """The constraints in words, in the order in which they are used."""
        about: dict[int, set[str]] = {}
        for owner, premises, fact in self._uses(answers, owners)[0]:
            about.setdefault(owner, set()).update(self._labels[l >> 1] for l in (*premises, *fact))
        order = [*about, *(owner for owner in owners if owner not in about)]
        return "; ".join(
            in_words(self._constraints[owner], about=about.get(owner, ()), names=names)
            for owner in order
        )

    @cached_property
    def world(self) -> npt.NDArray[np.bool_] | None:
        """A legal world, helper variables included; None if the constraints contradict one another."""
        easy = self.index.no_world()
        if easy is not None:
            return easy
        found = self.solver.world(self.index.n_variables)
        return None if found is None else np.array(found)

    @cached_property
    def solver(self) -> Solver:
        """The whole ontology, each constraint with its switch."""
        return Solver(self.index.clauses)

    def _core(self, given: Sequence[int], target: int) -> tuple[list[int], list[int]] | None:
        """The same as `minimal`, but more than necessary: from the derivation if there is one, else from the solver."""
        derivation = _derive(self.index, given, target)
        if derivation is not None:
            owners = {self.index.constraint_of(clause) for clause in derivation.clauses}
            answers = {
                l
                for l, reason in zip(derivation.literals, derivation.reasons, strict=True)
                if reason < 0
            }
            return [literal for literal in given if literal in answers], sorted(owners)
        supposed = [target ^ 1] if target >= 0 else []
        if self.possible([*given, *supposed]):
            return None
        found = self.solver.clash([*given, *supposed])
        assert found is not None  # the search never calls possible things impossible
        return [literal for literal in found[0] if literal not in supposed], found[1]

    def _explanation(self, target: int, answers: list[int], owners: list[int]) -> Explanation:
        uses, supposed = self._uses(answers, owners, target=target)
        steps = [
            Step(self._fact(fact[0]), tuple(map(self._fact, premises)), self._constraints[owner])
            for owner, premises, fact in uses
        ]
        constraints = tuple(self._constraints[owner] for owner in owners)
        return Explanation(
            *self._fact(target), dict(map(self._fact, answers)), tuple(steps), constraints, supposed
        )

    def _uses(
        self, answers: Iterable[int], owners: Iterable[int], *, target: int = -1
    ) -> tuple[list[Use], bool]:
        """How these constraints lead from the answers to the target, and whether by supposing its opposite."""
        part = self.index.part(owners)
        variables = sorted({literal >> 1 for literals, _ in part.clauses for literal in literals})
        number = {
            variable: i for i, variable in enumerate(variables)
        }  # few variables, so that small arrays do

        def inside(literal: int) -> int:
            return 2 * number[literal >> 1] + (literal & 1)

        def outside(literals: Iterable[int]) -> tuple[int, ...]:
            return tuple(2 * variables[literal >> 1] + (literal & 1) for literal in literals)

        small = Clauses(sum(v < part.n_labels for v in variables), len(variables))
        small.clauses = [(tuple(map(inside, literals)), owner) for literals, owner in part.clauses]
        index = ClauseIndex(small)
        derivation = _derive(index, [*map(inside, answers)], inside(target) if target >= 0 else -1)
        if derivation is None:
            return [], False
        uses = [
            (owner, outside(premises), outside(fact))
            for owner, premises, fact in _uses(index, derivation)
        ]
        return uses, derivation.violated >= 0

    def _fact(self, literal: int) -> Fact:
        return self._labels[literal >> 1], not literal & 1

    def _literals(self, facts: Mapping[str, bool]) -> list[int]:
        for label in facts:
            if label not in self._position:
                raise CorollaryError(f"unknown label {label!r}{nearest(str(label), self._labels)}")
        return [2 * self._position[label] + (not value) for label, value in facts.items()]


def _answers(answers: Mapping[str, bool], names: Names = None) -> str:
    return listed((fact_in_words(*answer, names) for answer in answers.items()), noun="answers")


def _derive(index: ClauseIndex, given: Sequence[int], target: int) -> Derivation | None:
    """A derivation of the target, or of a clash with its opposite; without a target, of a clash."""
    found = index.derive(given, target=target)
    if found is None and target >= 0:
        found = index.derive([*given, target ^ 1])
    return found


def _uses(index: ClauseIndex, derivation: Derivation) -> list[Use]:
    """A derivation as uses of constraints, without what comes up only inside of one; a clash ends in a denied fact."""
    owner_of: dict[int, int] = {}
    premises: dict[int, tuple[int, ...]] = {}

    def behind(clause: int, given: int) -> tuple[int, ...]:
        needed = [other ^ 1 for other in index.clause(clause) if other != given]
        same = index.constraint_of(clause)
        parts = [
            premises[literal] if owner_of.get(literal) == same else (literal,) for literal in needed
        ]
        return tuple(dict.fromkeys(literal for part in parts for literal in part))

    for literal, clause in zip(derivation.literals, derivation.reasons, strict=True):
        if clause >= 0:
            premises[literal] = behind(clause, literal)
            owner_of[literal] = index.constraint_of(clause)
    uses: list[Use] = []
    wanted = set(derivation.literals[-1:])
    if derivation.violated >= 0:
        position = {literal: n for n, literal in enumerate(derivation.literals)}
        found = sorted(behind(derivation.violated, -1), key=position.__getitem__)
        denied = tuple(literal ^ 1 for literal in found[-1:])
        uses.append((index.constraint_of(derivation.violated), tuple(found[:-1]), denied))
        wanted = set(found)
    for literal in reversed(derivation.literals):
        if literal in wanted and literal in premises:
            uses.append((owner_of[literal], premises[literal], (literal,)))
            wanted.update(premises[literal])
    return uses[::-1]
