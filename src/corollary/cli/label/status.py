"""`corollary status`: how far a campaign is."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..campaigns import how_far, opened, place_argument, saved_in_words
from ..reading import count
from ..terminal import echo, harmless

if TYPE_CHECKING:
    from rich.table import Table

    from ...campaign.campaign import Campaign
    from ...campaign.live.reporting import Witness
    from ...campaign.state.state import State
    from ...learning.session.hearing import Trust

#: Of a table that is not printed on a terminal: every row on one line.
WIDTH = 200


@click.command("status")
@place_argument
@click.option("--labels", is_flag=True, help="A line for each label.")
@click.option("--people", is_flag=True, help="A line for each person.")
@click.option(
    "--forecast",
    is_flag=True,
    help="How many more questions; takes a while where there are many items.",
)
@click.option("--json", "as_json", is_flag=True, help="All of it as JSON, for programs.")
def command(place: str, *, labels: bool, people: bool, forecast: bool, as_json: bool) -> None:
    """Show the progress of a campaign, also while a server runs.

    \b
    corollary status birds.sqlite
    corollary status birds.sqlite --labels --people
    corollary status birds.sqlite --forecast
    corollary status birds.sqlite --json
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...campaign.progress.expected import drawn_in_figures
    from ...campaign.progress.suggested import suggestions_of
    from ...campaign.state.measured_costs import AnswerTimes

    with opened(place, readonly=True) as campaign:
        figures = campaign.progress()
        with campaign.lock:
            figures["suggestions"] = suggestions_of(campaign.state)
            figures["drawn"] = drawn_in_figures(campaign.state)
            figures["answer_times"] = AnswerTimes().follow(campaign.state.events).figures()
            figures["right"] = predicted_right(campaign.state)
        by_label = campaign.labels()
        by_person = campaign.people()
        witnesses = campaign.witnesses()
        if (found := campaign.weighed()) is not None:
            figures["weighed"] = {"known": found.known, "wrong": round(found.wrong, 1)}
            for one in by_person:
                one |= trust_of(found.people.get(one["name"]))
        if forecast:
            figures["forecast"] = forecast_of(campaign)
        name = campaign.name
        about = campaign.about
    if as_json:
        figures |= {
            "witnesses": [asdict(one) for one in witnesses],
            "by_label": by_label,
            "by_person": by_person,
        }
        echo(json.dumps({"name": name, **figures}, default=str))
        return
    echo(click.style(name, bold=True) + (f": {about}" if about else ""))
    for line in in_lines(figures):
        echo(f"  {line}")
    if witnesses:
        show(rows_of(witnesses))
    if labels:
        show(by_label)
    if people:
        hidden = ("paused", "last", "gold_right", "gold_wrong")
        show([{key: value for key, value in one.items() if key not in hidden} for one in by_person])


def rows_of(witnesses: list[Witness]) -> list[dict[str, Any]]:
    """Witnesses as rows of a table; shares with their 90 % intervals.

    A vote says which label of an exclusive group holds; a witness that gives none has no share of right ones.
    """
    figures = {"sensitivity": "right where yes", "specificity": "right where no"}
    if any((one.trust or {}).get("votes") for one in witnesses):
        figures = {"right": "vote right", **figures}
    rows = []
    for one in witnesses:
        trust = one.trust or {}
        shares = {
            what: _share(trust.get(name), trust.get(f"{name}_interval"))
            for name, what in figures.items()
        }
        wrong = f"{trust['wrong'] / trust['answers']:.0%}" if trust.get("answers") else ""
        rows.append(
            {"witness": one.name, "cells": one.cells, "items": one.items, **shares, "wrong": wrong}
            | {"by": one.by, "last": one.at[:16].replace("T", " ")}
        )
    return rows


def _share(value: float | None, interval: list[float] | None) -> str:
    return (
        ""
        if value is None or interval is None
        else f"{value:.0%} ({interval[0]:.0%} to {interval[1]:.0%})"
    )


def in_lines(figures: dict[str, Any]) -> list[str]:
    """The figures in words."""
    said = [f"{figures['answered']:,} answered", f"{figures['implied']:,} implied"]
    said += [
        f"{figures[kind]:,} {kind}" for kind in ("imported", "decided", "accepted") if figures[kind]
    ]
    lines = [
        f"{count(figures['items'], 'item')}, {count(figures['labels'], 'label')}, "
        f"{count(figures['people'], 'person', 'people')}",
        how_far(figures)
        + (f"; {right_in_words(figures['right'])}" if figures.get("right") is not None else ""),
        ", ".join([f"{count(figures['asked'], 'question')} asked", *saved_in_words(figures)]),
        f"{figures['settled']:,} of {figures['cells']:,} labels of items settled: {', '.join(said)}"
        if figures["one"]
        else f"{', '.join(said)}; {count(figures['done'], 'item')} done",
        model_in_words(figures["model"], figures["training"]),
    ]
    if figures["withdrawn"]:
        lines.append(f"{count(figures['withdrawn'], 'item')} withdrawn, not counted")
    if (forecast := figures.get("forecast")) is not None:
        lines += forecast_in_words(forecast)
    training = figures["training"]
    if training["error"]:
        lines.append(f"the last training failed: {training['error']}")
    lines += [f"to know: {note}" for note in training["notes"]]
    if (found := figures.get("suggestions")) is not None:
        lines.append(suggestions_in_words(found))
    if (drawn := figures.get("drawn")) is not None and figures["model"]:
        lines.append(drawn_in_words(drawn))
    if (times := times_in_words(figures.get("answer_times", {}))) is not None:
        lines.append(times)
    if (weighed := figures.get("weighed")) is not None:
        lines.append(
            f"of {count(weighed['known'], 'known label')} about {weighed['wrong']:,.1f} are probably wrong"
        )
    if figures["conflicts"] or figures["marked"]:
        lines.append(
            f"for the lead: {count(figures['conflicts'], 'conflict')}, {figures['marked']:,} flagged"
        )
    return lines


