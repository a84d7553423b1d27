"""The meaning of a pool's columns: found by the usual names and by the labels, unless given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ...logic.errors import CorollaryError, nearest
from ...logic.ontology import Ontology

#: What beliefs come from: numbers or texts or a table to learn from, or beliefs that are there already.
Kind = Literal["vector", "text", "table", "beliefs"]
#: In place of the column of the ids: the rows of the whole pool are numbered, from 1.
NUMBERED = ":row"
#: The names under which a column is found, the likeliest first.
COMMON = {
    "id": ("id", "item_id", "item", "key", "uuid", "name"),
    "text": ("text", "name", "title", "sentence", "content", "body", "description"),
    "vector": ("vector", "embedding", "embeddings"),
    "labels": ("labels", "label"),
    "beliefs": ("beliefs",),
}


@dataclass(frozen=True)
class Columns:
    """The meaning of columns; `learnt` are those that beliefs come from, of this `kind`.

    `labels` names the labels that are yes, or maps labels to yes and no. `wide` are columns named
    like labels, with yes and no. People read `text` first. Nothing is learnt from `others`.
    """

    id: str
    kind: Kind
    learnt: tuple[str, ...]
    labels: str | None = None
    wide: tuple[str, ...] = ()
    text: str | None = None
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [
            f"id: {'row numbers' if self.id == NUMBERED else self.id}",
            f"{self.kind}: {', '.join(self.learnt)}",
        ]
        parts += [f"labels: {self.labels}"] if self.labels else []
        parts += [f"a column for each of {len(self.wide)} labels"] if self.wide else []
        parts += [f"not learnt from: {', '.join(self.others)}"] if self.others else []
        return "; ".join(parts)

    @property
    def of_facts(self) -> tuple[str, ...]:
        """The columns of ids and known labels."""
        return (*self.of_id, *([self.labels] if self.labels else []), *self.wide)

    @property
    def of_id(self) -> tuple[str, ...]:
        """The column of ids, if there is one."""
        return () if self.id == NUMBERED else (self.id,)

    @property
    def needed(self) -> tuple[str, ...]:
        """What a model needs, to be fitted and to believe something."""
        return (*self.of_facts, *self.learnt)


def find_columns(schema: Any, onto: Ontology, asked: dict[str, str | None]) -> Columns:
    """Which column is what; `asked` names some of them. An error says which is missing and what there is."""
    for what, name in asked.items():
        if (
            name is not None
            and name not in schema.names
            and not (what == "id" and name == NUMBERED)
        ):
            hint = nearest(name, schema.names) or ";"
            raise CorollaryError(
                f"the pool has no column {name!r} for the {what}{hint} it has {_listed(schema)}"
            )
    wide = tuple(
        name for name in schema.names if name in onto and _is_answer(schema.field(name).type)
    )
    lower = {name.lower(): name for name in reversed(schema.names) if name not in wide}

    def find(what: str) -> str | None:
        return asked.get(what) or next(
            (lower[name] for name in COMMON[what] if name in lower), None
        )

    ids = find("id")
    labels = find("labels")
    text = find("text")
    if ids is None:
        raise CorollaryError(
            f"the pool has no column that is known to hold the ids of the items ({', '.join(COMMON['id'])}); name it: "
            f"pass id='COLUMN', or pass id='{NUMBERED}' to number the rows. It has {_listed(schema)}"
        )
    left = [name for name in schema.names if name not in (ids, labels, *wide)]
    kind, learnt = _learnt_from(
        left, {what: find(what) for what in ("beliefs", "vector", "text")}, asked
    )
    if not learnt:
        raise CorollaryError(
            f"the pool has nothing to learn from but ids and labels; it has {_listed(schema)}"
        )
    others = tuple(name for name in left if name not in learnt)
    return Columns(ids, kind, learnt, labels, wide, text, others)


def _learnt_from(
    left: list[str], found: dict[str, str | None], asked: dict[str, str | None]
) -> tuple[Kind, tuple[str, ...]]:
    """The first column asked for, or else found; without one, all columns are a table."""
    kinds: tuple[Kind, ...] = ("beliefs", "vector", "text")
    for kind in (*(kind for kind in kinds if asked.get(kind)), *kinds):
        name = found[kind]
        if name is not None and name in left:
            return kind, (name,)
    return "table", tuple(left)


def _is_answer(type_of: Any) -> bool:
    """Whether a column can hold yes and no."""
    from pyarrow import types

    return bool(types.is_boolean(type_of) or types.is_integer(type_of) or types.is_null(type_of))


def _listed(schema: Any) -> str:
    names = schema.names
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
