"""spaCy's DocBin, which needs spaCy."""

from __future__ import annotations

from pathlib import Path

import pytest

import corollary as co
from corollary.campaign.files.tools.formats import write_file

from ..snapshots import ANSWERS, ONTO, closed, snapshot_of, there_and_back


def test_docbin_needs_spacy(tmp_path: Path) -> None:
    try:
        import spacy  # noqa: F401
    except ModuleNotFoundError:
        with pytest.raises(co.CorollaryError, match="pip install spacy"):
            write_file(snapshot_of(ANSWERS), tmp_path / "x.spacy", "spacy-docbin")
    else:
        found = there_and_back(snapshot_of(ANSWERS), "spacy-docbin", tmp_path / "x.spacy")
        assert closed(found) == {item: ONTO.propagate(said) for item, said in ANSWERS.items()}
