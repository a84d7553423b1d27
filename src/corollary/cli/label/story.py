"""The logic at work on one word, in one screen: the text of `corollary demo --terminal`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

import corollary as co

from ..ontologies.explain import corollaries
from ..terminal import echo

if TYPE_CHECKING:
    from rich.console import RenderableType

    from corollary.logic.engines import Floats

WORLD = """\
animal > exclusive: bird, fish, mammal
place > exclusive: city, country, river
exclusive: animal, place
mammal > bat
bird > penguin
rule: flies >> bird | bat
rule: penguin >> ~flies"""

#: The beliefs of a made-up classifier, which ignores the rules, about two words.
BELIEFS = {
    "robin": {
        "animal": 0.55,
        "bird": 0.63,
        "fish": 0.20,
        "mammal": 0.45,
        "bat": 0.30,
        "penguin": 0.10,
        "flies": 0.60,
    }
    | {"place": 0.35, "city": 0.25, "country": 0.05, "river": 0.10},
    "turkey": {
        "animal": 0.50,
        "bird": 0.60,
        "fish": 0.10,
        "mammal": 0.10,
        "bat": 0.05,
        "penguin": 0.05,
        "flies": 0.30,
    }
    | {"place": 0.50, "city": 0.10, "country": 0.70, "river": 0.05},
}
BAR = 10


def tell_story() -> None:
    """See the logic at work, in one screen."""
    import numpy as np
    from rich.console import Console

    from corollary.logic.readable import readable_names
    from corollary.logic.wording import article

    heading("Corollary:", "ask one question; get its corollaries for free.")
    for number, line in enumerate(WORLD.splitlines(), 1):
        echo(f"  {click.style(str(number), dim=True)}  {line}")

    console = Console(highlight=False)
    ontology = co.Ontology.parse(WORLD)
    words = list(BELIEFS)
    beliefs = np.array([[BELIEFS[word][label] for label in ontology.labels] for word in words])
    facts = np.full(beliefs.shape, -1, np.int8)
    with console.status("compiling the logic (only the first time)"):
        before = ontology.posterior(beliefs)
        i, k = most_open(before)
        facts[i, k] = 1
        after = ontology.posterior(beliefs, facts)
    word = words[i]
    label = ontology.labels[k]

    heading(f"Which labels has “{word}”?", "A classifier guesses; logic makes the guesses agree.")
    console.print(probabilities(ontology.labels, beliefs[i], before[i], after[i]))

    heading(
        f"Is {word} {article(label)} {label}?",
        f"At {before[i, k]:.0%} the most open question there is. Yes!",
    )
    for line in corollaries(ontology, {label: True}, readable_names(ontology.labels)):
        echo(f"  {line}")

    i, k = most_open(after)
    chance = f"At {after[i, k]:.0%} no other answer would tell us more."
    following = ontology.labels[k]
    heading(
        f"Is {words[i]} {article(following)} {following}?", f"That is what to ask next. {chance}"
    )

    heading(f"Is {word} a mammal?", "“Yes”, says a colleague who has seen the film.")
    try:
        ontology.propagate({label: True, "mammal": True})
    except co.Contradiction as clash:
        echo(click.wrap_text(f"{click.style('⊥', fg='magenta')} {clash}", 78, "  ", "    "))


def heading(title: str, rest: str) -> None:
    """A line that opens a part of the story."""
    echo(f"\n{click.style(title, bold=True)} {rest}")


def most_open(posterior: Floats) -> tuple[int, int]:
    """The cell with the largest entropy: the one nearest to a half."""
    i, k = divmod(int(abs(posterior - 0.5).argmin()), posterior.shape[1])
    return i, k


def probabilities(labels: tuple[str, ...], *columns: Floats) -> RenderableType:
    """One row for each label, one bar for each column."""
    from rich.table import Table

    table = Table("", "classifier", "with logic", "after the answer", box=None, padding=(0, 2))
    for k, label in enumerate(labels):
        table.add_row(label, *(bar(float(column[k])) for column in columns))
    return table


def bar(probability: float) -> str:
    """`62% ██████`."""
    filled = round(probability * BAR)
    return f"{probability:4.0%} {'█' * filled}{'·' * (BAR - filled)}"
