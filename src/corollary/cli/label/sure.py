"""`corollary sure`: what the model is sure of, audited and accepted all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError
from ..campaigns import figures, opened, person, place_argument, who_option
from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .ask import CANT_TELL, HELP, HELP_TEXT, KEYS, QUIT, SKIP, UNDO, VALUES, key, undo
from .pick import SHOWN, picked, show_options
from .undo import in_words as labels_in_words

if TYPE_CHECKING:
    from ...campaign.campaign import Campaign
    from ...campaign.live.sure.audits import Audit

BUSY = "Use its page (Progress, Accept sure predictions) or its API (/api/sure), or stop it first"


@click.command("sure")
@place_argument
@click.option(
    "--at-least",
    default=0.99,
    show_default=True,
    metavar="P",
    help="How probable each prediction must be.",
)
@click.option(
    "--most-wrong", type=float, metavar="SHARE", help="The share that may be wrong. [1 - P]"
)
@click.option(
    "--audit",
    "wanted",
    is_flag=True,
    help="Sample questions at random and ask them, or go on asking.",
)
@click.option(
    "--n", type=click.IntRange(min=1), help="With --audit: how many to draw. [as few as can do]"
)
@click.option("--accept", is_flag=True, help="Accept what the last audit confirmed.")
@click.option("--undo", "group", metavar="GROUP", help="Take back all that was accepted together.")
@who_option
def command(
    place: str, *, at_least: float, most_wrong: float | None, wanted: bool, n: int | None, accept: bool,
    group: str | None, who: str | None,
) -> None:  # fmt: skip
    """Accept the model's sure predictions, after an audit of them.

    \b
    corollary sure birds.sqlite
    corollary sure birds.sqlite --at-least 0.99 --audit
    corollary sure birds.sqlite --accept
    corollary sure birds.sqlite --undo GROUP

    Without --audit and --accept it reports the number of sure predictions, and the answers that an
    audit takes. If one label holds for each item, items are counted and sampled, and you pick the
    label of each. Otherwise it is cells: one label of one item.

    You answer with the keys of `corollary ask`, and do not see the predictions. An audit passes if
    the share of wrong ones is at most the share allowed, at 95 %. Exports mark accepted labels, and
    --undo takes them back.
    """  # noqa: D301 (click keeps the lines after a backslash)
    if wanted + accept + (group is not None) > 1:
        raise CorollaryError("one thing at a time: --audit, --accept or --undo")
    with opened(place, busy=BUSY) as campaign:
        me = person(campaign, who)
        if group is not None:
            with told_progress("taking it back") as far:
                undone = campaign.undo_all(me, group, progress=far)
            echo(f"{count(undone.opened, 'cell')} open again: {figures(undone.counts)}")
        elif accept:
            under_way = campaign.accepting(me)
            with told_progress("accepting sure predictions") as far:
                done = campaign.accept(
                    me, key=None if under_way is None else under_way.group, progress=far
                )
            echo(f"{count(done.settled, 'cell')} of {count(len(done.events), 'item')} accepted")
            echo(
                f"to take it back: corollary sure {place} --undo {done.group}\n{figures(done.counts)}"
            )
        elif wanted:
            audit(campaign, me, at_least, n, most_wrong)
        else:
            tell(campaign, me, at_least, most_wrong)


def tell(campaign: Campaign, me: str, at_least: float, most_wrong: float | None) -> None:
    """Show the number of sure predictions, the answers for an audit, and the last audit."""
    found = campaign.sure(me, at_least, most_wrong=most_wrong)
    if found.unit == "items":
        echo(
            f"{count(found.items, 'item')} predicted, all labels together, with at least {at_least:g}"
        )
    else:
        echo(
            f"{count(found.cells, 'open cell')} of {count(found.items, 'item')} predicted with at least {at_least:g}"
        )
    if found.left_out:
        echo(
            f"{count(found.left_out, 'item')} left out: unsure labels would follow from accepting them"
        )
    answers = count(found.needed, "answer")
    echo(
        f"an audit takes {answers}, all as predicted, to show that at most {found.most_wrong:.2%} of the "
        f"{found.unit} are wrong"
    )
    if found.audit is not None:
        echo(in_words(found.audit))
    if (one := found.under_way) is not None:
        echo(
            f"accepting is not finished, {one.done:,} of {one.done + one.left:,} items: continue with --accept"
        )


def audit(
    campaign: Campaign, me: str, at_least: float, n: int | None, most_wrong: float | None
) -> None:
    """Draw an audit, or go on with the one that is open, and ask until it is finished or someone quits."""
    if campaign.progress()["training"]["training"]:
        with told_progress("training a model on all known labels"):
            campaign.retrain(wait=True)
    found = campaign.sure(me, at_least, most_wrong=most_wrong)
    last = found.audit
    same = last is not None and (last.at_least, last.most_wrong) == (
        found.at_least,
        found.most_wrong,
    )
    if last is None or not same or last.state != "open":
        last = campaign.audit(me, at_least, n, most_wrong=most_wrong)
    echo(f"{in_words(last)}\n{HELP_TEXT}")
    skipped: set[tuple[str, str | None]] = set()
    while last is not None and last.state == "open":
        asked = next((one for one in last.to_answer if one not in skipped), None)
        if asked is None or not ask(campaign, me, asked, skipped):
            break
        last = campaign.last_audit(me)
    if last is not None:
        echo(f"\n{in_words(last)}")


def ask(
    campaign: Campaign, me: str, asked: tuple[str, str | None], skipped: set[tuple[str, str | None]]
) -> bool:  # fmt: skip
    """Ask one question, for a whole item a pick; False if someone quits."""
    from ...campaign.live.next_question import sentence, whole_sentence

    item = campaign.item(asked[0]).item
    label = asked[1]
    settings = campaign.settings
    names = campaign.names
    text = (
        whole_sentence(item, settings) if label is None else sentence(item, label, settings, names)
    )
    echo(f"\n{click.style(text, bold=True)}")
    if item.text and item.text not in text:
        echo(f"  {item.text}")
    ends, none = options(campaign, me, item.id) if label is None else ([], False)
    if label is None:
        show_options(ends, none, names)
    while True:
        pressed = key()
        wish = KEYS.get(pressed)
        pick = None
        if label is None and wish not in (QUIT, HELP, UNDO, CANT_TELL, SKIP):
            wish = None
            pick = picked(ends, none, names, pressed, settings.labels)
        if wish == QUIT:
            return False
        if wish == HELP:
            echo(HELP_TEXT)
        elif wish == UNDO:
            if undo(campaign, me):
                return True
        elif wish == SKIP:
            skipped.add(asked)
            return True
        elif wish is not None or pick is not None:
            value: Any = VALUES[wish] if wish is not None else pick
            campaign.answer(me, item.id, label, value)
            echo(f"  {wish or labels_in_words([names[one] for one in pick or ()])}")
            return True


def options(campaign: Campaign, me: str, item: str) -> tuple[list[str], bool]:
    """Return the labels that can be picked, and whether none may hold.

    The likeliest nine come first, in the ontology's order, so that it does not show the prediction.
    """
    found = campaign.options(item, who=me, limit=10**6).options
    ends = found.narrowest()
    index = campaign.state.onto.index
    return [*sorted(ends[:SHOWN], key=index.__getitem__), *ends[SHOWN:]], found.none


def in_words(audit: Audit) -> str:
    """Describe the state of an audit."""
    drawn = (
        f"audit {audit.seq}, {len(audit.drawn):,} of {audit.sure:,} {audit.unit} "
        f"at {audit.at_least:g}: {audit.state}"
    )
    counts = [f"{audit.right:,} right", f"{audit.wrong:,} wrong"]
    counts += [f"{len(audit.to_answer):,} to answer"] if audit.to_answer else []
    if audit.at_most is not None:
        counts.append(
            f"at most {audit.at_most:.2%} of all are wrong, at 95 %, and {audit.most_wrong:.2%} are allowed"
        )
    return f"{drawn}; {', '.join(counts)}"
