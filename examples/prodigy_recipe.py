"""A Prodigy recipe that asks the questions of a Corollary campaign and sends the answers back.

corollary serve birds.sqlite                                 # invite yourself there; the link ends in your token
COROLLARY_TOKEN=... prodigy corollary birds http://127.0.0.1:8000 -F prodigy_recipe.py
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.request import Request, urlopen

Call = Callable[[str, dict[str, Any]], Any]
VALUES = {"accept": True, "reject": False, "ignore": "cant_tell"}


def stream(call: Call) -> Iterator[dict[str, Any]]:
    """The questions as examples, the best first, each once; it ends when there is nothing more to ask for now."""
    seen: set[str] = set()
    while new := [
        one for one in call("/api/questions", {"n": 20})["questions"] if one["lease"] not in seen
    ]:
        question = new[0]  # one at a time: each answer may change what is best to ask next
        seen.add(question["lease"])
        if question["label"] is None:
            raise SystemExit(
                "it asks for whole items; set it to yes/no: corollary settings CAMPAIGN pick never"
            )
        item = question["item"]
        meta = {"item": item["id"], "lease": question["lease"], "question": question["text"]}
        yield {"text": item["text"] or item["id"], "label": question["label"], "meta": meta}


def send(call: Call, examples: Iterable[dict[str, Any]]) -> None:
    """Answers, back to the campaign; each has a key, so that sending it twice does no harm."""
    for one in examples:
        about = {"item": one["meta"]["item"], "label": one["label"], "value": VALUES[one["answer"]]}
        call(
            "/api/answers",
            {**about, "lease": one["meta"]["lease"], "key": f"prodigy-{one['meta']['lease']}"},
        )


def recipe(dataset: str, url: str) -> dict[str, Any]:
    """What Prodigy is told."""
    headers = {
        "Authorization": f"Bearer {os.environ['COROLLARY_TOKEN']}",
        "Content-Type": "application/json",
    }

    def call(path: str, body: dict[str, Any]) -> Any:
        with urlopen(Request(url.rstrip("/") + path, json.dumps(body).encode(), headers)) as reply:
            return json.load(reply)

    return {
        "dataset": dataset,
        "view_id": "classification",
        "stream": stream(call),
        "update": lambda examples: send(call, examples),
        "config": {
            "batch_size": 5,
            "instant_submit": True,
        },  # few wait here while the campaign learns
    }


try:
    import prodigy
except ModuleNotFoundError:  # so that its tests need no licence
    pass
else:
    prodigy.recipe(
        "corollary",
        dataset=("Dataset that keeps the answers too", "positional", None, str),
        url=("Address of the campaign's service", "positional", None, str),
    )(recipe)
