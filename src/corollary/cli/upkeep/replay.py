"""`corollary replay`: everything built anew from the log of answers, and checked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

import click

from ...logic.errors import CorollaryError
from ..campaigns import figures, opened, place_argument
from ..progress import told_progress
from ..terminal import echo


@click.command("replay")
@place_argument
@click.option(
    "--verify", is_flag=True, help="Take the events one by one, and compare; the last model too."
)
@click.option(
    "--train", is_flag=True, help="With --verify: train that model again, however long it takes."
)
@click.option("--events", is_flag=True, help="Print the log, one event a line, as JSON.")
def command(place: str, *, verify: bool, train: bool, events: bool) -> None:
    """Build everything anew from the log of answers.

    \b
    corollary replay birds.sqlite
    corollary replay birds.sqlite --verify
    corollary replay birds.sqlite --verify --train
    corollary replay birds.sqlite --events > log.jsonl

    The log is the truth; what follows from it, scores and beliefs are worked out. The sum at the end tells two
    campaigns apart: same log, same sum. The exit status is 1 if --verify finds a difference. What the last model
    believes is kept, and compared with the log by its hash; with --train, or where it is gone, the model is trained
    again: that one trained on another kind of machine is rounded otherwise is told, with its size, and is none.
    """  # noqa: D301 (the backslash tells click to keep the lines)
    if train and not verify:
        raise click.UsageError("--train is about what is verified: give --verify too")
    with opened(place, readonly=True) as campaign:
        if events:
            for event in campaign.stored_events(0):
                echo(json.dumps(asdict(event), ensure_ascii=False, separators=(",", ":")))
            return
        if campaign.trouble is not None:
            raise CorollaryError(str(campaign.trouble))
        facts = campaign.state.facts
        echo(f"{campaign.name}: {campaign.state.seq:,} events; {figures(campaign.progress())}")
        echo(
            f"facts {hashlib.sha256(facts.tobytes()).hexdigest()[:16]} ({facts.shape[0]:,} x {facts.shape[1]:,})"
        )
        if verify:
            with told_progress("verifying", "events") as progress:
                found = campaign.verify(
                    step_by_step=True, train=train, tell=echo, progress=progress
                )
            for line in found:
                echo(f"differs: {line}", err=True)
            if found:
                click.get_current_context().exit(1)
            echo("verified: the log gives the same, event by event")
