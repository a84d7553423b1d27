"""The ontology: labels and constraints as an immutable value that can be asked what follows and what is probable."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from . import formats
from .arrays import Table, check_beliefs, check_facts, check_numbers, check_odds, check_same_shape
from .engines import Budget, Facts, Floats
from .errors import NotExpressedWarning, OntologyError, nearest
from .explanation import Explanation
from .labelled import index_of, named_row, same_rows
from .language.about import About, Retired
from .language.constraints import Constraint, check_name, first_repeated, hard_ones, soft_ones
from .language.notation import Document, parse, render, render_short
from .language.relations import Said, check_said, divided
from .lint import Finding
from .lint import lint as find_faults
from .reasoner import Reasoner

if TYPE_CHECKING:
    import networkx

    from .compiled.choices import Choice
    from .compiled.model import EngineInfo
    from .compiled.posterior import Inference
    from .relations.linked import Linked
    from .relations.pairs import Pairs

Given = Table | None  #: facts or evidence of some items, or none


class Ontology:
    """Labels and the constraints that tie them together.

    `budget` says how much work an exact posterior is worth. Equality and hash are by labels and constraints as they are
    written, in their order; `same_as` tells whether two ontologies mean the same. What is derived is computed when
    first needed. `about` and `retired` have what a file says beyond logic: ids, names, synonyms, annotations, and its
    obsolete terms. They are kept by `save`, and no part of equality.
    """

    labels: tuple[str, ...]
    constraints: tuple[Constraint, ...]
    #: The labels of pairs of items, in order of mention.
    relations: tuple[str, ...]
    #: Everything that ties relations to one another and to the labels of their ends.
    pair_constraints: tuple[Said, ...]
    #: What the file said that labels and constraints cannot express.
    not_expressed: tuple[str, ...]
    about: Mapping[str, About]
    retired: tuple[Retired, ...]
    budget: Budget

    def __init__(
        self,
        labels: Iterable[str],
        constraints: Iterable[Said] = (),
        *,
        budget: Budget | None = None,
        not_expressed: Iterable[str] = (),
        about: Mapping[str, About] | None = None,
        retired: Iterable[Retired] = (),
    ):
        if isinstance(labels, str):
            raise OntologyError(
                f"labels must be a list of names, got the text {labels!r}; did you mean Ontology.parse?"
            )
        if budget is not None and not isinstance(budget, Budget):
            raise OntologyError(f"budget must be a Budget, got {budget!r}")
        self.__dict__["labels"] = tuple(map(check_name, _listed("labels", labels)))
        said = tuple(map(check_said, _listed("constraints", constraints)))
        of_items, of_pairs, relations = divided(said, self.labels)
        self.__dict__["constraints"] = of_items
        self.__dict__["pair_constraints"] = of_pairs
        self.__dict__["relations"] = relations
        self.__dict__["not_expressed"] = tuple(_listed("not_expressed", not_expressed))
        self.__dict__["about"] = MappingProxyType(dict(about or {}))
        self.__dict__["retired"] = tuple(_listed("retired", retired))
        self.__dict__["budget"] = budget or Budget()
        if (twice := first_repeated(self.labels)) is not None:
            raise OntologyError(
                f"the label {twice!r} is listed twice; every label needs a name of its own"
            )
        for constraint in (*self.constraints, *self.pair_constraints):
            self._check(constraint)
        if unknown := next((label for label in self.about if label not in self.index), None):
            raise OntologyError(f"about: unknown label {unknown!r}{nearest(unknown, self.labels)}")

    def _check(self, constraint: Said) -> None:
        for label in constraint.labels:
            if label not in self.index and label not in self.relations:
                where = f" [{constraint.source}]" if constraint.source else ""
                raise OntologyError(
                    f"unknown label {label!r} in {render_short(constraint)}{where}{nearest(label, self.labels)}"
                )

    @classmethod
    def parse(cls, text: str, *, budget: Budget | None = None) -> Ontology:
        """An ontology from the notation."""
        return cls._from(parse(text), budget)

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        budget: Budget | None = None,
        **options: Any,
    ) -> Ontology:
        """An ontology from a file: notation, OWL, OBO, SKOS, table or CNF; see `corollary.logic.formats.read`."""
        return cls._from(formats.read(path, format=format, **options), budget)

    @classmethod
    def from_digraph(
        cls, graph: networkx.DiGraph, *, budget: Budget | None = None, **options: Any
    ) -> Ontology:
        """Subsumption from the edges of a networkx graph, child to parent unless told otherwise."""
        from .formats.graph import from_digraph

        return cls._from(from_digraph(graph, **options), budget)

    @classmethod
    def _from(cls, document: Document, budget: Budget | None) -> Ontology:
        if document.not_expressed:
            warnings.warn(
                f"{len(document.not_expressed)} parts of the file cannot be expressed by labels and constraints, "
                f"the first is: {document.not_expressed[0]}. All are in .not_expressed",
                NotExpressedWarning,
                stacklevel=3,
            )
        return cls(
            document.labels,
            (*document.constraints, *document.pairs),
            budget=budget,
            not_expressed=document.not_expressed,
            about=document.about,
            retired=document.retired,
        )

    def save(
        self,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        lossy: bool = False,
        about: Mapping[str, About] | None = None,
        **options: Any,
    ) -> tuple[str, ...]:
        """Write a file; what the format cannot say is an error, or is returned where `lossy` is set.

        `about` has annotations of labels, in place of those this ontology was loaded with.
        """
        document = Document(
            self.labels,
            self.constraints,
            about=self.about if about is None else about,
            retired=self.retired,
            pairs=self.pair_constraints,
        )
        return formats.write(document, path, format=format, lossy=lossy, **options)

    def to_digraph(self) -> networkx.DiGraph:
        """The subsumption edges, child to parent, as a networkx graph."""
        from .formats.graph import to_digraph

        return to_digraph(self._document)

    @property
    def _document(self) -> Document:
        return Document(self.labels, self.constraints, pairs=self.pair_constraints)

    def with_budget(self, budget: Budget) -> Ontology:
        """The same ontology with another budget."""
        return _rebuild(
            self.labels,
            (*self.constraints, *self.pair_constraints),
            budget,
            self.not_expressed,
            dict(self.about),
            self.retired,
        )

    # -- an immutable value ------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"an ontology cannot be changed; make a new one ({name!r} was to be set)"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"an ontology cannot be changed; make a new one ({name!r} was to be deleted)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ontology):
            return NotImplemented
        return (self.labels, self.constraints, self.pair_constraints) == (
            other.labels,
            other.constraints,
            other.pair_constraints,
        )

    def __hash__(self) -> int:
        return hash((self.labels, self.constraints))

    def __reduce__(self) -> tuple[Any, ...]:
        words = dict(self.about), self.retired
        every = *self.constraints, *self.pair_constraints
        return _rebuild, (self.labels, every, self.budget, self.not_expressed, *words)

    def __deepcopy__(self, memo: dict[int, Any]) -> Ontology:
        return self

    def __len__(self) -> int:
        """The number of labels."""
        return len(self.labels)

    def __contains__(self, label: object) -> bool:
        return isinstance(label, str) and label in self.index

    def __repr__(self) -> str:
        few = ", ".join(self.labels[:3]) + (", ..." if len(self) > 3 else "")
        soft = f", {n:,} of them soft" if (n := len(soft_ones(self.constraints))) else ""
        pairs = f", {len(self.relations):,} relations" if self.relations else ""
        return f"<Ontology of {len(self):,} labels ({few}) and {len(self.constraints):,} constraints{soft}{pairs}>"

    def __str__(self) -> str:
        """The notation."""
        return render(self._document)

    # -- what must be true -------------------------------------------------------------------------------------------

    @overload
    def propagate(self, facts: Mapping[str, bool]) -> dict[str, bool]: ...
    @overload
    def propagate(self, facts: Table) -> Facts: ...

    def propagate(self, facts: Mapping[str, bool] | Table) -> dict[str, bool] | Facts:
        """The facts and everything they entail: of one item as a dict, or of N items as int8 (N, K).

        One item is a dict or a Series. Facts are -1 or empty for unknown, 0 no, 1 yes. A frame or a list of dicts goes
        by the names of labels, an array or a sparse matrix by position; so do all arrays of items x labels below.

        Raises Contradiction, with a minimal clash, where they cannot all be true.
        """
        if (one := named_row(facts)) is not None:
            row = self._reasoner.row(one)
            known = self._reasoner.complete(row[None], one=True)[0]
            return {label: bool(known[k]) for k, label in enumerate(self.labels) if known[k] >= 0}
        return self._reasoner.complete(check_facts(facts, self.labels))

    def closure(self, facts: Table) -> tuple[Facts, npt.NDArray[np.bool_]]:
        """The same for N items without an error: all that follows, and which rows (N,) contradict themselves."""
        return self._reasoner.model.propagate(self.check_facts(facts))

    def consequences(
        self, yes: Table, no: Table, facts: Table, *, propagated: bool = False
    ) -> tuple[Floats, Floats]:
        """What a yes and what a no to each open label would newly settle, as summed weights (N, K).

        `yes` and `no` (N, K) are what it is worth to learn that a label is on, or off.
        """
        facts = same_rows("facts", facts, "yes", index_of(yes))
        no = same_rows("no", no, "yes", index_of(yes))
        of_yes = check_numbers("yes", yes, self.labels)
        of_no = check_numbers("no", no, self.labels)
        known = self._reasoner.known_like(of_yes, facts, propagated=propagated)
        check_same_shape("no", of_no, "yes", of_yes)
        return self._reasoner.consequences.weigh(of_yes, of_no, known)

    def explain(self, facts: Mapping[str, bool], label: str) -> Explanation:
        """Why a label has the value that follows from the facts."""
        row = self._reasoner.row(facts)
        given = {
            known: bool(row[k])
            for known in named_row(facts) or ()
            if row[k := self.index[known]] >= 0
        }
        return self._reasoner.trace.explain(given, self._reasoner.check_label(label))

    def same_as(self, other: Ontology) -> bool:
        """Whether both have the same labels, in any order, and allow the same worlds, however they are written.

        Decided by entailment, constraint by constraint: exact, and slower than ==, which compares what is written. Soft
        constraints, and those of pairs, are compared as they are written, in any order.
        """
        if not isinstance(other, Ontology):
            raise OntologyError(
                f"an ontology can be compared with another, got {type(other).__name__}"
            )
        soft = Counter(soft_ones(self.constraints)) == Counter(soft_ones(other.constraints))
        soft = soft and Counter(self.pair_constraints) == Counter(other.pair_constraints)
        return (
            soft
            and set(self.labels) == set(other.labels)
            and self._entails(other)
            and other._entails(self)
        )

    def _entails(self, other: Ontology) -> bool:
        from .entailment import entails_all

        def possible(*further: Constraint) -> bool:
            together = (*self.constraints, *further)
            return Reasoner(self.labels, self.index, together, self.budget).trace.world is not None

        return not possible() or entails_all(
            hard_ones(other.constraints), self.index, self.closure, possible
        )

    def lint(self) -> list[Finding]:
        """What is wrong or needless: see `corollary.logic.lint`."""
        found = find_faults(
            self.labels, self.constraints, self._reasoner.clauses, self.pair_constraints
        )
        if self.relations and not any(finding.kind == "unsatisfiable" for finding in found):
            from .relations.pair_logic import lint_relations

            found = [*lint_relations(self), *found]
        return found

    def linked(self, pairs: Pairs) -> Linked:
        """Items and pairs of them under this ontology, tied together for questions about all of them."""
        from .relations.linked import Linked

        return Linked(self, pairs)

    # -- what is probably true ---------------------------------------------------------------------------------------

    def posterior(self, beliefs: Table, facts: Given = None, *, evidence: Given = None) -> Floats:
        """The probability of each label given beliefs (N, K), the constraints, the facts and the evidence.

        A belief is not a fact: beliefs of 0 and 1 are moved inside by 1e-12. Facts are hard. Evidence (N, K) is what
        fallible witnesses said: log P(said | yes) - log P(said | no). 0 says nothing, inf and -inf are facts.
        """
        return self.infer(beliefs, facts, evidence=evidence).posterior

    def joint_entropy(
        self, beliefs: Table, facts: Given = None, *, evidence: Given = None
    ) -> Floats:
        """The entropy of each item's whole labelling, (N,), in nats."""
        return self.infer(beliefs, facts, evidence=evidence).joint_entropy

    def gain(self, beliefs: Table, facts: Given = None, *, evidence: Given = None) -> Floats:
        """What an answer tells about the *other* labels of the item, (N, K), in nats; 0 where the label is known."""
        gain = self.infer(beliefs, facts, evidence=evidence, gain=True).gain
        assert gain is not None
        return gain

    def infer(
        self,
        beliefs: Table,
        facts: Given = None,
        *,
        evidence: Given = None,
        gain: bool = False,
        propagated: bool = False,
    ) -> Inference:
        """Posterior, joint entropy, on request the gain, and each item's proven error, in one go.

        `propagated` says that the facts come from `propagate` and need not be checked and completed again.
        """
        from .compiled.posterior import infer, warn_of_estimates

        theta = self.check_beliefs(beliefs)
        facts, evidence = _same_rows(facts, evidence, "beliefs", beliefs)
        known, shift = self._reasoner.known_and_evidence(
            theta, facts, evidence, propagated=propagated
        )
        found = infer(self._reasoner.weighed, theta, known, shift, gain=gain)
        if gain and self._reasoner.soft_gain is not None:
            self._reasoner.soft_gain.correct(found, theta, known, shift)
        warn_of_estimates(found.error)
        return found

    def marginals(
        self, odds: Table, facts: Given = None, *, evidence: Given = None, propagated: bool = False
    ) -> tuple[Floats, Floats]:
        """The posterior (N, K) and log Z (N,) for log-odds in place of beliefs, as a model of scores needs them.

        A world weighs e to the sum of the log-odds of its labels that are on; log Z sums over the legal worlds that
        agree with the facts. So log Z with facts less log Z without is their log-likelihood, and the difference of the
        posteriors is its gradient; with finite evidence in place of facts, the same. Log-odds must be finite and
        within 600, evidence may be larger.
        """
        from .compiled.posterior import marginals, warn_of_estimates

        scores = check_odds(odds, self.labels)
        facts, evidence = _same_rows(facts, evidence, "odds", odds)
        known, shift = self._reasoner.known_and_evidence(
            scores, facts, evidence, propagated=propagated
        )
        scores = scores if shift is None else scores + shift
        posterior, log_z, error = marginals(self._reasoner.weighed, scores, known)
        warn_of_estimates(error)
        return posterior, log_z

    def most_probable(
        self, beliefs: Table, facts: Given = None, *, evidence: Given = None
    ) -> Facts:
        """The most probable legal labelling of each item, int8 (N, K)."""
        from .compiled.posterior import most_probable

        theta = self.check_beliefs(beliefs)
        facts, evidence = _same_rows(facts, evidence, "beliefs", beliefs)
        known, shift = self._reasoner.known_and_evidence(theta, facts, evidence)
        return most_probable(self._reasoner.weighed, theta, known, shift)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """Groups of labels of which a person can pick one: any two exclude each other, or one implies the other."""
        from .compiled.choices import choices

        return choices(self._reasoner.model)

    @property
    def engines(self) -> tuple[EngineInfo, ...]:
        """Which engine serves each component, its size, and whether it is exact."""
        return self._reasoner.weighed.engines(self.labels)

    # -- checks ------------------------------------------------------------------------------------------------------

    def check_facts(self, facts: Table) -> Facts:
        """Facts as int8 (N, K), or an error that says what is wrong with them."""
        return check_facts(facts, self.labels)

    def check_beliefs(self, beliefs: Table) -> npt.NDArray[np.floating]:
        """Beliefs as floats (N, K) between 0 and 1, or an error that says what is wrong with them."""
        return check_beliefs(beliefs, self.labels)

    # -- derived, computed when first needed -------------------------------------------------------------------------

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The column of each label."""
        return {label: k for k, label in enumerate(self.labels)}

    @cached_property
    def ids(self) -> Mapping[str, str]:
        """The label of each id and alternative id, as a code such as `GO:0008150` and as its IRI."""
        own = [(said.id, label) for label, said in self.about.items() if said.id]
        merged = [(other, label) for label, said in self.about.items() for other in said.alt_ids]
        found: dict[str, str] = {}
        for known, label in own + merged:  # an id goes before an alternative id
            for form in (known, formats.code_of(known), formats.iri_of(known)):
                found.setdefault(form, label)
        return MappingProxyType(found)

    @property
    def reasoner(self) -> Reasoner:
        """All that is derived from the constraints, for code that computes elsewhere, as `corollary.torch` does."""
        return self._reasoner

    @cached_property
    def _reasoner(self) -> Reasoner:
        return Reasoner(self.labels, self.index, self.constraints, self.budget)


def _same_rows(facts: Given, evidence: Given, other: str, like: Any) -> tuple[Given, Given]:
    """Facts and evidence in the order of beliefs, where all are frames with an index."""
    ids = index_of(like)
    return same_rows("facts", facts, other, ids), same_rows("evidence", evidence, other, ids)


def _listed(what: str, values: Iterable[Any]) -> Iterator[Any]:
    try:
        return iter(values)
    except TypeError:
        raise OntologyError(
            f"{what} must be a list, got {type(values).__name__} {values!r}"
        ) from None


def _rebuild(
    labels: Sequence[str],
    constraints: Sequence[Said],
    budget: Budget,
    not_expressed: Sequence[str],
    about: Mapping[str, About],
    retired: Sequence[Retired],
) -> Ontology:
    return Ontology(
        labels,
        constraints,
        budget=budget,
        not_expressed=not_expressed,
        about=about,
        retired=retired,
    )
