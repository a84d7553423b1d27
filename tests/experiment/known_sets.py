"""The known data sets: their sizes, where their files are, and what is said of damaged ones."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

import corollary as co
from corollary.experiment.data import classics
from corollary.experiment.data.datasets import load_dataset
from corollary.logic.formats import with_siblings_exclusive
from corollary.logic.language.constraints import Exclusive, Subsumes
from corollary.logic.language.notation import Document
from evidence.reports.intervals import WITH_OFFICIAL_SPLIT

from ..real_data import DATA

#: Training and test rows, features and labels: Table 1 of the paper, or what the rebuilt data allow.
SIZES = {
    "iris": (105, 45, 4, 3),
    "vowel": (528, 462, 10, 11),
    "satimage": (3104, 1331, 36, 6),
    "shuttle": (30450, 13050, 9, 7),
    "segment": (400, 1910, 19, 7),
    "pendigits": (7494, 3498, 16, 10),
    "letter": (15000, 5000, 16, 26),
    "nell-7": (214, 6871 - 214, 17257, 7),
    "nell-11": (242, 6871 - 242, 17257, 11),
    "nell-11-words": (242, 6871 - 242, 12832, 11),
    "nell-13": (2656, 17454 - 2656, 28850, 13),
    "hmc_imclef07d": (10000, 1006, 80, 46),
    "hmc_diatoms": (2065, 1054, 371, 398),
    "hmc_enron": (988, 660, 1001, 56),
    "hmc_cellcycle_fun": (2476, 1281, 77, 499),
    "hmc_cellcycle_go": (2473, 1278, 77, 4125),
    "clinc150": (18200, 5500, None, 160),
    "things": (244, 244, None, 30),
}
OFFICIAL = set(WITH_OFFICIAL_SPLIT)
HIERARCHIES = [name for name in SIZES if name.startswith("hmc_")]
SINGLE = ["iris", "vowel", "satimage", "shuttle", "segment", "pendigits", "letter", "nell-7"]


@cache
def loaded(name):
    return load_dataset(name, folder=DATA)


def share_that_breaks_exclusive_siblings(name):
    """The share of a hierarchy's official training rows that have two siblings, or two roots; no other row is seen."""
    dataset = loaded(name)
    told = tuple(one for one in dataset.onto.constraints if isinstance(one, Subsumes))
    added = with_siblings_exclusive(Document(dataset.labels, told)).constraints[len(told) :]
    assert added
    assert all(isinstance(one, Exclusive) for one in added)
    known = dataset.Y[dataset.train]
    siblings = [[dataset.onto.index[label] for label in one.labels] for one in added]
    return float(np.any([known[:, columns].sum(axis=1) > 1 for columns in siblings], axis=0).mean())


def table_of(name, folder):
    """A data set of the package as a table of Parquet."""
    X, labels, splits = classics.read(classics.FOLDER / classics.file_of(name))
    columns = (
        ["sepal_length", "sepal_width", "petal_length", "petal_width"] if name == "iris" else None
    )
    path = folder / name / f"{name}.parquet"
    path.parent.mkdir(parents=True)
    pd.DataFrame(X, columns=columns).assign(label=labels, split=splits).to_parquet(path)
    return path


def refusal(name, folder):
    with pytest.raises(co.CorollaryError) as told:
        load_dataset(name, folder=folder)
    return str(told.value)
