"""What the commands on pools share: the options, and the pool that they ask for, with its model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...logic.errors import CorollaryError
from ..campaigns import opened, told_warnings
from ..progress import told_progress
from ..reading import ONTOLOGY_FILE, READING, count, read, reading_options
from ..terminal import echo

if TYPE_CHECKING:
    from ...campaign.campaign import Campaign
    from ...logic.ontology import Ontology
    from ...scale.pool import Pool

Command = TypeVar("Command", bound=Callable[..., Any])

pool_argument = click.argument(
    "folder", metavar="POOL", type=click.Path(exists=True, path_type=Path)
)
share_at_random_option = click.option(
    *("--share-at-random",),
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="The share of items that are drawn at random: they keep forecasts honest.",
)


def computing_options(command: Command) -> Command:
    """Which column is what, how a model is fitted, and where it is computed."""
    options = (
        click.option(
            "--id",
            metavar="COLUMN",
            help="Column of the items' ids; :row numbers the rows. [id, item, ...]",
        ),
        click.option(
            "--text", metavar="COLUMN", help="Column of the text that is read. [text, name, ...]"
        ),
        click.option(
            "--vector",
            metavar="COLUMN",
            help="Column with numbers to learn from. [vector, embedding]",
        ),
        click.option(
            "--labels",
            metavar="COLUMN",
            help="Column that names labels, or maps them to yes or no. [labels]",
        ),
        click.option(
            "--beliefs",
            metavar="COLUMN",
            help="Column with the beliefs of a model of your own. [beliefs]",
        ),
        click.option(
            "--learner", metavar="NAME", help="auto, pool, crf, logistic or meaning. [auto]"
        ),
        click.option(
            "--encoder",
            metavar="NAME",
            default="auto",
            show_default=True,
            help="What reads the texts.",
        ),
        click.option(
            "--train-on",
            type=click.IntRange(1),
            metavar="N",
            help="The largest number of items to fit the model to. [100000]",
        ),
        click.option(
            "--workers",
            type=click.IntRange(1),
            metavar="N",
            help="Processes here. [as many as cores]",
        ),
        click.option(
            "--memory",
            default="4GB",
            show_default=True,
            metavar="SIZE",
            help="The memory of each process.",
        ),
        click.option(
            "--cluster",
            metavar="ADDRESS",
            help="A Dask cluster: tcp://host:8786. [COROLLARY_CLUSTER, else processes here]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def ontology_options(command: Command) -> Command:
    """Add the options for the ontology and the known labels."""
    command = reading_options("--ontology-format")(command)
    command = click.option(
        "--campaign",
        "place",
        metavar="CAMPAIGN",
        help="Take its ontology, and the known labels of its items.",
    )(command)
    return click.option(
        "--ontology", type=ONTOLOGY_FILE, help="The labels, and the rules that tie them."
    )(command)


@contextmanager
def pool_asked_for(folder: Path, options: dict[str, Any]) -> Iterator[Pool]:
    """The pool, with an ontology of a file or a campaign, and its model fitted."""
    reading = {name: options.pop(name) for name in READING}
    ontology = options.pop("ontology")
    place = options.pop("place")
    if (ontology is None) == (place is None):
        raise CorollaryError(
            "say where the labels come from: either --ontology FILE or --campaign CAMPAIGN"
        )
    if place is None:
        with trained(folder, read(ontology, **reading), options) as pool:
            yield pool
        return
    with opened(place, readonly=True) as campaign:
        onto, facts, more = told_by(campaign)
    with trained(
        folder, onto, more | {k: v for k, v in options.items() if v is not None}, facts
    ) as pool:
        yield pool


def told_by(campaign: Campaign) -> tuple[Ontology, dict[str, dict[str, bool]], dict[str, Any]]:
    """Return the ontology of a campaign, its known labels, and its options of learning and names."""
    with campaign.lock:
        state = campaign.state
        facts = {}
        for i in state.in_use().tolist():
            if known := state.known_of(item := state.ids[i]):
                facts[item] = known
        return (
            state.onto,
            facts,
            {"names": dict(campaign.names), "learner": campaign.settings.learner},
        )


@contextmanager
def trained(
    folder: Path,
    onto: Ontology,
    options: Mapping[str, Any],
    facts: dict[str, dict[str, bool]] | None = None,
) -> Iterator[Pool]:
    """Yield a pool with its fitted model, after showing how its columns are used."""
    from ...scale.pool import Pool

    given = {name: value for name, value in options.items() if value is not None}
    with told_warnings(), told_progress(f"looking at {folder}"):
        pool = Pool(folder, onto, facts=facts, **given)
    echo(f"{folder}: {count(len(pool), 'item')}; {pool.columns}")
    with pool, told_warnings():
        warnings.simplefilter("always")
        with told_progress("fitting a model to the known labels") as progress:
            pool.train(progress=progress)
        yield pool


def beside(target: Path) -> Path:
    """Where a command keeps what it has so far, until its file is written."""
    return target.with_name(f".{target.name}.parts")
