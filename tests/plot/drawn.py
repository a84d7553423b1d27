"""An ontology to draw, and what was drawn of it."""

from __future__ import annotations

from matplotlib.axes import Axes

import corollary as co

ONTO = co.Ontology(
    ["animal", "bird", "fish", "penguin", "red"],
    [
        co.subsumes("animal", "bird", "fish", "penguin"),
        co.exclusive("bird", "fish"),
        co.implies("penguin", "bird"),
    ],
)


def texts(ax: Axes) -> dict[str, str]:
    return {text.get_gid(): text.get_text() for text in ax.texts if text.get_gid()}


def signs(ax: Axes) -> dict[str, str]:
    return {
        gid.removeprefix("sign of "): text
        for gid, text in texts(ax).items()
        if gid.startswith("sign of ")
    }


def lines(ax: Axes) -> set[str]:
    return {patch.get_gid() for patch in ax.patches if patch.get_gid()}


def legend(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]
