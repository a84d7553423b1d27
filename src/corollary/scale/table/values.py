"""Read the rows of a pool: the ids of items, their known labels, and their features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...learning.argument_checks import shown
from ...logic.engines import Facts, Floats
from ...logic.errors import Contradiction, CorollaryError, nearest
from ...logic.ontology import Ontology
from .columns import NUMBERED, Columns
from .parts import Block


class ExtraFacts:
    """Known labels by the ids of items, in addition to the pool's own."""

    def __init__(self, onto: Ontology, facts: Mapping[str, Mapping[str, bool]]):
        self.ids = [str(item) for item in facts]
        self.facts = np.full((len(self.ids), len(onto)), -1, np.int8)
        for row, (item, labels) in zip(self.facts, facts.items(), strict=True):
            for label, value in labels.items():
                if label not in onto:
                    raise CorollaryError(
                        f"facts about {item!r}: unknown label {label!r}{nearest(label, onto.labels)}"
                    )
                row[onto.index[label]] = bool(value)

    def __len__(self) -> int:
        """The number of items."""
        return len(self.ids)


def ids_in(block: Block, columns: Columns) -> list[str]:
    """Return the ids of the items as texts, or raise an error if one is missing."""
    if columns.id == NUMBERED:
        return [str(n) for n in (block.rows + 1).tolist()]
    ids = _texts(block, columns.id)
    if ids.null_count:
        raise CorollaryError(
            f"column {columns.id!r}: {ids.null_count:,} items have no id; every item needs its own"
        )
    found: list[str] = ids.to_pylist()
    return found


