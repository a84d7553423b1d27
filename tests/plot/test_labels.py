"""The graph of an ontology: which labels are shown, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot as plt

import corollary as co

from .drawn import ONTO, legend, signs, texts


def test_states_are_told_by_signs_and_dashes() -> None:
    ax = co.plot.ontology(ONTO, {"bird": True, "red": False})
    assert signs(ax) == {"animal": "✓", "bird": "✓", "fish": "✗", "penguin": "?", "red": "✗"}
    boxes = [patch for patch in ax.patches if not patch.get_gid()]
    assert [box.get_linestyle() for box in boxes] == ["--", "-", "--", "-", "-"]
    assert len({box.get_facecolor() for box in boxes}) == 5
    words = ["✓ yes", "✗ no", "✓ yes, implied", "✗ no, implied", "? open"]
    assert legend(ax)[:5] == words
    row = co.plot.ontology(ONTO, np.array([-1, 1, -1, -1, 0]))
    assert signs(row) == signs(ax)


def test_open_labels_show_their_posterior() -> None:
    beliefs = {"animal": 0.5, "bird": 0.2, "fish": 0.2, "penguin": 0.9, "red": 0.999}
    ax = co.plot.ontology(ONTO, {"bird": True}, beliefs=beliefs)
    q = ONTO.posterior([list(beliefs.values())], [[-1, 1, -1, -1, -1]])[0]
    assert signs(ax)["penguin"] == f"{100 * q[3]:.0f} %"
    assert signs(ax)["red"] == ">99 %"
    assert signs(ax)["bird"] == "✓"
    assert "% open" in legend(ax)
    assert signs(co.plot.ontology(ONTO, beliefs=np.full(5, 0.001)))["animal"] == "<1 %"


def test_what_cannot_be_drawn_is_written_below() -> None:
    rules = [co.formula(f"a{n} | b") for n in range(8)]
    onto = co.Ontology(
        ["b", *(f"a{n}" for n in range(8))], [co.implies("a1", "b"), co.implies("b", "a1"), *rules]
    )
    ax = co.plot.ontology(onto, labels=onto.labels[:5])
    below = [text.get_text() for text in ax.texts if not text.get_gid()]
    assert below == [
        "b implies a1, in a circle",
        *(f"rule: a{n} | b" for n in range(4)),
        "5 of 9 labels",
    ]
    assert [text.get_text() for text in co.plot.ontology(onto).texts][
        -1
    ] == "and 3 more constraints that are not drawn"


def test_soft_constraints_are_written_below_with_their_weights() -> None:
    onto = co.Ontology.parse(
        "animal > bird\nflies (weight 3) > bird\nexclusive (weight 1): bird, flies"
    )
    ax = co.plot.ontology(onto)
    below = [text.get_text() for text in ax.texts if not text.get_gid()]
    assert below == ["flies (weight 3) > bird", "exclusive (weight 1): bird, flies"]
    assert not [one for one in ax.patches if one.get_gid() == "bird implies flies"]


def test_a_part_comes_with_what_it_is_under() -> None:
    ax = co.plot.ontology(ONTO, labels=["penguin"])
    assert set(texts(ax)) == {"animal", "bird", "penguin"}


def test_too_many_labels_and_too_little_room_are_told() -> None:
    many = co.Ontology([f"label {n}" for n in range(81)])
    with pytest.raises(
        co.CorollaryError,
        match="81 labels cannot be read in one figure, at most 80 can: pass labels=",
    ):
        co.plot.ontology(many)
    assert len(texts(co.plot.ontology(many, labels=many.labels[:60]))) == 60
    _, ax = plt.subplots(figsize=(2, 1))
    with pytest.raises(
        co.CorollaryError, match="60 labels cannot be read on axes of .* they need .* larger"
    ):
        co.plot.ontology(many, labels=many.labels[:60], ax=ax)
    _, ax = plt.subplots(figsize=(8, 6))
    assert co.plot.ontology(ONTO, ax=ax) is ax


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"facts": {"brd": True}}, "unknown label 'brd'; did you mean 'bird'"),
        (
            {"facts": [1, 0]},
            r"facts are those of one item: 5 numbers, or by label; got shape \(2,\)",
        ),
        ({"facts": {"bird": True, "fish": True}}, "bird"),
        ({"facts": {"bird": 0.5}}, "True or False"),
        ({"beliefs": {"bird": 0.5}}, "none of 'animal'"),
        ({"beliefs": [2.0] * 5}, "between 0 and 1"),
        ({"labels": ["fihs"]}, "did you mean 'fish'"),
        ({"labels": []}, "no labels"),
    ],
)
def test_what_cannot_be_so_is_told(arguments: dict[str, object], told: str) -> None:
    with pytest.raises(co.CorollaryError, match=told):
        co.plot.ontology(ONTO, **arguments)  # type: ignore[arg-type]
