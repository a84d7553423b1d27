"""A session's file: it rebuilds the session, and is refused where it is damaged."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import corollary as co
from corollary.learning.session.options import grouped
from corollary.learning.session.session import Session

from ..legal import legal_rows


@pytest.mark.parametrize("name", ["posterior", "random", "log"])
def test_saving_and_rebuilding_gives_the_same_state(animals, tmp_path, name):
    rng = np.random.default_rng(0)
    truth, X = legal_rows(animals, rng, 30), rng.normal(size=(30, 4))
    facts = np.full((30, 7), -1, np.int8)
    facts[:8] = truth[:8]
    made = {"facts": facts, "learner": "logistic"}
    session = Session(animals, X, random_state=3, **grouped({"score": name, **made}))
    session.answer_from(truth, 5)
    session.retrain()
    session.answer(session.ask()[0], None)
    session.answer((20, "bird"), bool(truth[20, 1]))
    session.retract((20, "bird"))
    session.retrain()
    session.answer_from(truth, 4)
    session.save(tmp_path / "log.jsonl")
    twin = Session.load(tmp_path / "log.jsonl", X, **made)
    np.testing.assert_array_equal(twin.facts, session.facts)
    np.testing.assert_array_equal(twin.answers, session.answers)
    np.testing.assert_array_equal(twin.beliefs, session.beliefs)
    assert twin.ask(5) == session.ask(5)
    twin.save(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "log.jsonl").read_text()
    assert json.loads((tmp_path / "log.jsonl").read_text().splitlines()[0])["version"] == 3


def test_damaged_logs(animals, tmp_path):
    path = tmp_path / "log.jsonl"
    session = Session(animals, beliefs=np.full((2, 7), 0.5))
    session.answer((0, "bird"), True)
    session.save(path)
    good = path.read_text()
    for text, message in (
        ("", "first line must be"),
        (good[:-20], "line 2: not JSON"),
        (
            good + '{"event": "answer", "item": 7, "label": "bird", "value": true}\n',
            "line 3: no item 7",
        ),
        (good + '{"event": "dance"}\n', "line 3: unknown event 'dance'"),
        (good + "[]\n", "line 3: not an event"),
        (good.replace('"version": 3', '"version": 9'), "version 9"),
    ):
        path.write_text(text)
        with pytest.raises(co.CorollaryError, match=message):
            Session.load(path, beliefs=np.full((2, 7), 0.5))


@pytest.mark.parametrize(
    "forms",
    [
        lambda rng: (rng.normal(size=(40, 3)),) * 2,
        lambda rng: ((X := rng.normal(size=(40, 3))), pd.DataFrame(X, columns=list("abc"))),
        lambda rng: (sparse.csr_array(X := np.eye(40)), sparse.coo_array(X)),
        lambda rng: ((X := [f"text {i}" for i in range(39)] + [None]), pd.Series(X)),
        lambda rng: (
            (X := pd.DataFrame({"a": range(40), "kind": ["x", "y"] * 20})),
            X.to_dict("records"),
        ),
    ],
)
def test_a_log_is_rebuilt_with_the_same_items_only(animals, tmp_path, forms):
    X, again = forms(np.random.default_rng(0))
    session, path = Session(animals, X, learner="logistic"), tmp_path / "log.jsonl"
    session.answer((3, "bird"), True)
    session.save(path)
    for form in (X, again):
        np.testing.assert_array_equal(
            Session.load(path, form, learner="logistic").facts, session.facts
        )
    order = np.r_[1:40, 0]
    other = (
        X.tocsr()[order]
        if sparse.issparse(X)
        else X.iloc[order]
        if hasattr(X, "iloc")
        else np.array(X)[order]
    )
    with pytest.raises(co.CorollaryError, match="a session with another X; pass the same items"):
        Session.load(path, other, learner="logistic")
    with pytest.raises(co.CorollaryError, match="a session of 40 items, got 5"):
        Session.load(path, other[:5], learner="logistic")


def test_a_log_of_before_gives_prices_to_people_and_old_names_to_new_fields(animals, tmp_path):
    made = {
        "score": "posterior", "random_state": 0, "propagate": True, "refresh": "always",
        "costs": {"bird": 2.0, "ann": 3.0}, "item_cost": None, "pick": "never", "stay": None,
        "by_chance": 0.25, "facts_by_chance": False, "diverse": False, "encoder": "auto",
        "meaning": "auto", "fallible": True,
    }  # fmt: skip
    head = {"event": "session", "version": 2, "items": 2, "X": None, "ontology": str(animals)}
    (tmp_path / "log").write_text(json.dumps(head | made) + "\n")
    session = Session.load(tmp_path / "log", beliefs=np.full((2, 7), 0.5))
    assert session.asking.costs == {"bird": 2.0}
    assert session.asking.share_at_random == 0.25
    assert session.annotators.prices == {"ann": 3.0}
    session.save(tmp_path / "again")
    again = Session.load(
        tmp_path / "again", beliefs=np.full((2, 7), 0.5), diverse=False, stay="item"
    )
    assert again.annotators == session.annotators
    assert again.asking.stay == "item"
