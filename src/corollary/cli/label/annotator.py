"""The simulated annotator of the demo.

Answers from the truth, and shows consequences and accuracy.
"""

from __future__ import annotations

import time
from threading import Event
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from ...campaign.campaign import Campaign
from ...campaign.progress.outlook import forecast_now
from ...campaign.progress.predicted import predicted
from ...logic.errors import CorollaryError
from ..campaigns import how_far, saved_in_words
from ..reading import count

if TYPE_CHECKING:
    from ...campaign.live.next_question import HeldQuestion
    from ...campaign.live.replies import Reply
    from ...experiment.data.things import Things

NAME = "robot"
NAMED = 4  # corollaries that a line names
BAR = 16


class Annotator:
    """Someone who knows all answers, in a campaign on the things of the demo."""

    def __init__(self, campaign: Campaign, things: Things, console: Console | None = None):
        self._campaign = campaign
        self._things = things
        self._console = console or Console(highlight=False)
        self._row = {name: i for i, name in enumerate(things.names)}
        self._model = 0

    def run(self, *, pace: float, questions: int, stop: Event) -> None:
        """Answer until enough is asked, all is settled, or someone says stop."""
        if NAME not in [one["name"] for one in self._campaign.people()]:
            self._campaign.invite(NAME)
        if pace <= 0:
            self._await_model()
        self._tell_start()
        for n in range(1, questions + 1):
            asked = self._campaign.next(NAME)
            if stop.is_set() or not asked:
                break
            try:
                reply = self.answer(asked[0])
            except (
                CorollaryError
            ) as error:  # someone was faster, or what people said cannot be true
                self._console.print(f"  [magenta]{escape(str(error))}[/magenta]")
                continue
            self._tell(n, asked[0], reply)
            if pace <= 0:
                self._await_model()
            self._tell_model()
            if stop.wait(1 / pace if pace > 0 else 0):
                break
        counts = self._campaign.progress()
        put = count(counts["asked"], "question")
        saved = "".join(f"; {words}" for words in saved_in_words(counts))
        self._console.print(f"\n[bold]{put}: {how_far(counts)}[/bold]{saved}")
        self._tell_accuracy()

    def _tell_start(self) -> None:
        """Show how many things are probably right before the first question."""
        self._campaign.progress()  # takes up a model that is there
        with self._campaign.lock:
            state = self._campaign.state
            if not state.has_model or state.tally.asked:
                return
            found = predicted(state.onto, state.session.beliefs, state.facts)
            settled = state.tally.settled
        things = len(self._things.names)
        expected = (
            f"{found.items:.0%} of {things} things are expected to be all right before any answer"
        )
        self._console.print(
            f"From the texts, and {settled:,} labels that came with the items: {expected}",
            soft_wrap=True,
        )

    def answer(self, asking: HeldQuestion) -> Reply:
        """The true answer to a question."""
        i = self._row[asking.item.id]
        on = {
            label
            for label, value in zip(self._things.onto.labels, self._things.Y[i], strict=True)
            if value
        }
        value = (
            asking.label in on
            if asking.label is not None
            else [label for label in asking.options if label in on]
        )
        return self._campaign.answer(NAME, asking.item.id, asking.label, value, lease=asking.id)

    def _tell(self, n: int, asking: HeldQuestion, reply: Reply) -> None:
        implied = [one for one in reply.settled if one.label != asking.label]
        said = "[cyan]yes[/cyan]" if reply.event.value is True else "[yellow]no[/yellow] "
        yes_first = sorted(implied, key=lambda one: not one.value)
        called = self._campaign.names
        names = [
            called[one.label] if one.value else f"not {called[one.label]}" for one in yes_first
        ]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        follows = (
            f"  [green]∴[/green] [dim]{escape(', '.join(names[:NAMED]))}{more}[/dim]"
            if names
            else ""
        )
        self._console.print(
            f"[dim]{n:>4}[/dim]  {escape(asking.text)}  {said}{follows}", soft_wrap=True
        )

    def _tell_model(self) -> None:
        model = self._campaign.progress()["model"]
        if model != self._model:
            self._model = model
            self._tell_accuracy()

    def _tell_accuracy(self) -> None:
        """Show how many things have all labels right: in truth, and as the campaign estimates."""
        with self._campaign.lock:
            state = self._campaign.state
            guess = state.session.predict()
            estimate = forecast_now(state)
            settled = state.tally.settled / state.tally.cells
            truth = self._things.Y[[self._row[item] for item in state.ids]]
        right = float((guess == truth).all(axis=1).mean())
        low, high = estimate.accuracy_interval
        guessed = f"[dim]estimated {estimate.accuracy:.0%} ({low:.0%} to {high:.0%})[/dim]"
        bars = f"settled {bar(settled)}  things all right {bar(right)}  {guessed}"
        self._console.print(f"      [bold]model {self._model}[/bold]  {bars}", soft_wrap=True)

    def _await_model(self) -> None:
        """Wait for a running training.

        Otherwise everything would be asked before there is a model.
        """
        while self._campaign.progress()["training"]["training"]:
            time.sleep(0.05)


def bar(share: float) -> str:
    """`██████····  62.0%`."""
    filled = round(share * BAR)
    return f"[green]{'█' * filled}[/green][dim]{'·' * (BAR - filled)}[/dim] {share:.1%}"
