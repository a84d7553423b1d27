"""A new release of an ontology beside the one in use: which term is which, and where the others went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from .errors import OntologyError
from .formats.names import code_of, fragment, iri_of
from .formats.owl.axioms import renamed
from .label_search import LabelSearch
from .language.about import About, Retired
from .language.constraints import Constraint, Soft, Subsumes
from .ontology import Ontology

#: The ways in which a label may be the code of a term: its id, the OBO id, the IRI, the end of the IRI.
CODES: tuple[Callable[[str], str | None], ...] = (
    str,
    code_of,
    iri_of,
    lambda key: fragment(iri_of(key)),
)


@dataclass(frozen=True)
class Release:
    """What becomes of each label of an ontology under a new release.

    Attributes
    ----------
    onto
        The new ontology. A term that both have keeps the label that it had, unless it was renamed.
    same
        The labels whose term has another label now. None: the label now means another term.
    wider
        The labels whose term became part of another one: a yes follows, a no does not.
    questions
        The labels that went, with the labels that may take their place: a person has to choose.
    gone
        All labels that went without a successor, with the reason.
    reasons
        Why each label of `same` and `wider` has another label now.
    added, moved, names
        The new labels; labels with other parents, before and after; terms whose name changed.
    """

    onto: Ontology
    same: dict[str, str | None]
    wider: dict[str, str]
    questions: dict[str, tuple[str, ...]]
    gone: dict[str, str]
    reasons: dict[str, str]
    added: tuple[str, ...]
    moved: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
    names: dict[str, tuple[str, str]]


def compare_releases(
    old: Ontology,
    new: Ontology,
    *,
    about: Mapping[str, About] | None = None,
    follow: Mapping[str, str] | None = None,
) -> Release:
    """Compare a new release with the ontology in use.

    Terms are matched by id. A label without an id is matched as a code, by its name, and by alternative ids.

    Parameters
    ----------
    old, new
        The ontology in use and the release.
    about
        The ids and names of the old labels, if `old` itself does not have them.
    follow
        Old labels and the labels of the release that mean the same, as a person says.

    Raises
    ------
    OntologyError
        If `follow` names a label that does not exist.
    """
    known = old.about if about is None else about
    new = _relabelled(new, _labels_in_use(old, known, new))
    search = _Search(new, [said.id for said in known.values() if said.id])
    same: dict[str, str | None] = {}
    wider: dict[str, str] = {}
    questions: dict[str, tuple[str, ...]] = {}
    gone: dict[str, str] = {}
    reasons: dict[str, str] = {}
    chosen = _checked(follow or {}, old, known, new)
    for label in old.labels:
        said = known.get(label, About())
        found = search.term(label, said.id)
        if label in chosen:
            same[label] = chosen[label]
            reasons[label] = "means the same, as the lead says"
        elif found is not None:
            if found != label:
                same[label] = found
                reasons[label] = "renamed"
        else:
            target, candidates, reason = search.successor(label, said.id)
            if target is not None:
                wider[label] = target
                reasons[label] = reason
            else:
                gone[label] = reason
                if candidates:
                    questions[label] = candidates
                if label in new.index:
                    same[label] = None
    _take_places(old, same, wider)
    labels_of = {same.get(label, label) for label in old.labels if label not in gone}
    return Release(
        new,
        same,
        wider,
        questions,
        gone,
        reasons,
        tuple(label for label in new.labels if label not in labels_of | {*wider.values()}),
        _moved(old, new, same, gone.keys() | wider.keys()),
        _renamed(old, new, known, same, gone.keys() | wider.keys()),
    )


def _checked(
    follow: Mapping[str, str], old: Ontology, about: Mapping[str, About], new: Ontology
) -> Mapping[str, str]:
    """The labels of both sides; they may be typed as names, synonyms or codes."""
    search = LabelSearch(old.index, old.about if about is None else about)
    try:
        return {search.find(one): new.find(other) for one, other in follow.items()}
    except OntologyError as error:
        raise OntologyError(f"follow: {error}") from None


def _take_places(old: Ontology, same: dict[str, str | None], wider: dict[str, str]) -> None:
    """Let a term that is new, and takes the place of one term alone, be the same term with another id."""
    held = {same.get(label, label) for label in old.labels if label not in wider}
    times = Counter(wider.values())
    for label, target in list(wider.items()):
        if times[target] == 1 and target not in held:
            same[label] = wider.pop(label)


class _Search:
    """Finds terms of a release by label, id, code, name and alternative id."""

    def __init__(self, onto: Ontology, known: Iterable[str]):
        self.onto = onto
        ids = {label: _id(onto, label) for label in onto.labels}
        self._of_id = {iri_of(key): label for label, key in ids.items()}
        # A term whose id is in use already is no other term, whatever its name.
        self._taken = {self._of_id[iri_of(key)] for key in known if iri_of(key) in self._of_id}
        self._of_code = _unique(
            (code, label)
            for label, key in ids.items()
            for code in dict.fromkeys(kind(key) for kind in CODES)
        )
        self._of_name = _unique(
            (name, label) for label, said in onto.about.items() for name in said.names
        )
        self._of_synonym = _unique(
            (name, label) for label, said in onto.about.items() for name in said.synonyms
        )
        self._of_alternative = _unique(
            (code, label)
            for label, said in onto.about.items()
            for key in said.alt_ids
            for code in dict.fromkeys(kind(key) for kind in CODES)
        )
        self._retired: dict[str, Retired] = {}
        for one in onto.retired:
            for key in (one.name, *(kind(one.id) for kind in CODES)):
                if key:
                    self._retired.setdefault(key, one)

    def term(self, label: str, id: str) -> str | None:
        """The label of the same term."""
        if id and iri_of(id) in self._of_id:
            return self._of_id[iri_of(id)]
        if id and (id in self._of_alternative or self._is_retired(id)):
            return None
        found = label if label in self.onto.index else self._of_code.get(label)
        if found is None and label not in self._retired:
            found = self._of_name.get(label)
        return None if found in self._taken else found

    def _is_retired(self, id: str) -> bool:
        return any(kind(id) in self._retired for kind in CODES)

    def successor(self, label: str, id: str) -> tuple[str | None, tuple[str, ...], str]:
        """The label that takes over, else candidates, and the reason in words."""
        for key in filter(None, (id, label)):
            if (merged := self._of_alternative.get(key)) is not None:
                return merged, (), f"merged into {merged}"
        keys = [kind(id) for kind in CODES] if id else []
        retired = next((self._retired[key] for key in (*keys, label) if key in self._retired), None)
        if retired is not None:
            return self._after(retired)
        meant = self._of_synonym.get(label)
        if meant is not None:
            return None, (meant,), f"not in the release; {meant} has it as a synonym"
        return None, (), "not in the release"

    def _after(self, retired: Retired) -> tuple[str | None, tuple[str, ...], str]:
        """What takes the place of a retired term; terms that were retired in turn are followed."""
        seen = {retired.id}
        while len(retired.replaced_by) == 1:
            (key,) = retired.replaced_by
            found = self.term(key, key) or self._of_alternative.get(key)
            if found is not None:
                return found, (), f"replaced by {found}"
            later = self._retired.get(key)
            if later is None or later.id in seen:
                break
            seen.add(later.id)
            retired = later
        ids = (*retired.replaced_by, *retired.consider)
        found_ones = [self.term(key, key) or self._of_alternative.get(key) for key in ids]
        candidates = tuple(dict.fromkeys(one for one in found_ones if one is not None))
        missing = [key for key, one in zip(ids, found_ones, strict=True) if one is None]
        reason = "retired"
        if candidates:
            reason = f"retired; consider {' or '.join(candidates)}"
        elif missing:
            reason = f"retired; {missing[0]}, which takes its place, is not in the release"
        return None, candidates, reason


def _unique(pairs: Iterable[tuple[str | None, str]]) -> dict[str, str]:
    """Each key with its only label; keys of several labels are left out."""
    found: dict[str, str | None] = {}
    for key, label in pairs:
        if key:
            found[key] = label if found.get(key, label) == label else None
    return {key: label for key, label in found.items() if label is not None}


def _id(onto: Ontology, label: str) -> str:
    return onto.about.get(label, About()).id or label


# -- the labels of a release, as they are in use ---------------------------------------------------------------------


def _labels_in_use(old: Ontology, known: Mapping[str, About], new: Ontology) -> dict[str, str]:
    """What each label of the release is called, in the manner of the labels in use: codes stay codes, names names."""
    of_id = {iri_of(said.id): label for label, said in known.items() if said.id}
    called: dict[str, str] = {}
    kinds: Counter[int] = Counter()
    for label in new.labels:
        key = _id(new, label)
        codes = [kind(key) for kind in CODES]
        now = of_id.get(iri_of(key)) or next((code for code in codes if code in old.index), None)
        if now is not None and now in codes:
            called[label] = now
            kinds[codes.index(now)] += 1
        elif now is not None:
            called[label] = _name(new, label, codes)
            kinds[-1] += 1
        elif label in old.index or _name(new, label, codes) in old.index:
            called[label] = label if label in old.index else _name(new, label, codes)
            kinds[-1] += 1
    kind = kinds.most_common(1)[0][0] if kinds else None
    for label in new.labels:
        if label not in called and kind is not None:
            codes = [one(_id(new, label)) for one in CODES]
            called[label] = (codes[kind] or label) if kind >= 0 else _name(new, label, codes)
    times = Counter(called.get(label, label) for label in new.labels)
    return {label: name for label, name in called.items() if name != label and times[name] == 1}


def _name(onto: Ontology, label: str, codes: list[str | None]) -> str:
    """The name of a term: its label, unless that is a code and the file has a name."""
    said = onto.about.get(label, About())
    return said.names[0] if label in codes and said.names else label


def _relabelled(onto: Ontology, called: Mapping[str, str]) -> Ontology:
    """The same ontology with other labels; a label that gives way to a code stays as the name."""
    if not called or onto.pair_constraints:  # relations are written by hand, with names
        return onto

    def to(label: str) -> str:
        return called.get(label, label)

    about = {}
    for label, said in onto.about.items():
        names = tuple(name for name in (label, *said.names) if name != to(label))
        key = said.id or label
        about[to(label)] = replace(said, id=key, names=names) if label in called else said
    return Ontology(
        map(to, onto.labels),
        [_renamed_constraint(one, to) for one in onto.constraints],
        budget=onto.budget,
        not_expressed=onto.not_expressed,
        about=about,
        retired=onto.retired,
    )


def _renamed_constraint(constraint: Constraint, to: Callable[[str], str]) -> Constraint:
    if isinstance(constraint, Soft):
        return replace(constraint, constraint=renamed(constraint.constraint, to))
    return renamed(constraint, to)


# -- what else changed -----------------------------------------------------------------------------------------------


def _parents(onto: Ontology) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {label: {} for label in onto.labels}
    for one in onto.constraints:
        if isinstance(one, Subsumes):
            for child in one.children:
                found[child][one.parent] = None
    return found


def _moved(
    old: Ontology, new: Ontology, same: Mapping[str, str | None], without: Iterable[str]
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Labels that have other parents now; a parent that was only renamed is no other."""
    was = _parents(old)
    now = _parents(new)
    left = set(without)
    found = {}
    for label in old.labels:
        target = same.get(label, label)
        if label in left or target is None:
            continue
        before = {same.get(parent, parent) or parent for parent in was[label]}
        if before != now[target].keys():
            found[label] = (tuple(was[label]), tuple(now[target]))
    return found


def _renamed(
    old: Ontology,
    new: Ontology,
    known: Mapping[str, About],
    same: Mapping[str, str | None],
    without: Iterable[str],
) -> dict[str, tuple[str, str]]:
    """Terms whose label is a code that stays while the name changes, with the name before and now."""
    left = set(without)
    found = {}
    for label in old.labels:
        target = same.get(label, label)
        if label in left or target is None:
            continue
        before = known.get(label, About()).names[:1]
        after = new.about.get(target, About()).names[:1]
        if before and after and before != after:
            found[label] = (before[0], after[0])
    return found
