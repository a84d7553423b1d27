"""The ontology.

Labels and constraints as an immutable value, with their consequences and probabilities.
"""

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
from .labelled import index_of, named_row, same_rows
from .language.about import About, Retired
from .language.constraints import Constraint, check_name, first_repeated, hard_ones, soft_ones
from .language.notation import Document, parse, render, render_short
from .language.relations import Said, check_said, divided
from .lint import Finding
from .lint import lint as find_faults
from .reasoning.explanation import Explanation
from .reasoning.reasoner import Reasoner

if TYPE_CHECKING:
    import networkx

    from .compiled.choices import Choice
    from .compiled.model import EngineInfo
    from .compiled.posterior import Inference
    from .relations.linked import Linked
    from .relations.pairs import Pairs

Given = Table | None  #: facts or evidence of some items, or none


class Ontology:
    """Labels and the constraints that tie them together: an immutable value.

    Two ontologies are equal if their labels and constraints are written the same, in the same
    order. Use `same_as` to find out whether they mean the same.

    Parameters
    ----------
    labels
        The names of the labels, in the order of columns.
    constraints
        Constraints on labels, and on relations.
    budget
        How much work an exact posterior is worth.
    not_expressed
        Statements of a file that labels and constraints cannot express.
    about
        Ids, names, synonyms and annotations of labels. `save` keeps them.
    retired
        The obsolete terms of a file. `save` keeps them.

    Raises
    ------
    OntologyError
        If a label is repeated, or a constraint or `about` names an unknown label.

    Examples
    --------
    >>> onto = Ontology.parse("animal > exclusive: bird, fish")
    >>> onto.propagate({"bird": True})
    {'animal': True, 'bird': True, 'fish': False}
    """

    labels: tuple[str, ...]
    constraints: tuple[Constraint, ...]
    #: The labels of pairs of items, in order of mention.
    relations: tuple[str, ...]
    #: Everything that ties relations to one another and to the labels of their ends.
    pair_constraints: tuple[Said, ...]
    #: Statements of the file that labels and constraints cannot express.
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
        """Read an ontology from the notation.

        Parameters
        ----------
        text
            The statements, one a line.
        budget
            The limits of exact computation.

        Returns
        -------
        Ontology

        Raises
        ------
        NotationError
            If the text is not in the notation; the message shows the place.

        Examples
        --------
        >>> import corollary as co
        >>> co.Ontology.parse("animal > exclusive: bird, fish").propagate({"bird": True})
        {'animal': True, 'bird': True, 'fish': False}
        """
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
        """Read an ontology from a file.

        Parameters
        ----------
        path
            A file in the notation, OWL, OBO, SKOS, CNF, or a table. A further suffix `.gz` means
            compressed.
        format
            The format, instead of the one of the suffix. SKOS needs `format="skos"`.
        budget
            How much work an exact posterior is worth.
        **options
            `siblings_exclusive=True` makes the children of one parent exclude each other;
            `max_bytes` is the largest size; `names`, `language`, `broader`, `header` and
            `delimiter` belong to single formats.

        Raises
        ------
        FormatError
            If the file cannot be read.

        Warns
        -----
        NotExpressedWarning
            If the file has statements that labels and constraints cannot express.
        """
        return cls._from(formats.read(path, format=format, **options), budget)

    @classmethod
    def from_digraph(
        cls, graph: networkx.DiGraph, *, budget: Budget | None = None, **options: Any
    ) -> Ontology:
        """Make an ontology of the edges of a networkx graph, by default from child to parent.

        Parameters
        ----------
        graph
            A directed graph of labels.
        budget
            The limits of exact computation.
        **options
            How to read the edges, as for tables of children and parents.

        Returns
        -------
        Ontology
        """
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
        """Write the ontology to a file; the suffix of the file decides the format.

        Parameters
        ----------
        path
            The file. A further suffix `.gz` compresses it.
        format
            The format, instead of the one of the suffix.
        lossy
            Whether to leave out constraints that the format cannot express.
        about
            Annotations of labels, in place of those this ontology was loaded with.
        **options
            The format's own options.

        Returns
        -------
        tuple of str
            The constraints left out.

        Raises
        ------
        FormatError
            If the format cannot express a constraint, and `lossy` is not set.
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
        """Return the subsumption edges, child to parent, as a networkx graph."""
        from .formats.graph import to_digraph

        return to_digraph(self._document)

    @property
    def _document(self) -> Document:
        return Document(self.labels, self.constraints, pairs=self.pair_constraints)

    def with_budget(self, budget: Budget) -> Ontology:
        """Return the same ontology with another budget.

        Parameters
        ----------
        budget
            The new limits of exact computation.

        Returns
        -------
        Ontology
        """
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
        """Return the facts and everything they entail.

        Parameters
        ----------
        facts
            One item as a dict or a Series, or a table of items x labels: 1 yes, 0 no, -1 or empty
            for unknown. Frames and lists of dicts are matched by the names of labels, arrays and
            sparse matrices by position.

        Returns
        -------
        dict or array
            The known labels of one item, or int8 (N, K) for N items.

        Raises
        ------
        Contradiction
            If the facts cannot all be true. It has a minimal set of facts and constraints that
            clash.
        """
        if (one := named_row(facts)) is not None:
            row = self._reasoner.row(one)
            known = self._reasoner.complete(row[None], one=True)[0]
            return {label: bool(known[k]) for k, label in enumerate(self.labels) if known[k] >= 0}
        return self._reasoner.complete(check_facts(facts, self.labels))

    def closure(self, facts: Table) -> tuple[Facts, npt.NDArray[np.bool_]]:
        """Propagate N items without raising an error for contradictions.

        Parameters
        ----------
        facts
            Known labels, items x labels: 1, 0, and -1 if unknown.

        Returns
        -------
        facts : int8 (N, K)
            The facts and everything they entail.
        clashes : bool (N,)
            Whether the facts of each item contradict each other.
        """
        return self._reasoner.model.propagate(self.check_facts(facts))

    def consequences(
        self, yes: Table, no: Table, facts: Table, *, propagated: bool = False
    ) -> tuple[Floats, Floats]:
        """Sum the worth of all labels that a yes, and a no, to each open label would newly settle.

        Parameters
        ----------
        yes, no
            The worth of learning that a label is on, or off, items x labels.
        facts
            The known labels.
        propagated
            Whether the facts come from `propagate`.

        Returns
        -------
        of_yes, of_no : float (N, K)
            The sums for a yes and for a no to each label.
        """
        facts = same_rows("facts", facts, "yes", index_of(yes))
        no = same_rows("no", no, "yes", index_of(yes))
        of_yes = check_numbers("yes", yes, self.labels)
        of_no = check_numbers("no", no, self.labels)
        known = self._reasoner.known_like(of_yes, facts, propagated=propagated)
        check_same_shape("no", of_no, "yes", of_yes)
        return self._reasoner.consequences.weigh(of_yes, of_no, known)

    def find(self, text: str) -> str:
        """Return the label that a text means.

        Facts of one item, `explain` and the costs of a session take such texts, too.

        Parameters
        ----------
        text
            A label, an id, a name or a synonym.

        Returns
        -------
        str

        Raises
        ------
        OntologyError
            If the text means no label, or several; the message names the choices.
        """
        return self._reasoner.find(text)

    def explain(self, facts: Mapping[str, bool], label: str) -> Explanation:
        """Explain why a label has the value that follows from the facts.

        Parameters
        ----------
        facts
            Known labels of an item, by label.
        label
            The label to explain.

        Returns
        -------
        Explanation
            A minimal set of answers and constraints, and the steps from one to the next.

        Raises
        ------
        CorollaryError
            If nothing about the label follows from the facts, or the label is unknown.
        """
        row = self._reasoner.row(facts)
        given = {
            self.labels[k]: bool(row[k])
            for known in named_row(facts) or ()
            if row[k := self.index[self.find(known)]] >= 0
        }
        return self._reasoner.trace.explain(given, self.find(label))

    def same_as(self, other: Ontology) -> bool:
        """Return whether both have the same labels, in any order, and allow the same worlds.

        It is exact and slower than ==, which compares the wording. Soft constraints and those
        of pairs are compared by their wording, in any order.

        Parameters
        ----------
        other
            The other ontology.

        Returns
        -------
        bool
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
        from .reasoning.entailment import entails_all

        def possible(*further: Constraint) -> bool:
            together = (*self.constraints, *further)
            return Reasoner(self.labels, self.index, together, self.budget).trace.world is not None

        return not possible() or entails_all(
            hard_ones(other.constraints), self.index, self.closure, possible
        )

    def lint(self) -> list[Finding]:
        """Return errors and needless constraints: see `corollary.logic.lint`."""
        clauses = self._reasoner.clauses
        undefined = {label for label, said in self.about.items() if not said.defined}
        found = find_faults(
            self.labels, self.constraints, clauses, self.pair_constraints, undefined
        )
        if self.relations and not any(finding.kind == "unsatisfiable" for finding in found):
            from .relations.pair_logic import lint_relations

            found = [*lint_relations(self), *found]
        return found

    def linked(self, pairs: Pairs) -> Linked:
        """Tie items and pairs of items together by the relations of this ontology.

        Parameters
        ----------
        pairs
            The pairs of items.

        Returns
        -------
        Linked
        """
        from .relations.linked import Linked

        return Linked(self, pairs)

    # -- probabilities
    # -----------------------------------------------------------------------------------------------

    def posterior(self, beliefs: Table, facts: Given = None, *, evidence: Given = None) -> Floats:
        """Return the probability of each label, given beliefs, constraints, facts and evidence.

        Parameters
        ----------
        beliefs
            A classifier's probabilities, items x labels. Beliefs of 0 and 1 are moved inside by
            1e-12, because a belief is not a fact.
        facts
            The known labels: 1 yes, 0 no, -1 unknown.
        evidence
            The reports of fallible witnesses: log P(report | yes) - log P(report | no). 0 is no
            opinion, inf and -inf are facts.

        Returns
        -------
        float (N, K)
            The probabilities.

        Raises
        ------
        Contradiction
            If the facts of an item cannot all be true.

        Warns
        -----
        EstimateWarning
            If the posterior is an estimate without a proven bound.
        """
        return self.infer(beliefs, facts, evidence=evidence).posterior

    def joint_entropy(
        self, beliefs: Table, facts: Given = None, *, evidence: Given = None
    ) -> Floats:
        """Return the entropy of each item's whole labelling, (N,), in nats.

        Parameters
        ----------
        beliefs
            Probabilities by a model, items x labels.
        facts
            Known labels, items x labels: 1, 0, and -1 if unknown.
        evidence
            Additions to the log-odds, items x labels.

        Returns
        -------
        array of items
        """
        return self.infer(beliefs, facts, evidence=evidence).joint_entropy

    def gain(self, beliefs: Table, facts: Given = None, *, evidence: Given = None) -> Floats:
        """Return the information of each answer about the item's *other* labels, (N, K), in nats.

        It is 0 for known labels.

        Parameters
        ----------
        beliefs
            Probabilities by a model, items x labels.
        facts
            Known labels, items x labels: 1, 0, and -1 if unknown.
        evidence
            Additions to the log-odds, items x labels.

        Returns
        -------
        array of items x labels
        """
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
        """Return posterior, joint entropy, gain and proven error of each item, computed together.

        Parameters
        ----------
        beliefs, facts, evidence
            As for `posterior`.
        gain
            Whether to compute the gain.
        propagated
            Whether the facts come from `propagate`, so that they need no check and no propagation.
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
        """Return the posterior and log Z for log-odds in place of beliefs, to train models.

        A world weighs e to the sum of the log-odds of its labels that are on. Z is the sum over the
        legal worlds that agree with the facts. So log Z with facts minus log Z without is the
        log-likelihood of the facts. The difference of the posteriors is its gradient. Finite
        evidence in place of facts works the same way.

        Parameters
        ----------
        odds
            Finite log-odds of at most 600, items x labels.
        facts, evidence, propagated
            As for `infer`.

        Returns
        -------
        posterior : float (N, K)
        log_z : float (N,)
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
        """Return the most probable labelling of each item that keeps all constraints, int8 (N, K).

        Parameters
        ----------
        beliefs
            Probabilities by a model, items x labels.
        facts
            Known labels, items x labels: 1, 0, and -1 if unknown.
        evidence
            Additions to the log-odds, items x labels.

        Returns
        -------
        array of items x labels
        """
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
        """The engine of each component, its size, and whether it is exact."""
        return self._reasoner.weighed.engines(self.labels)

    # -- checks ------------------------------------------------------------------------------------------------------

    def check_facts(self, facts: Table) -> Facts:
        """Return facts as int8 (N, K), or raise an error that names the first wrong cell.

        Parameters
        ----------
        facts
            Known labels, items x labels: 1, 0, and -1 if unknown.

        Returns
        -------
        array of items x labels
        """
        return check_facts(facts, self.labels)

    def check_beliefs(self, beliefs: Table) -> npt.NDArray[np.floating]:
        """Return beliefs as floats (N, K) from 0 to 1, or raise an error that names a wrong cell.

        Parameters
        ----------
        beliefs
            Probabilities, items x labels.

        Returns
        -------
        array of items x labels
        """
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
        """The clauses and models of the constraints, for code such as `corollary.torch`."""
        return self._reasoner

    @cached_property
    def _reasoner(self) -> Reasoner:
        return Reasoner(self.labels, self.index, self.constraints, self.budget, self.about)


def _same_rows(facts: Given, evidence: Given, other: str, like: Any) -> tuple[Given, Given]:
    """Put facts and evidence in the order of beliefs, if all are frames with an index."""
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
