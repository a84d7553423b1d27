"""The story that `corollary demo --terminal` tells."""

from __future__ import annotations

import corollary as co
from corollary.cli.label.story import BELIEFS, WORLD, bar


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
