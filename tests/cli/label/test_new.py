"""`corollary new`."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.storage.records import StoreError
from corollary.logic.errors import CorollaryError
from corollary.logic.ontology import Ontology

from ...campaign.conftest import new_sqlite, new_url, postgres  # noqa: F401 (fixtures)


def test_a_campaign_with_labels(call, zoo, items, tmp_path):
    place = tmp_path / "zoo.sqlite"
    result = call(
        "new",
        place,
        "--items",
        items,
        "--ontology",
        zoo,
        "--lead",
        "mara",
        "--about",
        "What is it?",
    )
    assert (result.exit_code, result.stderr) == (0, "")
    assert "columns: id: id; text: text; labels: labels" in result.stdout
    assert f"{place}: 4 items, 8 labels, 2 labels known already" in result.stdout
    assert f"corollary serve {place}" in result.stdout
    with Campaign.open(place, readonly=True) as campaign:
        assert (campaign.name, campaign.about) == ("things", "What is it?")
        assert campaign.state.known_of("robin")["animal"] is True
        assert [one["name"] for one in campaign.people()] == ["mara"]
        assert campaign.verify() == []


def test_how_people_are_asked(call, zoo, items, tmp_path):
    for pick in ("auto", "always", "never"):
        place = tmp_path / f"{pick}.sqlite"
        assert (
            call("new", place, "--items", items, "--ontology", zoo, "--pick", pick).exit_code == 0
        )
        with Campaign.open(place, readonly=True) as campaign:
            assert campaign.settings.pick == pick
            assert campaign.settings.costs == "equal"
    place = tmp_path / "timed.sqlite"
    assert (
        call("new", place, "--items", items, "--ontology", zoo, "--costs", "measured").exit_code
        == 0
    )
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.settings.costs == "measured"


def test_definitions_and_columns(call, zoo, items, tmp_path):
    table = tmp_path / "labels.tsv"
    table.write_text(
        "label\tdefinition\tquestion\nbird\thas feathers\tDoes {item} fly?\n", encoding="utf-8"
    )
    place = tmp_path / "zoo.sqlite"
    options = ("--text", "id", "--labels", "-", "--ignore", "labels", "--definitions", table)
    assert call("new", place, "--items", items, "--ontology", zoo, *options).exit_code == 0
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.settings.labels == {
            "bird": {"definition": "has feathers", "question": "Does {item} fly?"}
        }
        assert campaign.item("robin").item.text == "robin"
        assert campaign.state.seq == 0
    table.write_text("label\nbrid\n", encoding="utf-8")
    result = call(
        "new", tmp_path / "y.sqlite", "--items", items, "--ontology", zoo, "--definitions", table
    )
    assert "line 2: unknown label 'brid'; did you mean 'bird'?" in result.stderr


OBO = """format-version: 1.4

[Term]
id: GO:0008150
name: biological process
def: "What goes on in living things." [X:1]
synonym: "physiological process" EXACT []

