"""What the commands on witnesses share: what was taken, and how far each is trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError
from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .status import rows_of, show

if TYPE_CHECKING:
    from ...campaign.campaign import Campaign
    from ...campaign.live.reporting import Witness

BUSY = "Send reports to its API (POST /api/reports), or stop it first"
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
train_option = click.option(
    "--train", is_flag=True, help="Train the model that weighs it now, and tell what came out."
)


def tell_event(event: Any) -> None:
    """What was taken."""
    echo(
        f"{event.who}: {count(event.value, 'cell')} of {count(event.detail['items'], 'item')} (event {event.seq})"
    )


def tell_textless(n: int) -> None:
    """Say that some items were left out."""
    if n:
        echo(f"note: {count(n, 'item')} without a text left out")


def finish(campaign: Campaign, *, train: bool) -> None:
    """Train, if that is wanted, and tell how far witnesses are trusted then."""
    if not train:
        echo("the next model weighs it; it is trained when the campaign is served")
        return
    with told_progress("training a model that weighs it"):
        status = campaign.retrain(wait=True)
    if status["error"]:
        raise CorollaryError(f"the training failed: {status['error']}")
    tell_witnesses(campaign.witnesses())


def tell_witnesses(found: list[Witness]) -> None:
    """A table, or that there are none."""
    rows = rows_of(found)
    if rows:
        show(rows)
    else:
        echo("there are no reports of machines")