def places_among(block: Block, columns: Columns, ids: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return the places of the items' ids in a list of ids; -1 for those that are not in it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if columns.id == NUMBERED:
        own = pa.array(ids_in(block, columns), pa.string())
    else:
        own = _texts(block, columns.id)
    return np.asarray(pc.fill_null(pc.index_in(own, pa.array(ids, pa.string())), -1), np.int64)


def facts_in(
    block: Block, columns: Columns, onto: Ontology, extra: ExtraFacts | None = None
) -> Facts:
    """Return the known labels of the items, not propagated.

    Extra facts overrule those of the pool.
    """
    given = np.full((block.table.num_rows, len(onto)), -1, np.int8)
    for name in columns.wide:
        given[:, onto.index[name]] = _answers(block.table.column(name), name)
    if columns.labels is not None:
        _fill_named(
            given, block.table.column(columns.labels).combine_chunks(), columns.labels, onto
        )
    if extra is not None and len(extra):
        places = places_among(block, columns, extra.ids)
        rows = np.flatnonzero(places >= 0)
        beside = extra.facts[places[rows]]
        given[rows] = np.where(beside >= 0, beside, given[rows])
    return given


def known_in(
    block: Block, columns: Columns, onto: Ontology, extra: ExtraFacts | None = None
) -> tuple[Facts, Facts]:
    """Return the known labels of the items, and the same propagated.

    An error names an item that contradicts itself.
    """
    given = facts_in(block, columns, onto, extra)
    known = np.tile(onto.propagate(np.full((1, len(onto)), -1, np.int8)), (len(given), 1))
    rows = np.flatnonzero((given >= 0).any(axis=1))
    if len(rows):
        try:
            known[rows] = onto.propagate(given[rows])
        except Contradiction as clash:  # which does not travel between processes
            item = (
                "" if clash.item is None else f"item {ids_in(block, columns)[rows[clash.item]]!r}: "
            )
            raise CorollaryError(f"{item}{str(clash).partition(': ')[2] or clash}") from None
    return given, known


def learnt_from(block: Block, columns: Columns) -> Any:
    """Return the features as a session takes them.

    A matrix, a list of texts, or columns by name.
    """
    if columns.kind == "table":
        return {name: _column(block.table.column(name)) for name in columns.learnt}
    (name,) = columns.learnt
    if columns.kind == "text":
        return ["" if text is None else text for text in _texts(block, name).to_pylist()]
    return matrix_in(block.table.column(name), name)


def matrix_in(column: Any, name: str) -> npt.NDArray[Any]:
    """A column of lists of numbers, all of one length, as a matrix in the precision that it has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = column.combine_chunks()
    if not (
        pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type) or _is_fixed(lists.type)
    ):
        raise CorollaryError(f"column {name!r} must hold lists of numbers, it holds {lists.type}")
    lengths = np.unique(np.asarray(pc.fill_null(pc.list_value_length(lists), 0)))
    values = lists.flatten()
    if len(lengths) > 1 or (len(lists) and not lengths[0]) or values.null_count:
        raise CorollaryError(
            f"column {name!r}: all items must have as many numbers, none of them missing; there are lists of "
            f"{', '.join(map(str, lengths[:5]))}"
        )
    matrix = np.asarray(values)
    if matrix.dtype.kind not in "iuf":
        raise CorollaryError(f"column {name!r} must hold lists of numbers, it holds {lists.type}")
    return matrix.reshape(len(lists), -1)


def beliefs_in(block: Block, columns: Columns, onto: Ontology) -> Floats:
    """Beliefs that the pool has already, items x labels."""
    beliefs = learnt_from(block, columns)
    if beliefs.shape[1] != len(onto):
        raise CorollaryError(
            f"column {columns.learnt[0]!r} has {beliefs.shape[1]} beliefs an item, the ontology {len(onto)} labels"
        )
    return np.asarray(onto.check_beliefs(beliefs), np.float64)


def _fill_named(given: Facts, column: Any, name: str, onto: Ontology) -> None:
    """Take a column that names the labels that are yes, or says yes or no of labels by name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = pa.types
    if types.is_struct(column.type):
        for field, values in zip(column.type, column.flatten(), strict=True):
            given[:, _index(field.name, name, onto)] = _answers(values, f"{name}.{field.name}")
        return
    if types.is_map(column.type):
        pairs = column.cast(pa.list_(pa.struct([("key", pa.string()), ("value", pa.bool_())])))
        rows = pc.list_parent_indices(pairs)
        (keys, values) = pairs.flatten().flatten()
    elif types.is_list(column.type) or types.is_large_list(column.type):
        rows = pc.list_parent_indices(column)
        keys = column.flatten()
        values = pa.array(np.ones(len(keys), np.bool_))
    else:
        raise CorollaryError(
            f"column {name!r} must hold lists of labels that are yes, or maps from labels to yes or no; it holds "
            f"{column.type}"
        )
    names = keys.dictionary_encode() if not types.is_dictionary(keys.type) else keys
    index = np.array([_index(label, name, onto) for label in names.dictionary.to_pylist()] or [0])
    given[np.asarray(rows), index[np.asarray(names.indices)]] = _answers(values, name)


def _index(label: Any, column: str, onto: Ontology) -> int:
    if label not in onto:
        hint = nearest(label, onto.labels) if isinstance(label, str) else ""
        raise CorollaryError(f"column {column!r}: unknown label {shown(label)}{hint}")
    return onto.index[label]


def _answers(column: Any, name: str) -> Facts:
    """Yes, no or unknown of a column of booleans or numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = np.asarray(pc.fill_null(column.cast(pa.int64()), -1), np.int64)
    if ((found < -1) | (found > 1)).any():
        wrong = found[(found < -1) | (found > 1)][0]
        raise CorollaryError(
            f"column {name!r} must hold yes and no: 1, 0, or nothing (or -1) where unknown; got {wrong}"
        )
    return found.astype(np.int8)


def _texts(block: Block, name: str) -> Any:
    import pyarrow as pa

    column = block.table.column(name).combine_chunks()
    if not (pa.types.is_integer(column.type) or _is_text(column.type)):
        raise CorollaryError(
            f"column {name!r} must hold texts or whole numbers, it holds {column.type}"
        )
    return column.cast(pa.string())


def _column(column: Any) -> Any:
    """A column of a table: numbers as an array, whatever else as a list."""
    import pyarrow as pa

    numbers = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    return column.to_numpy() if numbers and not column.null_count else column.to_pylist()


def _is_text(type_of: Any) -> bool:
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(type_of):
        return _is_text(type_of.value_type)
    return bool(types.is_string(type_of) or types.is_large_string(type_of))


def _is_fixed(type_of: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_fixed_size_list(type_of))
