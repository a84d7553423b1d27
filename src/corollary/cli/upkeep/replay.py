"""`corollary replay`: build everything anew from the log of answers, and check it."""

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

    Everything in a campaign is computed from its log. The sum at the end identifies a campaign: the
    same log gives the same sum. The exit status is 1 if --verify finds a difference.

    The last model's beliefs are kept, and their hash is compared with the log. With --train, or if
    they are gone, the model is trained again. A model trained on another kind of machine is rounded
    differently. This is shown with its size, and counts as no difference.
    """  # noqa: D301 (click keeps the lines after a backslash)
    if train and not verify:
        raise click.UsageError("--train needs --verify: give both")
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