def predicted_right(state: State) -> float | None:
    """The share of items whose most probable labelling the model expects to be right; None before the first model."""
    from ...campaign.progress.predicted import predicted

    rows = state.in_use()
    if not state.has_model or not len(rows):
        return None
    return predicted(state.onto, state.session.beliefs[rows], state.facts[rows]).items


def right_in_words(share: float) -> str:
    """Say how many items are probably right if predictions count as labels."""
    return (
        f"with predictions for open labels, the model expects {share:.0%} of the items to be right"
    )


def forecast_of(campaign: Campaign) -> dict[str, Any]:
    """The questions still to come, to the target and to the end, as the page shows them."""
    from ...campaign.progress.progress import Figures

    figures = Figures(campaign)
    figures.get()
    figures.wait()
    found: dict[str, Any] = figures.get()["forecast"]
    return found


def forecast_in_words(found: dict[str, Any]) -> list[str]:
    """The forecast, or why there is none."""
    if found["state"] == "early":
        missing = [
            f"{count(found['more'], 'more answer')}" if one == "answers" else "a model"
            for one in found["missing"]
        ]
        return [f"forecast: not yet, it needs {' and '.join(missing)}"]
    if found["state"] != "ready":
        return [f"forecast: {found.get('error', found['state'])}"]
    to_end = (
        f"{found['questions']:,} more questions to the end ({found['low']:,} to {found['high']:,})"
    )
    if "target" not in found:
        return [f"forecast: {to_end}"]
    few, many = found["to_target_interval"]
    to_target = f"{found['to_target']:,} more questions to {found['target']:.1%} of items right ({few:,} to {many:,})"
    return [f"forecast: {'the target is reached' if found['reached'] else to_target}; {to_end}"]


def trust_of(trust: Trust | None) -> dict[str, Any]:
    """How far someone can be trusted, for the table of people."""
    if trust is None:
        return {"right_if_yes": None, "right_if_no": None, "probably_wrong": None}
    shares = {"right_if_yes": f"{trust.sensitivity:.0%}", "right_if_no": f"{trust.specificity:.0%}"}
    return shares | {"probably_wrong": round(trust.wrong, 1)}


def suggestions_in_words(found: dict[str, Any]) -> str:
    """How often people say what the model predicts, where it was suggested to them and where it was not."""
    parts = [
        f"{one['share']:.0%} of {count(one['answers'], 'answer')} {how}"
        for one, how in ((found["shown"], "with a suggestion"), (found["not_shown"], "without"))
        if one["answers"]
    ]
    return f"as the model predicted: {', '.join(parts)}"


def drawn_in_words(drawn: dict[str, Any]) -> str:
    """Say how random questions were answered, or that there are none."""
    if drawn["answers"]:
        answers = count(drawn["answers"], "answer")
        words = (
            f"random questions: {answers}, {drawn['not_as_predicted']:,} not as the model predicted"
        )
        return "\n".join(filter(None, [words, drawn["worse"]]))
    why = (
        "no random question was asked yet"
        if drawn["share"]
        else "no random question is asked (the setting by_chance is 0)"
    )
    return f"{why}: no target counts as reached"


def times_in_words(times: dict[str, dict[str, Any]]) -> str | None:
    """How long people take for each kind of question, and in all; None where nobody's time is known."""
    from ...campaign.state.measured_costs import KINDS, LONGEST

    timed = {kind: one for kind, one in times.items() if one["timed"]}
    if not timed:
        return None
    parts = [
        f"{KINDS[kind]} {one['median']:.1f} s ({one['timed']:,} timed)"
        for kind, one in timed.items()
    ]
    whole, cut = (sum(one[name] for one in timed.values()) for name in ("total", "cut"))
    away = f", {count(cut, 'longer answer')} counted as {duration(LONGEST)}" if cut else ""
    return f"seconds an answer, median: {', '.join(parts)}; {duration(whole)} in all{away}"


def duration(seconds: float) -> str:
    """`40 s`, `12 min`, `3.5 hours`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:,.1f} hours"


def model_in_words(version: int, training: dict[str, Any]) -> str:
    """Which model there is, and whether one is being trained, since when, and about how long that takes."""
    line = f"model {version}" if version else "no model yet"
    if training["training"]:
        line += f": {'the next' if version else 'the first'} is being trained, for {training['seconds']:,.0f} s"
        line += f"; the last took {training['took']:,.0f} s" if training["took"] else ""
    return line


def show(rows: list[dict[str, Any]]) -> None:
    """A table with the keys as columns."""
    from rich.console import Console

    Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH).print(table_of(rows))


def table_of(rows: list[dict[str, Any]]) -> Table:
    """The rows, numbers on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1), header_style="bold")
    for name, value in rows[0].items() if rows else ():
        table.add_column(
            name.replace("_", " "), justify="left" if isinstance(value, str) else "right"
        )
    for row in rows:
        table.add_row(*(Text(harmless(in_cell(value))) for value in row.values()))
    return table


def in_cell(value: Any) -> str:
    """A value as a table shows it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
