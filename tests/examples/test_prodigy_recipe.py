"""The Prodigy recipe of the examples, run against the service, without Prodigy."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item
from corollary.web.app import make_app

from ..campaign.files.tools.snapshots import ONTO
from ..web.conftest import Client

RECIPE = Path(__file__).parents[2] / "examples" / "prodigy_recipe.py"


@pytest.fixture(scope="module")
def recipe() -> Any:
    spec = importlib.util.spec_from_file_location("prodigy_recipe", RECIPE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_questions_come_once_and_answers_go_back(recipe: Any, tmp_path: Path) -> None:
    items = [Item(f"thing {n}", text=f"thing number {n}") for n in range(3)]
    settings = {"retrain_every": 10**6, "learner": "logistic", "pick": "never"}
    with Campaign.create(
        tmp_path / "x.sqlite", items, ONTO, name="x", lead="mara", settings=settings
    ) as campaign:
        client = Client(make_app(campaign, mode="team"), campaign.invite("ann", "annotator"))

        def call(path: str, body: dict[str, Any]) -> Any:
            reply = client.post(path, json=body)
            assert reply.status_code == 200, reply.text
            return reply.json()

        answers = {"thing 0": "accept", "thing 1": "reject", "thing 2": "ignore"}
        said = []
        for example in recipe.stream(call):
            assert set(example) == {"text", "label", "meta"}
            assert example["label"] in ONTO
            one = example | {"answer": answers[example["meta"]["item"]]}
            recipe.send(call, [one])
            recipe.send(call, [one])  # a second time does no harm
            said.append((example["meta"]["item"], example["label"], one["answer"]))
        assert len(set(said)) == len(said)
        assert not [label for item, label, _ in said if item == "thing 2" and label not in ONTO]
        state = campaign.state
        assert (state.facts[0] >= 0).all()  # a yes to each question: all is known
        asked = {
            (event.item, event.label, event.value)
            for event in state.events
            if event.kind == "answer"
        }
        assert asked == {(item, label, recipe.VALUES[answer]) for item, label, answer in said}


def test_what_prodigy_has_not_answered_is_not_asked_again(recipe: Any) -> None:
    def call(path: str, body: dict[str, Any]) -> Any:
        held = [
            {"lease": f"l{n}", "item": {"id": f"i{n}", "text": None}, "label": "bird", "text": "?"}
            for n in range(3)
        ]
        return {"questions": held[: body["n"]]}

    found = list(
        recipe.stream(call)
    )  # nobody answers: the campaign hands out what it holds, again and again
    assert [one["text"] for one in found] == ["i0", "i1", "i2"]


def test_questions_about_whole_items_are_refused(recipe: Any) -> None:
    question = {"lease": "a", "item": {"id": "i", "text": "t"}, "label": None, "text": "?"}
    with pytest.raises(SystemExit, match="set it to yes/no"):
        next(recipe.stream(lambda path, body: {"questions": [question]}))
