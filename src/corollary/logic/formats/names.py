"""Which of the names a file gives its classes become label names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

from ..errors import FormatError, OntologyError
from ..language.constraints import check_name, first_repeated


def choose(
    candidates: Mapping[str, Mapping[str, str | None]], *, names: str | None, file: str
) -> dict[str, str]:
    """A name for each class: of the first kind that gives this class a name of its own.

    `candidates` has, for each kind of name in order of preference, {class: its name of that kind or None}. `names` is
    the kind to begin with; a class without a name of that kind gets one of the kinds after it.
    """
    if names is not None and (not isinstance(names, str) or names not in candidates):
        raise FormatError(f"names must be one of {', '.join(candidates)}; got {names!r}")
    order = list(candidates)
    kinds = [
        {key: tidy(name) for key, name in candidates[kind].items()}
        for kind in order[order.index(names) if names else 0 :]
    ]
    kind_of = dict.fromkeys(kinds[0], 0)
    while True:
        found = {key: kinds[kind][key] for key, kind in kind_of.items()}
        times = Counter(_present(found.values()))
        unfit = [
            key
            for key, name in found.items()
            if kind_of[key] < len(kinds) - 1
            and (name is None or times[name] > 1 or not _is_name(name))
        ]
        if not unfit:
            break
        for key in unfit:
            kind_of[key] += 1
    if (problem := _problem(found)) is not None:
        raise FormatError(
            f"{file}: the {names or 'name'} cannot name every class: {problem}; choose other names"
        )
    return {key: name for key, name in found.items() if name is not None}


def _is_name(name: str) -> bool:
    try:
        check_name(name)
    except OntologyError:
        return False
    return True


def tidy(name: str | None) -> str | None:
    """The name on one line without white space around it; None if nothing is left."""
    return re.sub(r"\s*[^\S ]\s*", " ", name).strip() or None if name is not None else None


#: An id of OBO ontologies, and the IRI of the same term.
_CODE = re.compile(r"([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]+)*):([A-Za-z0-9]+)")
_PURL = re.compile(
    r"http://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]+)*)_([A-Za-z0-9]+)"
)


def iri_of(id: str) -> str:
    """The IRI of an OBO id such as `GO:0008150`; any other id as it is."""
    found = _CODE.fullmatch(id)
    return f"http://purl.obolibrary.org/obo/{found[1]}_{found[2]}" if found else id


def code_of(id: str) -> str:
    """The OBO id that an IRI of the OBO library stands for; any other id as it is."""
    found = _PURL.fullmatch(id)
    return f"{found[1]}:{found[2]}" if found else id


def fragment(iri: str) -> str | None:
    """The part of an IRI after # or the last / or :."""
    for mark in "#/:":
        if mark in iri:
            return unquote(iri.rsplit(mark, 1)[1]) or None
    return iri


def one_or_many(names: str | Iterable[str]) -> tuple[str, ...]:
    """The names in a list, or the only one."""
    return (names,) if isinstance(names, str) else tuple(names)


def _problem(found: Mapping[str, str | None]) -> str | None:
    for key, name in found.items():
        if name is None:
            return f"{key} has none"
        try:
            check_name(name)
        except OntologyError as error:
            return str(error)
    twice = first_repeated(_present(found.values()))
    if twice is None:
        return None
    owners = [key for key, name in found.items() if name == twice]
    return f"{twice!r} is the name of {' and of '.join(owners[:3])}"


def _present(names: Iterable[str | None]) -> Iterable[str]:
    return (name for name in names if name is not None)
