"""CLINC150: queries with one intent in one domain, or none."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd

from corollary.experiment.data.clinc import ontology

from ...real_data import DATA, needs_data
from ..known_sets import loaded, refusal


def test_domains_and_the_intents_of_one_exclude_each_other():
    onto = ontology(
        [("freeze", "banking"), ("pay", "banking"), ("timer", "utility"), ("date", "utility")]
    )
    assert onto.labels == ("banking", "utility", "freeze", "pay", "timer", "date")
    assert onto.propagate({"pay": True}) == {
        "banking": True,
        "utility": False,
        "freeze": False,
        "pay": True,
        "timer": False,
        "date": False,
    }


@needs_data
def test_each_query_has_its_intent_and_domain():
    dataset = loaded("clinc150")
    frame = pd.read_parquet(DATA / "clinc150" / "clinc150.parquet")
    for i in range(0, len(frame), 311):
        found = {dataset.labels[k] for k in np.flatnonzero(dataset.Y[i])}
        assert found == {frame["intent"][i], frame["domain"][i]} - {""}
        assert dataset.X[i] == frame["text"][i]
    assert (dataset.Y.sum(axis=1) == 0).sum() == 1200
    assert dataset.meaning == "auto"


@needs_data
def test_damaged_files(tmp_path):
    place = tmp_path / "clinc150"
    shutil.copytree(DATA / "clinc150", place)
    for path in (place, *place.iterdir()):
        path.chmod(0o755)
    edges, table = place / "hierarchy.tsv", place / "clinc150.parquet"
    text = edges.read_text(encoding="utf-8")
    edges.write_text(text.replace("child", "kind", 1), encoding="utf-8")
    assert "two columns child and parent" in refusal("clinc150", tmp_path)
    edges.write_text(text.replace("freeze_account", "thaw_account", 1), encoding="utf-8")
    assert "unknown label 'freeze_account'" in refusal("clinc150", tmp_path)
    edges.write_text(text, encoding="utf-8")
    pd.read_parquet(table).drop(columns="intent").to_parquet(table)
    assert "has no column 'intent'" in refusal("clinc150", tmp_path)
