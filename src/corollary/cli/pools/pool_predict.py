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

    FOLDER gets a Parquet file for each part of the pool. Its columns are id, labels (a legal
    labelling), the origin of each label (known, implied or predicted) and its probability, and
    risk: the model's probability that some label is wrong. Files of the same pool, ontology and
    facts are not written again. A folder with other files is an error.

    --forecast prints how many labellings are probably right if the model's probabilities are right.
    It does not compare them with answers.
    """  # noqa: D301 (click keeps the lines after a backslash)
    with pool_asked_for(folder, options) as pool:
        with told_progress("predicting") as progress:
            n = pool.predict(target, probabilities=probabilities, progress=progress)
        echo(f"{target}: {count(n, 'item')}")
        if forecast:
            with told_progress("forecasting") as progress:
                found = pool.forecast(progress=progress)
            echo(f"{found}; if the model's probabilities are right")
