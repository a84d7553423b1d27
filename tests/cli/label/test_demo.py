"""`corollary demo`."""

from __future__ import annotations

from corollary.cli.label.demo import examples, shuffled
from corollary.experiment.data.things import load


def test_every_label_is_shown_twice_by_few_things():
    things = load()
    rows = examples(things, shuffled(len(things.names)))
    assert (things.Y[rows].sum(axis=0) >= 2).all()
    assert len(rows) < len(things.names) / 8


def test_prepare_ends_by_itself(call):
    assert call("demo", "--prepare").stdout.splitlines()[-1] == "ready"