[Term]
id: GO:0009987
name: cellular process
is_a: GO:0008150
"""


def test_names_definitions_and_synonyms_come_from_the_ontology_file_and_the_table_goes_before_it(
    call, tmp_path
):
    (tmp_path / "go.obo").write_text(OBO, encoding="utf-8")
    (tmp_path / "genes.csv").write_text(
        "id,text\na,makes sugar\nb,splits cells\n", encoding="utf-8"
    )
    (tmp_path / "labels.csv").write_text("label,definition\nGO:0008150,Life.\n", encoding="utf-8")
    place = tmp_path / "go.sqlite"
    options = (
        "--names",
        "id",
        "--definitions",
        tmp_path / "labels.csv",
        "--question",
        "Is {item} a {label}?",
    )
    made = call(
        "new", place, "--items", tmp_path / "genes.csv", "--ontology", tmp_path / "go.obo", *options
    )
    assert made.exit_code == 0, made.stderr
    assert "Questions read: Is “...” a biological process (GO:0008150)?" in made.stdout
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.settings.labels == {
            "GO:0008150": {
                "name": "biological process",
                "definition": "Life.",
                "synonyms": "physiological process",
            },
            "GO:0009987": {"name": "cellular process"},
        }
        assert campaign.settings.question == "Is {item} a {label}?"
        assert campaign.names["GO:0009987"] == "cellular process (GO:0009987)"
        assert campaign.verify() == []
    wrong = call("new", tmp_path / "x.sqlite", "--items", tmp_path / "genes.csv", "--ontology", tmp_path / "go.obo",
                 "--question", "What?")  # fmt: skip
    assert "the setting 'question' must be a question with {label} in it" in wrong.stderr
    assert not (tmp_path / "x.sqlite").exists()


def test_a_label_named_like_the_column_of_the_texts(call, tmp_path):
    """An intent is called text, and so is the column of the queries."""
    (tmp_path / "bank.onto").write_text("exclusive: text, call, balance\n", encoding="utf-8")
    table = tmp_path / "queries.csv"
    table.write_text(
        "id,text,labels\na,text my mother,text\nb,what is left,balance\n", encoding="utf-8"
    )
    made = call(
        "new", tmp_path / "b.sqlite", "--items", table, "--ontology", tmp_path / "bank.onto"
    )
    assert made.exit_code == 0, made.stderr
    assert "note: the column 'text' holds texts and is read as such" in made.stdout
    with Campaign.open(tmp_path / "b.sqlite", readonly=True) as campaign:
        assert campaign.item("a").item.text == "text my mother"
        assert campaign.state.known_of("a")["text"] is True
    table.write_text("id,text\na,hello\nb,bye\n", encoding="utf-8")
    wrong = call(
        "new", tmp_path / "c.sqlite", "--items", table, "--ontology", tmp_path / "bank.onto"
    )
    assert "pass --text text" in wrong.stderr
    made = call(
        "new",
        tmp_path / "d.sqlite",
        "--items",
        table,
        "--ontology",
        tmp_path / "bank.onto",
        "--ignore",
        "text",
    )
    assert "note: there is nothing to see of the items but their ids" in made.stdout


def test_texts_are_read_with_what_is_installed_unless_another_encoder_is_named(
    call, zoo, items, tmp_path
):
    for given, stored in (
        ((), "static"),
        (("--encoder", "lexical"), "lexical"),
        (("--encoder", "none"), None),
    ):
        place = tmp_path / f"{stored}.sqlite"
        result = call("new", place, "--items", items, "--ontology", zoo, *given)
        assert result.exit_code == 0, result.stderr
        assert (f"Texts are read with the encoder {stored};" in result.stdout) == (
            stored is not None
        )
        assert ("pip install 'corollary[sentences]'" in result.stdout) == (not given)
        with Campaign.open(place, readonly=True) as campaign:
            assert campaign.settings.encoder == stored
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("id,size\na,1\nb,2\nc,3\n", encoding="utf-8")
    assert call("new", tmp_path / "n.sqlite", "--items", numbers, "--ontology", zoo).exit_code == 0
    with Campaign.open(tmp_path / "n.sqlite", readonly=True) as campaign:
        assert campaign.settings.encoder is None
    result = call(
        "new",
        tmp_path / "x.sqlite",
        "--items",
        items,
        "--ontology",
        zoo,
        "--encoder",
        "no/such model",
    )
    assert result.exit_code == 2
    assert "no/such model" in result.stderr
    assert not (tmp_path / "x.sqlite").exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("id,labels\na,bird\na,\nb,brid\n", "did you mean 'bird'?"),
        ("id,labels\na,bird;fish\n", "These answers cannot all be true: bird is yes, fish is yes"),
        ("foo\na\n", "or pass --id :row to number the rows. Its columns are: foo"),
        (b"id,text\na,caf\xe9\n", "pass --encoding cp1252"),
    ],
)
def test_a_mistake_leaves_nothing_behind(call, zoo, tmp_path, content, told):
    path = tmp_path / "bad.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = sorted(tmp_path.iterdir())
    result = call("new", tmp_path / "x.sqlite", "--items", path, "--ontology", zoo)
    assert result.exit_code == 2
    assert told in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_sizes(call, zoo, items, tmp_path):
    result = call(
        "new", tmp_path / "x.sqlite", "--items", items, "--ontology", zoo, "--limit", "50B"
    )
    assert "has 105 bytes, and at most 50 bytes are taken" in result.stderr
    assert "pass --limit 105" in result.stderr
    assert (
        call(
            "new", tmp_path / "x.sqlite", "--items", items, "--ontology", zoo, "--limit", "big"
        ).exit_code
        == 2
    )
    assert (
        call(
            "new", tmp_path / "x.sqlite", "--items", items, "--ontology", zoo, "--limit", "1 KB"
        ).exit_code
        == 0
    )


def test_an_existing_campaign_is_left_alone(call, zoo, items, place):
    before = place.read_bytes()
    result = call("new", place, "--items", items, "--ontology", zoo)
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert place.read_bytes() == before


def test_a_failure_half_way_leaves_nothing_on_either_database(
    call,
    zoo,
    items,
    new_url,  # noqa: F811
    monkeypatch,
):
    """The items are stored, then the labels fail: on PostgreSQL a campaign without labels was left."""

    def failing(event):
        raise StoreError(f"no room for {event.label}")

    place = new_url()
    with monkeypatch.context() as broken:
        broken.setattr("corollary.campaign.storage.store.to_row", failing)
        result = call("new", place, "--items", items, "--ontology", zoo)
    assert result.exit_code == 2
    assert "no room for" in result.stderr
    assert (
        call("new", place, "--items", items, "--ontology", zoo).exit_code == 0
    )  # the place is free
    with Campaign.open(place, readonly=True) as campaign:
        assert (len(campaign.state.ids), campaign.state.seq) == (4, 2)


def test_labels_of_items_that_are_not_there_are_refused(tmp_path):
    onto = Ontology.parse("animal > bird")
    for fact, told in (
        (("x", "bird", True), "is not in the campaign"),
        (("1", "brid", True), "did you mean 'bird'"),
    ):
        with pytest.raises(CorollaryError, match=told):
            Campaign.create(tmp_path / "zoo.sqlite", ["robin"], onto, name="zoo", facts=[fact])
    assert not list(tmp_path.iterdir())


def test_no_file_of_a_campaign_is_for_others(call, zoo, items, tmp_path):
    place = tmp_path / "zoo.sqlite"
    call("new", place, "--items", items, "--ontology", zoo)
    with Campaign.open(place):
        found = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.glob("zoo.sqlite*")}
    assert "zoo.sqlite.lock" in found
    assert set(found.values()) == {0}
