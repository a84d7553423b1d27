"""`corollary ask`: label in the terminal, one key an answer, with the keys of the page."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError
from ..campaigns import figures, opened, person, place_argument, who_option
from ..ontologies.explain import reason
from ..progress import told_progress
from ..terminal import echo
from .pick import picked, show_options
from .suggestion import suggested
from .undo import in_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...campaign.campaign import Campaign
    from ...campaign.live.next_question import HeldQuestion
    from ...campaign.live.replies import Reply
    from ...learning.question import Settled

BUSY = "Label on its page, or send answers to its API (POST /api/questions, POST /api/answers), or stop it first"
YES = "yes"
NO = "no"
CANT_TELL = "can't tell"
SKIP = "skip"
UNDO = "undo"
HELP = "help"
QUIT = "quit"
KEYS = {
    **dict.fromkeys("yYaA", YES),
    **dict.fromkeys("nNxX", NO),
    " ": CANT_TELL,
    **dict.fromkeys("sS", SKIP),
    **dict.fromkeys(("u", "U", "\x7f", "\b"), UNDO),
    **dict.fromkeys("?hH", HELP),
    **dict.fromkeys(("q", "Q", "", "\x03", "\x04", "\x1b"), QUIT),
}
VALUES: dict[str, Any] = {YES: True, NO: False, CANT_TELL: "cant_tell", SKIP: "skip"}
HELP_TEXT = """\
  y or a      yes                    u or backspace   undo the last answer
  n or x      no                     ?                this help
  space       can't tell             q                quit; all answers are saved
  s           skip, ask me later"""
SHOWN = 3  # labels settled as yes that are shown with their reasons, and one that is no
NAMED = 3  # consequences that are named: people read the question, not a list


@click.command("ask")
@place_argument
@who_option
@click.option("--n", "most", type=click.IntRange(min=1), help="Stop after this number of answers.")
def command(place: str, *, who: str | None, most: int | None) -> None:
    """Label in the terminal, one key for an answer.

    \b
    corollary ask birds.sqlite
    corollary ask birds.sqlite --as ann --n 50

    \b
    y or a      yes                    u or backspace   undo the last answer
    n or x      no                     ?                help
    space       can't tell             q                quit; all answers are saved
    s           skip, ask me later

    If one of many labels is true, you are asked which. Press 1 to 9 for one of the likeliest, / and
    a few letters for any other, n for none.

    Keys can come from a pipe too: printf yny | corollary ask birds.sqlite. In a terminal, keys
    pressed before a question is shown do not count.
    """  # noqa: D301 (click keeps the lines after a backslash)
    with opened(place, busy=BUSY) as campaign:
        me = person(campaign, who)
        await_first_model(campaign)
        echo(f"{campaign.name}: {figures(campaign.progress())}\n{HELP_TEXT}")
        given = label(campaign, me, most=most)
        echo(f"\n{given:,} answered; {figures(campaign.progress())}")


def await_first_model(campaign: Campaign) -> None:
    """Wait for the first model if texts are read, because the first questions come from it."""
    if (
        not sys.stdin.isatty()
        or campaign.progress()["model"]
        or campaign.settings.reads_with is None
    ):
        return
    with told_progress("reading the texts, to choose the first questions"):
        while campaign.progress()["training"]["training"]:
            time.sleep(0.1)


def label(campaign: Campaign, me: str, *, most: int | None = None) -> int:
    """Ask until no question is left, someone quits, or `most` answers were given.

    Return their number.
    """
    given = 0
    while most is None or given < most:
        asked = campaign.next(me)
        if not asked:
            echo(f"\n{nothing_left(campaign.situation(me))}")
            break
        try:
            done = ask_one(campaign, me, asked[0])
        except BaseException:
            campaign.release(me, [asked[0].id])
            raise
        if done is None:
            campaign.release(me, [asked[0].id])
            break
        given += done
    return given


def ask_one(campaign: Campaign, me: str, asking: HeldQuestion) -> int | None:
    """Ask one question until it is answered.

    Return 1, -1 if the last answer was undone, None to quit.
    """
    started = time.monotonic()
    show(asking, campaign.names)
    while True:
        pressed = key()
        wish = KEYS.get(pressed)
        pick = None
        if asking.one and wish not in (QUIT, HELP, UNDO, CANT_TELL, SKIP):
            wish = None
            pick = picked(
                ends_of(asking), asking.none, campaign.names, pressed, campaign.settings.labels
            )
        if wish == QUIT:
            return None
        if wish == HELP:
            echo(HELP_TEXT)
        elif wish == UNDO:
            if undo(campaign, me):
                return -1
        elif wish is not None or pick is not None:
            value = VALUES.get(wish or YES) if pick is None else pick
            if pick is None and asking.label is None and wish in (YES, NO):
                value = chosen(asking)
            seconds = round(time.monotonic() - started, 1)
            reply = campaign.answer(
                me, asking.item.id, asking.label, value, seconds=seconds, lease=asking.id
            )
            tell(
                reply,
                wish or in_words([campaign.names[label] for label in pick or ()]),
                campaign.names,
            )
            if reply.conflict is not None:
                settle(campaign, me, reply)
            return 1


def key() -> str:
    """Read one key from a terminal or a pipe; the end of input counts as quitting.

    Keys typed before the question is shown are dropped, and of several at once only the first
    counts. So nobody answers an unread question.
    """
    try:
        pressed = click.getchar() if sys.stdin.isatty() else sys.stdin.read(1)
    except (EOFError, KeyboardInterrupt):
        return ""
    return (
        pressed if pressed.startswith("\x1b") else pressed[:1]
    )  # an arrow key is several characters, and ignored


def show(asking: HeldQuestion, names: Mapping[str, str]) -> None:
    """Show the question, its item, and the labels that each answer would settle."""
    item = asking.item
    echo(f"\n{click.style(asking.text, bold=True)}")
    if item.text and item.text not in asking.text:
        echo(f"  {item.text}")
    for name, value in item.fields.items():
        if name != "vector":
            echo(f"  {click.style(name, dim=True)}  {value}")
    if item.image is not None:
        echo(
            click.style(
                f"  a picture, {item.image.name}: it can be seen on the page only", dim=True
            )
        )
    if asking.definition:
        echo(click.style(f"  {asking.name}: {asking.definition}", dim=True))
    if asking.one:
        show_options(ends_of(asking), asking.none, names)
    elif asking.label is None:
        options = ", ".join(f"{n} {names[label]}" for n, label in enumerate(asking.options, 1))
        echo(f"  {options}\n  y, then the numbers")
    else:
        settles = (("yes", asking.if_yes), ("no", asking.if_no))
        effects = [
            f"{word} would settle {consequences(more, names)}" for word, more in settles if more
        ]
        if effects:
            echo(click.style(f"  {'; '.join(effects)}", dim=True))
    if asking.suggestion is not None:
        echo(click.style(f"  {suggested(asking.suggestion, names)}", dim=True))


def ends_of(asking: HeldQuestion) -> list[str]:
    """The labels that can be picked, the likeliest first."""
    return [label for label in asking.options if label in asking.ends]


def consequences(settles: Mapping[str, bool], names: Mapping[str, str]) -> str:
    """Return `12 more (animal, not fish, not place, ...)`, true labels first."""
    inner = listed(sorted(settles.items(), key=lambda one: not one[1]), names)
    return f"{len(settles):,} more ({inner})"


def listed(settled: Sequence[tuple[str, bool]], names: Mapping[str, str]) -> str:
    """`animal, not fish, not place, ...`."""
    words = [names[label] if value else f"not {names[label]}" for label, value in settled[:NAMED]]
    return ", ".join([*words, "..."] if len(settled) > NAMED else words)


def chosen(asking: HeldQuestion) -> list[str]:
    """The labels that someone names by their numbers."""
    while True:
        text = click.prompt(
            "  the numbers of those that are true, nothing for none", default="", show_default=False
        )
        try:
            numbers = [int(one) for one in text.replace(",", " ").split()]
            if all(1 <= one <= len(asking.options) for one in numbers):
                return [asking.options[one - 1] for one in numbers]
        except ValueError:
            pass
        echo(f"  numbers from 1 to {len(asking.options)}, please, with spaces between them")


def tell(reply: Reply, wish: str, names: Mapping[str, str]) -> None:
    """Show the labels that an answer settled, and why."""
    color = {YES: "cyan", NO: "yellow"}.get(wish)
    echo(f"  {click.style(wish, fg=color, bold=True)}")
    if reply.second_opinion:
        echo("  this was known already: yours is a second opinion")
    for line in corollaries(reply.settled, names, answered=reply.event.label):
        echo(f"  {line}")
    echo(click.style(f"  {figures(reply.counts)}", dim=True))


def corollaries(
    settled: Sequence[Settled], names: Mapping[str, str], *, answered: str | None
) -> list[str]:
    """What an answer settled besides its own label: a few of them with their reasons, the rest in one line."""
    yes, no = (
        [one for one in settled if one.label != answered and one.value is value]
        for value in (True, False)
    )
    first = [*yes[:SHOWN], *no[:1]]  # true labels are more informative
    lines = []
    for one in first:
        word = click.style("yes", fg="cyan") if one.value else click.style("no ", fg="yellow")
        why = click.style(reason(one.why, names), dim=True)
        lines.append(f"{click.style('∴', fg='green')} {names[one.label]} {word}  {why}")
    if rest := [*yes[SHOWN:], *no[1:]]:
        inner = listed([(one.label, one.value) for one in rest], names)
        lines.append(f"{click.style('∴', fg='green')} and {len(rest):,} more: {inner}")
    return lines


def settle(campaign: Campaign, me: str, reply: Reply) -> None:
    """Show a contradiction and let its author choose: take the answer back, or leave it to the lead."""
    from ...campaign.state.standing import conflict_in_words, opinion_in_words

    assert reply.conflict is not None
    names = campaign.names
    echo(f"  {click.style('⊥', fg='magenta')} {conflict_in_words(reply.conflict, names)}")
    for opinion in reply.conflict.opinions:
        echo(f"    {opinion.who} said: {opinion_in_words(opinion, names)}")
    echo("  u: take my answer back    any other key: keep it, and let the lead decide")
    if KEYS.get(key()) == UNDO:
        undo(campaign, me, seq=reply.seq)
    else:
        campaign.doubt(me, reply.seq)
        echo("  kept; the lead decides")


def undo(campaign: Campaign, me: str, *, seq: int | None = None) -> bool:
    """Take back an answer and show the labels that are open again; False if there is no answer."""
    try:
        undone = campaign.undo(me, seq)
    except CorollaryError as error:
        echo(f"  {error}")
        return False
    said = undone.undone
    what = (
        said.item
        if said.label is None
        else f"{said.item}, {campaign.names.get(said.label, said.label)}"
    )
    opened = "" if said.label is None else f"; {len(undone.opened)} labels open again"
    echo(f"  undone: {what}: {in_words(said.value)}{opened}")
    return True


def nothing_left(situation: dict[str, Any]) -> str:
    """Why there is no question."""
    match situation["state"]:
        case "finished":
            return "All labels are settled. Well done!"
        case "paused":
            return "You are paused; the lead can let you go on."
        case "empty":
            return "There are no items yet; bring some: corollary import"
    return (
        f"Nothing to ask for now: {situation['with_others']} questions are with others, {situation['held']} items wait "
        "for the lead to settle a conflict"
    )
