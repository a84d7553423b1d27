"""`corollary witness ask`: a language model says what it thinks of items, as far as the budget goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError
from ..campaigns import opened, person, place_argument, who_option
from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .witness_told import BUSY, finish, tell_textless, train_option

if TYPE_CHECKING:
    from ...campaign.campaign import Campaign
    from ...campaign.items import Item

#: Where the key of a language model is looked for, unless another variable is named.
KEY = "COROLLARY_LLM_KEY"
#: Items about which a language model is asked before what it said is written down.
BATCH = 50


@click.command("ask")
@place_argument
@click.option("--endpoint", required=True, metavar="URL", help="Such as http://localhost:8000/v1.")
@click.option("--model", required=True, metavar="NAME", help="Which model the endpoint is to use.")
@click.option("--name", metavar="NAME", help="What the witness is called. [the model's name]")
@click.option(
    "--items",
    "most",
    type=click.IntRange(1),
    metavar="N",
    help="The largest number of items to ask about. [all]",
)
@click.option(
    "--budget-requests",
    type=click.IntRange(1),
    metavar="N",
    help="Send no more requests than this.",
)
@click.option(
    "--budget-tokens", type=click.IntRange(1), metavar="N", help="Spend no more tokens than this."
)
@click.option("--rate", type=float, metavar="N", help="The most requests a minute.")
@click.option(
    "--at-once",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="Requests under way together.",
)
@click.option(
    "--key-variable",
    metavar="NAME",
    help=f"Variable of the environment with the key. [{KEY}, if set]",
)
@click.option(
    "--kept",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file of replies, not asked for again.",
)
@train_option
@who_option
def ask(
    place: str, *, endpoint: str, model: str, name: str | None, most: int | None, train: bool, who: str | None,
    **how: Any,
) -> None:  # fmt: skip
    """Ask a language model at an OpenAI-compatible endpoint.

    \b
    corollary witness ask birds.sqlite --endpoint http://localhost:8000/v1 --model qwen3-8b --items 500

    It is asked about items with open labels, the doubtful ones first. Replies are stored every 50
    items, so a stopped run goes on from there. The texts of the items go to the endpoint, and
    nowhere else. The key is read from the environment, and never stored or shown.
    """  # noqa: D301 (click keeps the lines after a backslash)
    import corollary as co

    asked = co.LanguageModel(
        endpoint,
        model,
        name=name,
        key_variable=how["key_variable"] or (KEY if os.environ.get(KEY) else None),
        requests=how["budget_requests"],
        tokens=how["budget_tokens"],
        per_minute=how["rate"],
        at_once=how["at_once"],
        kept=how["kept"],
    )
    with opened(place, busy=BUSY) as campaign:
        me = person(campaign, who)
        items = campaign.unheard(asked.name)
        with_text = [item for item in items if item.text or item.fields][:most]
        tell_textless(sum(not (item.text or item.fields) for item in items))
        ask_about(campaign, asked, with_text, me)
        finish(campaign, train=train)


def ask_about(campaign: Campaign, model: Any, items: list[Item], me: str) -> None:
    """Ask about items, some at a time, and write down what was said after each time."""
    about = campaign.settings.labels
    onto = campaign.state.onto
    meaning = {
        label: about[label]["definition"]
        for label in onto.labels
        if about.get(label, {}).get("definition")
    }
    answered = 0
    silent = 0
    requests = 0
    tokens = 0
    why = None
    with told_progress(f"asking {model.name}") as progress:
        for start in range(0, len(items), BATCH):
            some = items[start : start + BATCH]
            try:
                replies = model.ask(
                    onto,
                    [_shown(item) for item in some],
                    meaning=meaning,
                    progress=lambda done, _, start=start: progress(start + done, len(items)),
                )
            except (
                CorollaryError
            ) as error:  # not one reply: the endpoint is gone, or the budget is spent
                if not start:
                    raise
                why = str(error)
                break
            if replies.reports:
                said = [(some[int(one.item)].id, one.label, one.value) for one in replies.reports]
                campaign.report(me, model.name, said, kind="model")
            answered += len({one.item for one in replies.reports})
            silent += len({one.item for one in replies.silent})
            requests = requests + replies.requests
            tokens = tokens + replies.tokens
            if (why := replies.stopped) is not None:
                break
            if replies.silent and not replies.reports:
                why = f"of {count(len(some), 'item')} it said nothing that can be used: {replies.silent[0].why}"
                break
    spent = f"{count(requests, 'request')}, {count(tokens, 'token')}"
    echo(f"{model.name}: {answered:,} of {count(len(items), 'item')} answered; {spent}")
    if silent:
        echo(f"of {count(silent, 'item')} it said nothing, or not of all labels")
    if why is not None:
        echo(f"stopped: {why}")


def _shown(item: Item) -> str | dict[str, Any]:
    """What a language model reads of an item: its text, or its fields where there is more than that."""
    from ...campaign.items import without_vector

    fields = without_vector(item.fields)
    if not fields:
        return item.text or ""
    return ({"text": item.text} if item.text else {}) | fields
