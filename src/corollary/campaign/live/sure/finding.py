"""What an audit and an acceptance are about: whole items where one label holds for each, else single cells."""

from __future__ import annotations

from typing import Literal

from ....logic.ontology import Ontology
from ...state.pick_price import holds_one
from ...state.state import State
from .sure_cells import SureCells, find_sure_cells
from .sure_items import SureItems, find_sure_items

Unit = Literal["items", "cells"]


def unit_of(onto: Ontology) -> Unit:
    """What is drawn, and what the share of wrong ones is of: items where one pick settles each item, else cells."""
    return "items" if holds_one(onto) else "cells"


def find_sure(state: State, at_least: float, *, as_of: int | None = None) -> SureItems | SureCells:
    """All that the model is sure of now; with `as_of` only that of which it was also sure after that event."""
    find = find_sure_items if unit_of(state.onto) == "items" else find_sure_cells
    return find(state, at_least, as_of=as_of)
