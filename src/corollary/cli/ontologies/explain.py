"""`corollary explain`: why a label is yes or no, or everything that follows from some answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

import corollary as co

from ..reading import ONTOLOGY_FILE, count, names_of, read_with_words, reading_options
from ..terminal import echo

VALUES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
#: More open labels than this are counted, not named.
NAMED_UP_TO = 12


def answer(text: str) -> tuple[str, bool]:
    """`bird=yes` as a fact; the label may contain an equals sign, the value cannot."""
    label, equals, word = text.rpartition("=")
    if not equals or word.strip().lower() not in VALUES:
        raise click.BadParameter(
            f"{text!r} is not an answer; write one like bird=yes or 'red fish=no'"
        )
    return label.strip(), VALUES[word.strip().lower()]


@click.command("explain")
@click.argument("file", type=ONTOLOGY_FILE)
@click.option(
    "--given",
    "answers",
    type=answer,
    metavar="LABEL=yes|no",
    multiple=True,
    help="An answer; repeatable.",
)
@click.option("--label", help="The label to explain; by default all labels that follow.")
@reading_options()
def command(
    file: Path, *, answers: tuple[tuple[str, bool], ...], label: str | None, **reading: Any
) -> None:
    """Explain why a label is yes or no.

    Without --label, every label that follows from the answers is explained. A label may be typed as
    its name, a synonym or a code.

    \b
    corollary explain zoo.onto --given bird=yes
    corollary explain zoo.onto --given bird=yes --given "red fish=no" --label animal

    The exit status is 1 if the answers contradict one another or the ontology.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from corollary.logic.wording import clash_in_words

    ontology, about = read_with_words(file, **reading)
    facts = as_facts(tuple((ontology.find(text), value) for text, value in answers))
    label = None if label is None else ontology.find(label)
    names = names_of(ontology, about)
    try:
        if label is None:
            for line in corollaries(ontology, facts, names):
                echo(line)
        elif label in ontology and label not in ontology.propagate(facts):
            echo(f"{names[label]} is open: with these answers it can still be yes or no")
        else:
            echo(ontology.explain(facts, label).text(names))
    except co.Contradiction as clash:
        words = clash_in_words(clash.answers, clash.constraints, names) if clash.answers else clash
        echo(f"{click.style('⊥', fg='magenta')} {words}")
        click.get_current_context().exit(1)


def as_facts(answers: tuple[tuple[str, bool], ...]) -> dict[str, bool]:
    """The answers as facts; yes and no to one label is a slip, not a contradiction to explain."""
    facts = dict(answers)
    for label, value in answers:
        if facts[label] != value:
            raise click.BadParameter(
                f"{label!r} is given both as yes and as no; keep one", param_hint="--given"
            )
    return facts


def corollaries(
    ontology: co.Ontology, facts: dict[str, bool], names: Mapping[str, str]
) -> Iterator[str]:
    """A line for each implied fact, then the count and what stays open."""
    known = ontology.propagate(facts)
    implied = {label: value for label, value in known.items() if label not in facts}
    width = max((len(names[label]) for label in implied), default=0)
    for label, value in implied.items():
        word = click.style("yes", fg="cyan") if value else click.style("no ", fg="yellow")
        why = reason(ontology.explain(facts, label), names)
        yield f"{click.style('∴', fg='green')} {names[label]:<{width}}  {word}  {why}"
    open_labels = [names[label] for label in ontology.labels if label not in known]
    rest = f": {', '.join(open_labels)}" if 0 < len(open_labels) <= NAMED_UP_TO else ""
    settled = f"{count(len(facts), 'answer')}, {count(len(implied), 'corollary', 'corollaries')}"
    yield f"{settled}, {count(len(open_labels), 'label')} open{rest}"


def reason(explanation: co.Explanation, names: Mapping[str, str] | None = None) -> str:
    """Why, on one line: the last step, whose premises have lines of their own; else all constraints together."""
    from corollary.logic.wording import fact_in_words, in_words

    if explanation.supposed or not explanation.steps:
        return "; ".join(in_words(one, names=names) for one in explanation.constraints)
    last = explanation.steps[-1]
    premises = " and ".join(fact_in_words(*fact, names) for fact in last.because)
    rule = in_words(last.constraint, about={last.fact[0], *dict(last.because)}, names=names)
    return f"{premises}, and {rule}" if premises else rule
