"""`corollary pool predict`: the most probable labels of every item of a pool, as a folder of Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .pool_options import computing_options, ontology_options, pool_argument, pool_asked_for


@click.command("predict")
@pool_argument
@click.argument("target", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--probabilities",
    is_flag=True,
    help="The probability of every label too, in the order of the ontology.",
)
@click.option(
    "--forecast",
    is_flag=True,
    help="Tell how many are probably right; takes some ten times as long.",
)
@ontology_options
@computing_options
def predict(
    folder: Path, target: Path, *, probabilities: bool, forecast: bool, **options: Any
) -> None:
    """Write the most probable labels of every item of a pool.

    \b
    corollary pool predict items/ predicted/ --campaign birds.sqlite
    corollary pool predict items/ predicted/ --ontology birds.onto --probabilities

    FOLDER gets a Parquet file for each part of the pool, with the columns id, labels (a legal labelling), of each label
    its origin (known, implied or predicted) and probability, and risk: how probable it is that these are not all right,
    if the model is to be believed. Files that are there already, of the
    same pool, ontology and facts, are not written again; of others the folder is refused.

    With --forecast it tells how many labellings are probably right, if the model is to be believed: no answers are held
    against what it predicted.
    """  # noqa: D301 (the backslash tells click to keep the lines)
    with pool_asked_for(folder, options) as pool:
        with told_progress("predicting") as progress:
            n = pool.predict(target, probabilities=probabilities, progress=progress)
        echo(f"{target}: {count(n, 'item')}")
        if forecast:
            with told_progress("forecasting") as progress:
                told = pool.forecast(progress=progress)
            echo(f"{told}; if the model is to be believed")
