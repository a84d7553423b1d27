"""`corollary demo`: a campaign on things of the world that come with the package, on the page or in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING

import click

from ..campaigns import figures, told_warnings
from ..terminal import echo
from .serve import begin_training, needs_web, open_page

if TYPE_CHECKING:
    from ...campaign.campaign import Campaign
    from ...experiment.data.things import Things

FILE = "things.sqlite"
ABOUT = "Animals, plants, foods, places and things that people make."
#: The first model comes from the texts and a few things, then more of them: one sees it learn.
RETRAIN_EVERY = 20
#: Quicker than the default, which weighs several against one another: the first model comes in seconds.
LEARNER = "meaning"
#: Things that are labelled from the start, for each label.
EXAMPLES = 2


@click.command("demo")
@click.option(
    "--auto", is_flag=True, help="Watch a simulated annotator, who knows the truth, answer."
)
@click.option(
    "--terminal", is_flag=True, help="No page: a story of one screen, or with --auto the annotator."
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the campaign there, and go on.",
)
@click.option(
    "--pace",
    default=2.0,
    show_default=True,
    metavar="N",
    help="With --auto: answers a second; 0 is all speed.",
)
@click.option(
    "--questions",
    default=600,
    show_default=True,
    metavar="N",
    help="With --auto: stop after this number of answers.",
)
@click.option("--port", default=0, metavar="N", help="Of the page. [any that is free]")
@click.option("--no-open", is_flag=True, help="Do not open the page in the browser.")
@click.option("--prepare", is_flag=True, help="Compile the kernels for this machine, and end.")
def command(
    *,
    auto: bool,
    terminal: bool,
    folder: Path | None,
    pace: float,
    questions: int,
    port: int,
    no_open: bool,
    prepare: bool,
) -> None:
    """Try it on 488 things of the world, in a minute.

    \b
    corollary demo                     the page: label with one key
    corollary demo --auto              the same, with someone who answers by themselves
    corollary demo --auto --terminal   the same, without the page
    corollary demo --terminal          the logic at work, in one screen

    No network is needed, and nothing is kept unless you name a --folder.
    """  # noqa: D301 (click keeps the lines after a backslash)
    if terminal and not auto:
        from .story import tell_story

        tell_story()
        return
    if not terminal and not prepare:
        needs_web()
    with told_warnings(), place_for(folder) as path, campaign_at(path) as (campaign, things):
        if prepare:
            warm_up(campaign)
        elif terminal:
            begin_training(campaign)
            watch(campaign, things, pace=pace, questions=questions, stop=Event())
        else:
            show_page(
                campaign,
                things if auto else None,
                port=port,
                browse=not no_open,
                pace=pace,
                questions=questions,
            )
            if folder is not None:
                echo(
                    f"kept; go on with: corollary demo --folder {folder}, or corollary serve {path}"
                )


@contextmanager
def place_for(folder: Path | None) -> Iterator[Path]:
    """The file of the campaign: in a folder that stays, or in one that does not."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with (
        nullcontext(folder)
        if folder is not None
        else TemporaryDirectory(prefix="corollary-demo-") as place
    ):
        yield Path(place) / FILE


@contextmanager
def campaign_at(path: Path) -> Iterator[tuple[Campaign, Things]]:
    """The campaign of the demo, a new one unless it is there."""
    echo("Getting ready: 488 things, 30 labels, and the rules that tie them ...")
    from ...campaign.campaign import Campaign
    from ...experiment.data.things import load

    things = load()
    with Campaign.open(path) if path.exists() else make(path, things) as campaign:
        yield campaign, things


def make(path: Path, things: Things) -> Campaign:
    """A campaign that reads all things of the data set, a few of them labelled as examples."""
    from ...campaign.campaign import Campaign
    from ...campaign.items import Item

    order = shuffled(len(things.names))
    items = [
        Item(things.names[i], text=things.names[i], fields={"description": things.descriptions[i]})
        for i in order
    ]
    labels = {
        label: {"definition": things.definitions[label], "question": things.questions[label]}
        for label in things.onto.labels
    }
    facts = [
        (things.names[i], label, bool(things.Y[i, k]))
        for i in examples(things, order)
        for k, label in enumerate(things.onto.labels)
    ]
    settings = {
        "labels": labels,
        "retrain_every": RETRAIN_EVERY,
        "learner": LEARNER,
        "encoder": "auto",
    }
    name = "Things of the world"
    return Campaign.create(
        path, items, things.onto, name=name, about=ABOUT, settings=settings, facts=facts
    )


def shuffled(n: int) -> list[int]:
    """The same order every time, and not that of the alphabet."""
    import numpy as np

    order: list[int] = np.random.default_rng(0).permutation(n).tolist()
    return order


def examples(things: Things, order: list[int]) -> list[int]:
    """The first things that show every label twice."""
    seen = dict.fromkeys(range(len(things.onto)), 0)
    found = []
    for i in order:
        on = [k for k in seen if things.Y[i, k]]
        if any(seen[k] < EXAMPLES for k in on):
            found.append(i)
            seen |= {k: seen[k] + 1 for k in on}
    return found


def show_page(
    campaign: Campaign,
    things: Things | None,
    *,
    port: int,
    browse: bool,
    pace: float,
    questions: int,
) -> None:
    """Serve the page; with the truth at hand someone answers by themselves meanwhile."""
    from ...web.server import serve

    stop = Event()
    begin_training(campaign)

    def ready(link: str) -> None:
        echo(f"Open this link on this machine; it works once:\n\n  {link}\n\nCtrl-C stops.")
        if browse:
            open_page(link)
        if things is not None:
            answering.start()

    options = {"pace": pace, "questions": questions, "stop": stop}
    answering = Thread(target=watch, args=(campaign, things), kwargs=options, daemon=True)
    try:
        serve(campaign, port=port, ready=ready)
    finally:
        stop.set()
        if answering.is_alive():
            answering.join()  # before the campaign is closed under them
    echo(figures(campaign.progress()))


def watch(campaign: Campaign, things: Things, *, pace: float, questions: int, stop: Event) -> None:
    """Let someone who knows the truth answer, and tell what follows and how good the model gets."""
    from .annotator import Annotator

    Annotator(campaign, things).run(pace=pace, questions=questions, stop=stop)


def warm_up(campaign: Campaign) -> None:
    """Compile the kernels and answer once, so that the compiled code is there when people come."""
    from ...learning.compilation import compile_kernels

    compile_kernels()
    asked = campaign.next("lead")[0]
    campaign.answer("lead", asked.item.id, asked.label, True)
    campaign.next("lead")
    echo("ready")
