"""`corollary demo`."""

from __future__ import annotations

import corollary as co
from corollary.cli.demo import campaign_at, examples, shuffled
from corollary.cli.story import BELIEFS, WORLD, article, bar
from corollary.experiment.things import load


def test_the_story_in_one_screen(call):
    result = call("demo", "--terminal")
    assert (result.exit_code, result.stderr) == (0, "")
    text = result.stdout
    for line in WORLD.splitlines():
        assert line in text
    assert "Is robin a bird? At 50% the most open question there is. Yes!" in text
    assert "1 answer, 8 corollaries, 2 labels open: penguin, flies" in text
    assert "Is turkey a place? That is what to ask next." in text
    assert "⊥ These answers cannot all be true: bird is yes, mammal is yes" in text
    lines = text.splitlines()
    assert len(lines) <= 48
    assert max(map(len, lines)) <= 100


def test_every_label_of_the_world_has_a_belief():
    for beliefs in BELIEFS.values():
        assert set(beliefs) == set(co.Ontology.parse(WORLD).labels)


def test_bar_and_article():
    assert bar(0.62) == " 62% ██████····"
    assert (article("bird"), article("animal")) == ("a bird", "an animal")


def test_every_label_is_shown_twice_by_few_things():
    things = load()
    rows = examples(things, shuffled(len(things.names)))
    assert (things.Y[rows].sum(axis=0) >= 2).all()
    assert len(rows) < len(things.names) / 8


def test_the_annotator_answers_from_the_truth(call, tmp_path, monkeypatch):
    monkeypatch.setattr("corollary.cli.demo.LEARNER", "logistic")  # in a second
    result = call("demo", "--auto", "--terminal", "--pace", 0, "--questions", 7, "--folder", tmp_path / "kept")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Getting ready: 488 things, 30 labels")
    assert "   7  Is “" in result.stdout
    assert any(line.startswith("7 questions settled ") for line in lines)
    assert "things all right" in lines[-1]
    assert "estimated" in lines[-1]
    things = load()
    with campaign_at(tmp_path / "kept" / "things.sqlite") as (campaign, _):
        state = campaign.state
        assert state.tally.asked == 7
        for name, truth in zip(things.names, things.Y, strict=True):
            known = state.facts[state.row(name)]
            assert ((known < 0) | (known == truth)).all()


def test_prepare_ends_by_itself(call):
    assert call("demo", "--prepare").stdout.splitlines()[-1] == "ready"
