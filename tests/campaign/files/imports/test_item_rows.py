"""Items of rows: vectors, and numbers that are none."""

from __future__ import annotations

import numpy as np
import pytest

from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.items import features_of

from .refusals import ONTO, refused


def test_vectors_as_text(write):
    found = check_import(write("x.csv", 'id,vector\na,"[1, 2.5]"\nb,3 4\n'), ONTO)
    assert [item.fields["vector"] for item in found.items()] == [[1.0, 2.5], [3.0, 4.0]]
    assert "line 3: its vector has 1 numbers, those of earlier items have 2" in refused(
        write("x.csv", "id,vector\na,1 2\nb,3\n")
    )
    assert "must be a list of numbers, got 'nan'" in refused(write("x.csv", "id,vector\na,nan\n"))


@pytest.mark.parametrize(
    "value", ['{"1": 2}', "[1e400]", f"[{'9' * 400}]", '["a"]', "[[1], [2]]", "true", "5"]
)
def test_what_is_no_vector(write, value):
    path = write("x.jsonl", f'{{"id": "a", "vector": {value}}}\n')
    assert "a vector must be a list of numbers" in refused(path)


def test_numbers_that_are_too_large_to_learn_from(write):
    """They are kept as they are, and learnt from as words."""
    path = write(
        "x.jsonl",
        "".join(f'{{"id": "{i}", "text": "a bird", "n": {"9" * 400}}}\n' for i in range(3)),
    )
    items = list(check_import(path, ONTO).items())
    assert items[0].fields["n"] == int("9" * 400)
    assert np.isfinite(features_of(items).toarray()).all()
