"""`corollary pool score`: the best questions about a whole pool, as a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError
from ..progress import told_progress
from ..reading import count
from ..terminal import echo
from .pool_options import beside, computing_options, ontology_options, pool_argument, pool_asked_for

if TYPE_CHECKING:
    from ...learning.question import ItemQuestion, Question

SUFFIXES = (".csv", ".jsonl")


@click.command("score")
@pool_argument
@click.argument("target", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--best",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="N",
    help="The number of questions.",
)
@click.option(
    "--score",
    default="posterior",
    show_default=True,
    metavar="NAME",
    help="What questions are chosen by.",
)
@click.option(
    "--pick",
    type=click.Choice(["auto", "always", "never"]),
    default="never",
    show_default=True,
    help="Ask which label it is, not yes or no: if that gains more for its cost.",
)
@ontology_options
@computing_options
def score(folder: Path, target: Path, *, best: int, score: Any, pick: Any, **options: Any) -> None:
    """Write the best questions about all items of a pool.

    \b
    corollary pool score items/ questions.csv --ontology birds.onto
    corollary pool score items/ questions.jsonl --campaign birds.sqlite --best 200
    corollary pool score items/ questions.csv --ontology birds.onto --cluster tcp://10.0.0.5:8786

    POOL is a folder of Parquet files with the columns id, and vector, text or others to learn from.
    Known labels are in a column `labels`, in columns named like labels, or in a campaign. The
    questions are those of a session with all items in memory, in the same order. FILE is .csv or
    .jsonl.
    """  # noqa: D301 (click keeps the lines after a backslash)
    if target.suffix not in SUFFIXES:
        raise CorollaryError(f"{target}: questions are written as {' or '.join(SUFFIXES)}")
    with pool_asked_for(folder, options) as pool, told_progress("scoring") as progress:
        found = pool.best_questions(
            best, score=score, pick=pick, keep=beside(target), progress=progress
        )
    write(target, found)
    echo(f"{target}: the best {count(len(found), 'question')} about {count(len(pool), 'item')}")


def write(target: Path, questions: Sequence[Question | ItemQuestion]) -> None:
    """A line for each question."""
    from ...campaign.files.spreadsheet_text import harmless
    from ...logic.whole_file import written_whole

    with written_whole(target) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        if target.suffix == ".jsonl":
            file.writelines(
                json.dumps(as_document(one), ensure_ascii=False) + "\n" for one in questions
            )
            return
        lines = csv.writer(file)
        lines.writerow(["item", "label", "question", "score", "settled by yes", "settled by no"])
        for one in questions:
            row = as_document(one)
            settled = [len(row.get(name, ())) for name in ("if_yes", "if_no")]
            lines.writerow(
                harmless([row["item"], row.get("label", ""), str(one), row["score"], *settled])
            )


def as_document(question: Question | ItemQuestion) -> dict[str, Any]:
    """A question for another program; one about a whole item has `labels` in place of a `label`."""
    from ...learning.question import Question

    row = {"item": question.item, "question": str(question), "score": question.score}
    if isinstance(question, Question):
        return row | {"label": question.label, "if_yes": question.if_yes, "if_no": question.if_no}
    return row | {"labels": list(question.labels)}
