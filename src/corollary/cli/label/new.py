"""`corollary new`: a campaign from a file of items and an ontology."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..campaigns import told_warnings
from ..forms import ITEMS_FILE, form_of, form_options, tell_import
from ..ontologies.convert import tell
from ..progress import told_progress
from ..reading import ONTOLOGY_FILE, READING, count, names_of, read_with_words, reading_options
from ..terminal import echo

if TYPE_CHECKING:
    from ...campaign.files.imports.file_form import Import
    from ...logic.ontology import Ontology


@click.command("new")
@click.argument("place", metavar="CAMPAIGN")
@click.option(
    "--items",
    "source",
    type=ITEMS_FILE,
    required=True,
    help="A CSV, JSONL, Parquet file; or pictures.",
)
@click.option(
    "--ontology", type=ONTOLOGY_FILE, required=True, help="The labels, and the rules that tie them."
)
@click.option("--name", help="What the campaign is called. [the name of the items' file]")
@click.option("--about", default="", metavar="TEXT", help="A sentence that explains the purpose.")
@click.option("--lead", default="lead", show_default=True, metavar="NAME", help="Who leads it.")
@click.option(
    "--definitions",
    type=ONTOLOGY_FILE,
    help="A table: label, and name, definition, synonyms or question of it.",
)
@click.option(
    "--question",
    metavar="TEXT",
    help="How labels are asked for: 'Is {item} a {label}?' [Should {item} be labelled {label}?]",
)
@click.option(
    "--encoder",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="What reads the texts: sentences, static, lexical, a model of sentence-transformers, or none.",
)
@click.option(
    "--pick",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="Ask which label it is, not yes or no: if that gains more for its time.",
)
@click.option(
    "--costs",
    type=click.Choice(["equal", "measured"]),
    default="equal",
    show_default=True,
    help="What yes or no costs: of all labels the same, or as long as people take for each.",
)
@click.option(
    "--fallible/--never-wrong",
    default=False,
    help="People can be wrong: answers are weighed, and doubtful ones asked again. For teams.",
)
@form_options
@reading_options("--ontology-format")
def command(
    place: str, *, source: Path, ontology: Path, definitions: Path | None, **options: Any
) -> None:
    """Make a campaign of items and an ontology.

    \b
    corollary new birds.sqlite --items birds.csv --ontology birds.onto
    corollary new photos.sqlite --items photos/ --ontology photos.onto
    corollary new postgresql://me@host/db --items birds.csv --ontology birds.onto --id key --text title

    CAMPAIGN is a new file, or an empty database of PostgreSQL. The items come from a .csv, .tsv,
    .jsonl or .parquet file, a .json file of Label Studio, or a folder of pictures. Known labels are
    in a column that names them, or in columns named like labels with yes or no. Everything is
    checked first: with one mistake nothing is made.

    People read the names of labels in an OBO, OWL or SKOS file, with the code beside them if labels
    are codes (--names). Other labels are spelled out: freeze_account is "freeze account".
    Definitions and synonyms are taken too; those of --definitions overrule the ontology's.

    If the items have texts, the first questions come from them, and from names and definitions. The
    encoder is stored with the campaign. With auto it is the best one installed: sentences (the
    extra `sentences`), else static (the extra `text`), else lexical, which compares letters. A
    CLIP-like model (--encoder clip-ViT-B-32) reads pictures as well.
    """  # noqa: D301 (click keeps the lines after a backslash)
    from ...campaign.files.imports.imports import check_import
    from ...campaign.files.imports.label_words import words_in
    from ...campaign.labels.written_ontology import said_by
    from ...campaign.settings import Settings
    from ...learning.meaning.encoders import better_encoder
    from ...logic.lint.similar_names import similar_names
    from ...logic.wording import question_in_words

    asked = ("name", "about", "lead", "encoder", "question", "pick", "costs", "fallible")
    settings = {name: options.pop(name) for name in asked}
    reading = {name: options.pop(name) for name in READING}
    onto, words = read_with_words(ontology, **reading)
    tell(f"of {ontology.name} not expressed", onto.not_expressed)
    labels = said_by(words)
    for label, said in ({} if definitions is None else words_in(definitions, onto)).items():
        labels[label] = labels.get(label, {}) | said
    with told_progress(f"reading {source}"):
        found = check_import(source, onto, form_of(options))
    tell_import(found)
    Settings(
        question=settings["question"], labels=labels
    )  # a mistake in them is an error before anything is made
    with told_warnings(), told_progress("making the campaign"):
        read = make(
            place,
            found,
            onto,
            labels=labels,
            **settings | {"name": settings["name"] or source.stem},
        )
    for one, other in similar_names(onto.labels, onto.constraints):
        echo(f"note: the labels {one} and {other} are almost the same name: is one a slip?")
    known = f", {count(len(found.facts), 'label')} known already" if found.facts else ""
    echo(f"{place}: {count(found.n_items, 'item')}, {count(len(onto), 'label')}{known}")
    if read is not None:
        echo(f"{read}; a first model needs no answer")
        if settings["encoder"] == "auto" and (better := better_encoder()):
            echo(better)
    like = question_in_words("“...”", names_of(onto, words)[onto.labels[0]], settings["question"])
    echo(f"Questions read: {like}    Your own words: --question, or for each label --definitions")
    echo(f"Now label:  corollary serve {place} --open    or here: corollary ask {place}")


def make(
    place: str,
    found: Import,
    onto: Ontology,
    *,
    name: str,
    about: str,
    lead: str,
    labels: dict[str, dict[str, str]],
    encoder: str = "none",
    **settings: Any,
) -> str | None:
    """Make the campaign, all of it or nothing; return a sentence about its texts and encoder."""
    from ...campaign.campaign import Campaign
    from ...campaign.training.item_reading import auto_encoder
    from ...learning.meaning.encoders import make_encoder

    chosen = (
        auto_encoder(found.items()) if encoder == "auto" else None if encoder == "none" else encoder
    )
    made = make_encoder(chosen)  # a missing one is an error before anything is made
    start = {"labels": labels, "encoder": chosen, **settings}
    Campaign.create(
        place,
        found.items(),
        onto,
        name=name,
        about=about,
        lead=lead,
        settings=start,
        facts=found.facts,
    ).close()
    what = "Texts and pictures" if getattr(made, "takes_pictures", False) else "Texts"
    return None if chosen is None else f"{what} are read with the encoder {chosen}"
