"""`corollary pool`: items in Parquet, more than fit in memory; computed part by part on Dask."""

from __future__ import annotations

import click

from .pool_choose import choose
from .pool_predict import predict
from .pool_refill import refill
from .pool_score import score


@click.group("pool")
def command() -> None:
    """Score, predict and label a folder of Parquet of any size.

    It is computed part by part, by two or more processes on this machine, or on a Dask cluster at an address
    (--cluster). A process that dies changes nothing in the result; a command that was stopped goes on where it was when
    it is called again.
    """


for one in (score, predict, choose, refill):
    command.add_command(one)
