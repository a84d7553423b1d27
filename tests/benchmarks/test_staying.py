"""The suite about staying on an item has splits of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_splits_are_none_of_the_comparison_and_the_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import staying
    from evidence import tables

    used = max(part.seeds for table in tables.TABLES for part in table.parts)
    assert min(staying.SEEDS) >= max(used, 3)
    for name in ("vowel", "digits in a tree"):
        splits = {staying.load(name, seed).train.tobytes() for seed in (0, *staying.SEEDS)}
        assert len(splits) == 1 + len(staying.SEEDS)
