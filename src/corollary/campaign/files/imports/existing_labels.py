"""Labels in imported files: names joined in a column, or a column or a row for each label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ....logic.errors import Contradiction, CorollaryError, OntologyError
from ....logic.ontology import Ontology
from ....logic.wording import fact_in_words
from ..spreadsheet_text import LABEL, SOURCE, VALUE
from .file_form import Columns, Form

YES = ("yes", "y", "true", "t", "1", "1.0")
NO = ("no", "n", "false", "f", "0", "0.0")
EMPTY = ("", "null", "none", "nan", "na", "n/a", "?")
#: The sources of exported values that people did not answer: implied or predicted.
NOT_SAID = ("implied", "predicted", "open")
SEPARATORS = ";|,@"


class Labelled(NamedTuple):
    """The labels of an item in a row."""

    place: str
    item: str
    labels: dict[str, bool]


def labels_of(
    values: Mapping[str, Any], columns: Columns, form: Form, onto: Ontology
) -> dict[str, bool]:
    """Return the labels of a row."""
    if columns.long:
        return _of_long_row({name.lower(): value for name, value in values.items()}, onto)
    found = _of_wide_row(values, columns)
    if columns.labels is not None:
        named = _of_line if columns.origins is not None else _named_in
        for label, value in named(values, columns, form, onto).items():
            if found.setdefault(label, value) != value:
                raise CorollaryError(
                    f"{label} is {_word(value)} in {columns.labels!r}, but not in its own column"
                )
    return found


def yes_or_no(value: Any, column: str) -> bool | None:
    """Return yes, no, or None for an empty cell."""
    word = "" if value is None else str(value).strip().lower()
    if word in EMPTY:
        return None
    if word not in YES and word not in NO:
        raise CorollaryError(
            f"column {column!r}: {str(value)[:40]!r} is neither yes nor no; write yes, no, true, false, 1, 0 or "
            f"nothing. If the column holds the texts of the items pass text={column!r}; if it holds something else, "
            f"rename it or pass ignore={column!r}"
        )
    return word in YES


def find_clashes(
    labelled: Sequence[Labelled],
    onto: Ontology,
    answers: Callable[[str], Mapping[str, bool] | None],
) -> list[tuple[str, str]]:
    """Return the places and reasons of labels that contradict each other or earlier answers."""
    if not labelled:
        return []
    onto.propagate({})  # raises if the ontology contradicts itself
    rows = np.full((len(labelled), len(onto)), -1, np.int8)
    for i, one in enumerate(labelled):
        for label, value in _together(one, answers).items():
            rows[i, onto.index[label]] = value
    _, clashes = onto.closure(rows)
    found = []
    for i in np.flatnonzero(clashes).tolist():
        try:
            onto.propagate(_together(labelled[i], answers))
        except Contradiction as clash:
            found.append((labelled[i].place, f"item {labelled[i].item!r}: {clash}"))
    for one in labelled:
        for label, value in (answers(one.item) or {}).items():
            if one.labels.get(label, value) != value:
                said = f"{fact_in_words(label, one.labels[label])} here, but was answered {_word(value)}"
                found.append((one.place, f"item {one.item!r}: {said} in the campaign"))
    return found


def _together(
    one: Labelled, answers: Callable[[str], Mapping[str, bool] | None]
) -> dict[str, bool]:
    return {**(answers(one.item) or {}), **one.labels}


def _of_wide_row(values: Mapping[str, Any], columns: Columns) -> dict[str, bool]:
    found = {}
    for label in columns.wide:
        value = yes_or_no(values.get(columns.moved.get(label, label)), label)
        if value is not None and values.get(f"{label}.{SOURCE}") not in NOT_SAID:
            found[label] = value
    return found


def _of_long_row(values: Mapping[str, Any], onto: Ontology) -> dict[str, bool]:
    label = _meant(str(values.get(LABEL) or "").strip(), LABEL, onto)
    value = yes_or_no(values.get(VALUE), VALUE)
    return {} if value is None or values.get(SOURCE) in NOT_SAID else {label: value}


def _named_in(
    values: Mapping[str, Any], columns: Columns, form: Form, onto: Ontology
) -> dict[str, bool]:
    assert columns.labels is not None
    return _named(values.get(columns.labels), columns.labels, form, onto)


def _of_line(
    values: Mapping[str, Any], columns: Columns, form: Form, onto: Ontology
) -> dict[str, bool]:
    """Return the labels of an exported row that people answered; others are implied or predicted."""
    assert columns.labels is not None
    assert columns.origins is not None
    names, origins = (
        _listed(values.get(column), form, onto) for column in (columns.labels, columns.origins)
    )
    if len(names) != len(origins) and (
        names or len(origins) != 1
    ):  # without a label there is a single origin
        raise CorollaryError(
            f"columns {columns.labels!r} and {columns.origins!r} must name as many, each for each"
        )
    said = [
        name for name, origin in zip(names, origins, strict=False) if origin.strip() not in NOT_SAID
    ]
    if any(origin.strip() in NOT_SAID for origin in origins):
        form = replace(form, complete=False)  # nobody answered the other labels
    return _named(said, columns.labels, form, onto)


def _listed(value: Any, form: Form, onto: Ontology) -> list[str]:
    if isinstance(value, str):
        return _split(value, form, onto) if value.strip() else []
    return [str(one) for one in value or ()]


def _named(value: Any, column: str, form: Form, onto: Ontology) -> dict[str, bool]:
    """Return the labels in a cell of names: a text, or in JSON a list, or an object of true and false."""
    if isinstance(value, dict):
        said = {
            _meant(label, column, onto): yes_or_no(_exported(one), label)
            for label, one in value.items()
        }
        return {label: one for label, one in said.items() if one is not None}
    if names_nothing(value):
        return {}
    names = value if isinstance(value, list) else _split(str(value), form, onto)
    if not all(isinstance(name, str) for name in names):
        raise CorollaryError(
            f"column {column!r}: labels must be named by texts, got {str(value)[:60]}"
        )
    found = {_meant(name.strip(), column, onto): True for name in names if name.strip()}
    if form.complete:
        implied = onto.propagate(found)
        found |= {label: False for label in onto.labels if label not in implied}
    return found


def names_nothing(value: Any) -> bool:
    """Whether a cell for names of labels is empty, which leaves all labels open."""
    return value is None or (isinstance(value, str) and not value.strip())


def _exported(value: Any) -> Any:
    """Return the value of an exported JSON object with a source; other values unchanged."""
    if not isinstance(value, dict):
        return value
    return None if value.get(SOURCE) in NOT_SAID else value.get(VALUE)


def _split(text: str, form: Form, onto: Ontology) -> list[str]:
    if _is_one(text.strip(), onto):
        return [text]
    mark = form.separator or next((mark for mark in SEPARATORS if mark in text), None)
    return text.split(mark) if mark else [text]


def _is_one(text: str, onto: Ontology) -> bool:
    """Whether a text means a label as a whole, whatever marks are in it."""
    try:
        onto.find(text)
    except OntologyError:
        return False
    return True


def _meant(name: str, column: str, onto: Ontology) -> str:
    """The label that a label, an id, a name or a synonym means."""
    try:
        return onto.find(name)
    except OntologyError as error:
        raise CorollaryError(f"column {column!r}: {error}") from None


def _word(value: bool) -> str:
    return "yes" if value else "no"
