"""Items and labels from files: what is read, and how each kind of broken file is told."""

from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.imports.existing_labels import yes_or_no
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_for, check_import, read_items
from corollary.campaign.files.imports.pictures import mime_of, zip_items
from corollary.campaign.items import Item, Picture, features_of
from corollary.campaign.storage.records import Annotator
from corollary.campaign.storage.store import Store
from corollary.logic.errors import Contradiction, CorollaryError

from ....fuzz.frame import within

ONTO = co.Ontology.parse(
    'animal > exclusive: bird, fish, mammal\nplace > exclusive: city, "red square"\nexclusive: animal, place'
)
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
GIF = b"GIF89a" + b"\0" * 20
LEAD = Annotator(name="lead", role="lead")


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def campaign(tmp_path):
    place = tmp_path / "zoo.sqlite"
    with Campaign.create(place, [Item("a", text="robin"), Item("b", text="carp")], ONTO, name="zoo") as made:
        yield made


def refused(path, form=None, **options) -> str:
    with pytest.raises(CorollaryError) as error:
        check_import(path, ONTO, form, **options)
    return str(error.value)


# -- what is read ------------------------------------------------------------------------------------------------------


def test_the_columns_are_found_and_numbers_are_numbers(write):
    path = write("x.csv", "ID,Text,weight,code,note\na,robin,3,007,\nb,carp,4.5,12,big\n")
    found = check_import(path, ONTO)
    assert list(found.items()) == [
        Item("a", "robin", {"weight": 3, "code": "007"}),
        Item("b", "carp", {"weight": 4.5, "code": "12", "note": "big"}),
    ]
    assert (found.n_items, found.facts) == (2, [])
    assert str(found.columns) == "id: ID; text: Text; shown beside: weight, code, note"


def test_columns_can_be_named_left_out_and_rows_numbered(write):
    path = write("x.csv", "text,who,what\nno,ann,robin\nno,ben,carp\n")
    found = check_import(path, ONTO, Form(id=":row", text="what", ignore=("text",)))
    assert list(found.items()) == [Item("1", "robin", {"who": "ann"}), Item("2", "carp", {"who": "ben"})]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_what_separates_the_columns_is_found(write, separator):
    path = write(
        "x.csv", separator.join(("id", "text")) + "\n" + separator.join(("a", '"say ""hi"", \n twice"')) + "\n"
    )
    assert list(check_import(path, ONTO).items()) == [Item("a", 'say "hi", \n twice')]


def test_what_separates_the_columns_can_be_told(write):
    path = write("x.csv", "id:text,with,commas\na:robin\n")
    assert list(check_import(path, ONTO, Form(delimiter=":")).items()) == [
        Item("a", None, {"text,with,commas": "robin"})
    ]
    path = write("x.csv", "id\ttext, a, b\na\tcarp\n")
    assert [item.id for item in check_import(path, ONTO, Form(delimiter="\\t")).items()] == ["a"]
    assert "separated by one sign" in refused(path, Form(delimiter="::"))


def test_tsv_byte_order_mark_and_blank_lines(write):
    path = write("x.tsv", b"\xef\xbb\xbfid\ttext\r\na\tone, two\r\n\r\n")
    assert list(check_import(path, ONTO).items()) == [Item("a", "one, two")]


def test_json_lines(write):
    lines = [
        {"id": 1, "text": "robin", "labels": ["bird"], "size": 3, "tags": ["x", {"y": 1}]},
        {"id": "b", "labels": {"fish": True, "bird": None}},
        {"id": "c", "text": None, "labels": "city"},
    ]
    path = write("x.jsonl", "\n".join(map(json.dumps, lines)) + "\n\n")
    found = check_import(path, ONTO)
    assert list(found.items()) == [Item("1", "robin", {"size": 3, "tags": '["x", {"y": 1}]'}), Item("b"), Item("c")]
    assert found.facts == [("1", "bird", True), ("b", "fish", True), ("c", "city", True)]


def test_parquet(write, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table(
        {"id": ["a", "b"], "text": ["robin", None], "embedding": [[1.0, 2.0], [3.0, 4.0]], "bird": [True, None]}
    )
    parquet.write_table(table, tmp_path / "x.parquet")
    found = check_import(tmp_path / "x.parquet", ONTO)
    assert list(found.items()) == [
        Item("a", "robin", {"vector": [1.0, 2.0]}),
        Item("b", None, {"vector": [3.0, 4.0]}),
    ]
    assert found.facts == [("a", "bird", True)]
    assert "not a good Parquet file" in refused(write("y.parquet", "no"))


def test_vectors_as_text(write):
    found = check_import(write("x.csv", 'id,vector\na,"[1, 2.5]"\nb,3 4\n'), ONTO)
    assert [item.fields["vector"] for item in found.items()] == [[1.0, 2.5], [3.0, 4.0]]
    assert "line 3: its vector has 1 numbers, those of the items before it 2" in refused(
        write("x.csv", "id,vector\na,1 2\nb,3\n")
    )
    assert "must be a list of numbers, got 'nan'" in refused(write("x.csv", "id,vector\na,nan\n"))


def test_pictures_of_a_folder(write, tmp_path):
    for name, data in (("p/b.png", PNG), ("p/a/x.gif", GIF), ("p/notes.txt", b"no"), ("p/.hidden", b"no")):
        write(name, data)
    found = check_import(tmp_path / "p", ONTO)
    assert [(item.id, item.image.mime, item.image.data) for item in found.items()] == [
        ("b.png", "image/png", PNG),
        ("a/x.gif", "image/gif", GIF),
    ]
    assert found.notes == [
        "1 files are no pictures and were left out, the first is notes.txt",
        "2 pictures, the first of item 'b.png', cannot be read and count as missing",
    ]


def test_pictures_of_a_zip_file(write, campaign):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("p/b.png", PNG)
        archive.writestr("a.gif", GIF)
    path = write("x.zip", packed.getvalue())
    items, facts = read_items(path, campaign)
    assert [(item.id, item.image.data) for item in items] == [("a.gif", GIF), ("p/b.png", PNG)]
    assert facts == []
    with pytest.raises(CorollaryError, match="holds 54 bytes, more than the limit of 53"):
        zip_items(path, limit=53)
    assert "not a good zip file" in refused(write("y.zip", "no"))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../../c.png", PNG)
    assert "the name '../../c.png' leads out of the zip file" in refused(path)


def test_pictures_beside_a_table_and_nowhere_else(write, tmp_path):
    write("p/robin.png", PNG)
    write("secret.png", PNG)
    found = check_import(write("p/x.csv", "id,image\na,robin.png\nb,\n"), ONTO)
    assert [item.image and item.image.data for item in found.items()] == [PNG, None]
    for name, problem in (
        ("../secret.png", "is not below the table's folder"),
        (str(tmp_path / "secret.png"), "is not below the table's folder"),
        ("x.csv", "is no picture"),
        ("none.png", "there is no picture 'none.png'"),
        ("https://example.org/a.png", "is an address"),
    ):
        text = refused(write("p/x.csv", f"id,image\na,{name}\n"))
        assert "line 2: column 'image'" in text
        assert problem in text
        assert "pass image='-'" in text


def test_kinds_of_pictures():
    assert mime_of(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert mime_of(b"RIFF\0\0\0\0WEBPVP8 ") == "image/webp"
    assert mime_of(b"\0\0\0\x1cftypavif") == "image/avif"
    assert mime_of(b"<svg onload='x'>") is None


# -- labels ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "joined", ["bird; red square", "bird|red square", "bird, red square", "bird@red square", "bird;"]
)
def test_names_joined_in_a_column(write, joined):
    onto = co.Ontology.parse('labels: bird, "red square"')
    found = check_import(write("x.csv", f'id,labels\na,"{joined}"\nb,\n'), onto)
    assert found.facts == [
        ("a", name.strip(), True)
        for name in joined.replace(";", "|").replace(",", "|").replace("@", "|").split("|")
        if name
    ]


def test_a_separator_of_ones_own_and_labels_that_hold_one(write):
    onto = co.Ontology.parse('labels: "a, b", c')
    assert check_import(write("x.csv", 'id,labels\n1,"a, b"\n'), onto).facts == [("1", "a, b", True)]
    assert check_import(write("x.csv", 'id,labels\n1,"a, b/c"\n'), onto, Form(separator="/")).facts == [
        ("1", "a, b", True),
        ("1", "c", True),
    ]


def test_complete_labels_say_no_to_all_others_but_not_to_what_follows(write):
    found = check_import(write("x.csv", "id,labels\na,bird\nb,\n"), ONTO, Form(complete=True))
    assert {label: value for _, label, value in found.facts} == {"bird": True}  # the rest follows already
    assert ONTO.propagate({"bird": True})["city"] is False
    onto = co.Ontology.parse("labels: animal, bird, big\nanimal > bird")
    assert check_import(write("x.csv", "id,labels\na,bird\n"), onto, Form(complete=True)).facts == [
        ("a", "bird", True),
        ("a", "big", False),
    ]


def test_a_column_for_each_label(write):
    words = "yes no true FALSE 1 0 Y n".split()
    rows = "".join(f"{n},{word},\n" for n, word in enumerate(words))
    found = check_import(write("x.csv", "id,bird,fish\n" + rows), ONTO)
    assert [value for _, _, value in found.facts] == [True, False] * 4
    assert found.columns.wide == ("bird", "fish")
    assert yes_or_no(None, "bird") is yes_or_no(" ", "bird") is None
    text = refused(write("x.csv", "id,bird\na,maybe\n"))
    assert "line 2: column 'bird': 'maybe' is neither yes nor no" in text
    assert "pass ignore=" in text


def test_a_row_for_each_label(write, campaign):
    path = write(
        "x.csv", "item,label,value,source\na,bird,yes,asked\nb,fish,1,\na,city,no,implied\nb,bird,no,predicted\n"
    )
    assert read_items(path, campaign) == ([], [("a", "bird", True), ("b", "fish", True)])
    with pytest.raises(CorollaryError, match="line 2: there is no item 'z' in the campaign"):
        read_items(write("x.csv", "item,label,value\nz,bird,yes\n"), campaign)
    with pytest.raises(CorollaryError, match="line 3: item 'a': bird is both yes and no, see line 2"):
        read_items(write("x.csv", "item,label,value\na,bird,yes\na,bird,no\n"), campaign)
    with pytest.raises(CorollaryError, match="line 3: item 'a': These answers cannot all be true: bird is yes, fish"):
        read_items(write("x.csv", "item,label,value\na,bird,yes\na,fish,yes\n"), campaign)


def test_labels_only_of_items_that_are_there(write, campaign):
    path = write("x.csv", "id,text,bird\na,other,yes\n")
    with pytest.raises(CorollaryError, match="item 'a' is in the campaign already.* pass only_labels=True"):
        read_items(path, campaign)
    assert read_items(path, campaign, form=Form(only_labels=True)) == ([], [("a", "bird", True)])
    with pytest.raises(CorollaryError, match="has no labels"):
        read_items(write("x.csv", "id,text\na,other\n"), campaign, form=Form(only_labels=True))


def test_labels_that_contradict_answers_in_the_campaign(write, campaign):
    campaign.answer("lead", "a", "fish", True)
    for label in ("city", "bird"):
        with pytest.raises(CorollaryError, match="line 2: item 'a': These answers cannot all be true: "):
            read_items(write("x.csv", f"item,label,value\na,{label},yes\n"), campaign)
    with pytest.raises(CorollaryError, match="fish is no here, but was answered yes in the campaign"):
        read_items(write("x.csv", "item,label,value\na,fish,no\n"), campaign)


# -- what is broken ----------------------------------------------------------------------------------------------------


def test_every_problem_is_told_with_its_place(write):
    path = write("x.csv", "id,labels\na,brd\n,bird\nc,bird;fish\nd,\na,\nd,city\n")
    text = refused(path)
    assert text.startswith(f"{path} has 5 problems:")
    for line in (
        "line 2: column 'labels': 'brd' is no label of the ontology; did you mean 'bird'?",
        "line 3: column 'id': the id is missing",
        "line 4: item 'c': These answers cannot all be true: bird is yes, fish is yes",
        "line 6: column 'id': the id 'a' is there already, in line 2",
        "line 7: column 'id': the id 'd' is there already, in line 5",
    ):
        assert line in text
    assert text.endswith("Nothing was imported")


def test_of_many_problems_the_first_are_told(write):
    text = refused(write("x.csv", "id,labels\n" + "".join(f"{n},bird;fish\n" for n in range(30))))
    assert "has 30 problems, the first 5:\n  line 2: item '0'" in text
    assert text.count("\n") == 6
    assert "has 100 or more problems" in refused(write("x.csv", "id,labels\n" + "x,brd\n" * 300))


def test_missing_columns(write):
    text = refused(write("x.csv", "foo,text\na,ok\n"))
    assert "has no column that is known to hold the ids" in text
    assert "Its columns are: foo, text" in text
    assert "has no column 'txt' for the text; did you mean 'text'?" in refused(
        write("x.csv", "id,text\na,ok\n"), Form(text="txt")
    )
    assert "has no column 'x' to ignore" in refused(write("x.csv", "id,text\na,ok\n"), Form(ignore=("x",)))
    assert "has two columns 'id'" in refused(write("x.csv", "id,id\na,ok\n"))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty; its first line must name the columns"),
        (b"id,text\n", "has no rows"),
        (b"id,text\na,b,c\n", "line 2: 3 columns, but the first line names 2"),
        (b'id,text\na,b\nc,"open\n', "line 3: not a good table"),
        (b"id,text\na,ok\nb,caf\xe9\n", "line 3, byte 6 (0xE9, after 'b,caf'): not UTF-8 text"),
        ("id,text\na,é\n".encode("utf-16"), "is UTF-16 text; save it as UTF-8, or pass encoding='utf-16'"),
        (b"id,text\na,x\0y\n", "has a NUL or half a character"),
        (b"id,text\n" + b"x" * 501 + b",y\n", "is longer than 500 characters"),
    ],
)
def test_broken_tables(write, content, told):
    assert told in refused(write("x.csv", content))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"id": "a"}\n{"id": }\n', "line 2: not JSON, column 8"),
        ('["a"]\n', "line 1: each line must be an object"),
        ('{"id": NaN}\n', "NaN is no number in JSON"),
        ('{"id": 1.5}\n', "an id must be a text or a whole number, got 1.5"),
        ('{"text": "a"}\n{"id": "b"}\n', "line 1: column 'id': the id is missing"),
        ('{"id": "a", "labels": [1]}\n', "labels must be named by texts"),
    ],
)
def test_broken_json_lines(write, content, told):
    assert told in refused(write("x.jsonl", content))


def test_other_encodings(write):
    for encoding in ("cp1252", "utf-16", "latin-1"):
        path = write("x.csv", "id,text\na,café\n".encode(encoding))
        assert list(check_import(path, ONTO, Form(encoding=encoding)).items()) == [Item("a", "café")]
    assert "unknown encoding 'uft'" in refused(path, Form(encoding="uft"))
    assert "not utf-16 text" in refused(write("x.csv", b"\xff\xfei"), Form(encoding="utf-16"))


def test_sizes_endings_and_places(write, tmp_path):
    path = write("x.csv", "id,text\na,ok\n")
    text = refused(path, Form(limit=10))
    assert "has 13 bytes, and at most 10 bytes are taken" in text
    assert "pass limit=13" in text
    assert "the ending '.xlsx' is not known" in refused(write("x.xlsx", "no"))
    assert "there is no file or folder" in refused(tmp_path / "none.csv")
    write("empty/readme.md", "no")
    assert "holds no picture" in refused(tmp_path / "empty")


def test_a_line_without_end_does_not_fill_the_memory(write, monkeypatch):
    monkeypatch.setattr("corollary.campaign.files.imports.sources.LONGEST_LINE", 100)
    assert "line 1 has more than 100 bytes" in refused(write("x.csv", "x" * 1000))


def test_nothing_is_imported_from_a_file_with_a_mistake(write, campaign):
    before = campaign.state.seq, campaign.state.ids
    with pytest.raises(CorollaryError, match="Nothing was imported"):
        campaign.add("lead", *read_items(write("x.csv", "id,labels\nc,bird\nd,brid\n"), campaign))
    assert (campaign.state.seq, campaign.state.ids) == before


# -- items that are not like those that are there ----------------------------------------------------------------------


def vectors(n, width=3, start=0):
    lines = (f"{k},{WORDS[k % 2]},{' '.join(str((k % 2) * w) for w in range(width))}" for k in range(start, start + n))
    return "id,text,vector\n" + "\n".join(lines) + "\n"


WORDS = ("a robin", "a carp")


@pytest.fixture
def embedded(write, tmp_path):
    with Campaign.create(tmp_path / "embedded.sqlite", (), ONTO, name="zoo") as made:
        made.add("lead", *read_items(write("first.csv", vectors(10)), made))
        yield made


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.csv", "id,text\nx,a pike\n", "line 2: it has no vector, but the items before it have one of 3 numbers"),
        ("x.csv", vectors(2, width=4, start=20), "line 2: its vector has 4 numbers, those of the items before it 3"),
        ("x.json", '[{"id": 77, "data": {"text": "x"}}]', "it has no vector"),
        ("p/a.png", PNG, "a.png: it has no vector"),
    ],
)
def test_a_second_file_without_fitting_vectors_is_refused_as_a_whole(write, embedded, name, content, told):
    path = write(name, content)
    before = embedded.state.seq, embedded.state.ids
    with pytest.raises(CorollaryError, match=told):
        embedded.add("lead", *read_items(path.parent if name.startswith("p/") else path, embedded))
    with pytest.raises(CorollaryError, match="item 'x': it has no vector"):
        embedded.add("lead", [Item("x", "a pike")])
    assert (embedded.state.seq, embedded.state.ids) == before
    embedded.add("lead", *read_items(write("y.csv", vectors(2, start=20)), embedded))
    assert len(embedded.state.ids) == 12


def test_vectors_for_some_items_only_are_refused_with_the_way_out(write, campaign):
    with pytest.raises(CorollaryError, match=r"line 2: it has a vector.*pass ignore="):
        read_items(write("x.csv", "id,vector\nx,1 2\n"), campaign)
    items, _ = read_items(write("x.csv", "id,vector,text\nx,1 2,pike\n"), campaign, form=Form(ignore=("vector",)))
    assert [(item.id, item.text) for item in items] == [("x", "pike")]
    with pytest.raises(CorollaryError, match="item 'b': it has no vector"):
        Campaign.create("never.sqlite", [Item("a", fields={"vector": [1]}), Item("b")], ONTO, name="zoo")
    assert not Path("never.sqlite").exists()


def test_text_fields_and_pictures_may_be_missing_and_training_goes_on(write, campaign, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    whole = io.BytesIO()
    image.effect_noise((64, 64), 50).convert("RGB").save(whole, "PNG")
    for name, data in (("p/good.png", whole.getvalue()), ("p/cut.png", whole.getvalue()[:2000])):
        write(name, data)
    found = check_for(tmp_path / "p", campaign)
    assert found.notes == ["the picture of item 'cut.png' cannot be read and counts as missing"]
    campaign.add("lead", found.items())
    campaign.add("lead", [Item("bare"), Item("odd", fields={"size": {"cm": [3]}})])
    campaign.answer("lead", "a", "bird", True)
    campaign.answer("lead", "b", "fish", True)
    status = campaign.retrain(wait=True)
    assert status["error"] is None
    assert campaign.progress()["model"] == 1
    notes = campaign.progress()["training"]["notes"]
    assert "the picture of item 'cut.png' cannot be read and counts as missing" in notes


@pytest.mark.parametrize(
    "late",
    [
        Item("late", "a pike"),
        Item("late", "a pike", {"vector": [1.0]}),
        Item("late", "a pike", {"vector": "no"}),
        Item("late", "a pike", {"odd": {"x": [1]}}, Picture("p.png", "image/png", PNG)),
    ],
)
def test_items_stored_before_they_were_checked_do_not_end_training(tmp_path, late):
    place = tmp_path / "old.sqlite"
    items = [Item(str(k), WORDS[k % 2], {"vector": [float(k % 2), 1.0]}) for k in range(8)]
    Store.create(place, name="old", ontology_text=str(ONTO), items=[*items, late], annotators=[LEAD]).close()
    with Campaign.open(place) as campaign:
        for k in range(8):
            campaign.answer("lead", str(k), ("bird", "fish")[k % 2], True)
        assert campaign.retrain(wait=True)["error"] is None
        progress = campaign.progress()
        assert progress["model"] == 1
        assert any("1 of 9 items have no vector of 2 numbers" in note for note in progress["training"]["notes"])
        campaign.add("lead", [Item("more", "a carp", {"vector": [1.0, 1.0]})])


# -- against a naive twin ----------------------------------------------------------------------------------------------

cells = st.dictionaries(st.sampled_from(ONTO.labels), st.sampled_from(["yes", "no", ""]), max_size=4)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("abcdef"), cells), min_size=1, max_size=6))
def test_a_wide_table_is_taken_exactly_if_every_row_alone_is_fine(write, rows):
    out = io.StringIO()
    table = csv.DictWriter(out, ["id", *ONTO.labels], restval="")
    table.writeheader()
    for item, labels in rows:
        table.writerow({"id": item, **labels})
    fine = len({item for item, _ in rows}) == len(rows)
    facts = []
    for item, labels in rows:
        said = {label: word == "yes" for label, word in labels.items() if word}
        try:
            ONTO.propagate(said)
        except Contradiction:
            fine = False
        facts += [(item, label, said[label]) for label in ONTO.labels if label in said]
    path = write("x.csv", out.getvalue())
    if fine:
        assert check_import(path, ONTO).facts == facts
    else:
        refused(path)


# -- files that attack -------------------------------------------------------------------------------------------------


def test_a_first_line_of_empty_cells_is_told(write):
    assert "empty cells only" in refused(write("x.csv", ",,,\n"))
    assert "empty cells only" in refused(write("y.csv", ",,,\n,,,\n"))


def test_columns_are_not_separated_by_quotes_or_line_ends(write):
    for sign in ('"', "\n", "\r"):
        assert "one sign such as" in refused(write("x.csv", "id,text\na,b\n"), Form(delimiter=sign))


def test_many_columns_are_read_in_time(write):
    names = [f"c{n}" for n in range(32_000)]
    path = write("x.csv", f"id,{','.join(names)}\na,{','.join('1' * len(names))}\n")
    with within():
        assert len(next(check_import(path, ONTO).items()).fields) == len(names)


def test_dates_that_python_cannot_tell_name_their_cell(write, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    far = pa.array([0, 10**15], pa.timestamp("s"))
    parquet.write_table(pa.table({"id": ["a", "b"], "when": far}), path := tmp_path / "x.parquet")
    assert "row 2, column 'when': this timestamp[ms] cannot be read" in refused(path)


@pytest.mark.parametrize("told", ["by itself", "not by itself"])
def test_a_small_file_that_unpacks_to_a_large_one(write, tmp_path, told):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    n, text = 2_000, "a" * 100_000
    once = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array([text]))
    hidden = told == "not by itself"  # a dictionary that is used again and again
    table = pa.table({"id": [str(i) for i in range(n)], "text": once if hidden else once.cast("string")})
    path = tmp_path / "bomb.parquet"
    parquet.write_table(table, path, compression="zstd", store_schema=False, use_dictionary=hidden)
    assert path.stat().st_size < 1 << 20
    message = refused(path, Form(limit=20 << 20))
    assert "unpacks to" in message
    assert "pass limit=" in message


@pytest.mark.parametrize("value", ['{"1": 2}', "[1e400]", f"[{'9' * 400}]", '["a"]', "[[1], [2]]", "true", "5"])
def test_what_is_no_vector(write, value):
    path = write("x.jsonl", f'{{"id": "a", "vector": {value}}}\n')
    assert "a vector must be a list of numbers" in refused(path)


def test_numbers_that_are_too_large_to_learn_from(write):
    """They are kept as they are, and learnt from as words."""
    path = write("x.jsonl", "".join(f'{{"id": "{i}", "text": "a bird", "n": {"9" * 400}}}\n' for i in range(3)))
    items = list(check_import(path, ONTO).items())
    assert items[0].fields["n"] == int("9" * 400)
    assert np.isfinite(features_of(items).toarray()).all()


@pytest.mark.parametrize("name", ["x" * 300 + ".png", "a\\u0000b.png", "./" * 3000 + "x.png", "x\\ud800.png"])
def test_names_of_pictures_that_no_file_can_have(write, name):
    path = write("x.jsonl", f'{{"id": "a", "image": "{name}"}}\n')
    assert "there is no picture" in refused(path)


@pytest.mark.parametrize("depth", [101, 990, 100_000])
def test_what_is_nested_without_end_is_told(write, depth):
    deep = "[" * depth + "]" * depth
    assert "nested more than 100 deep" in refused(write("x.jsonl", f'{{"id": "a", "n": {deep}}}\n'))
    assert "nested more than 100 deep" in refused(write("x.json", f'[{{"text": "a", "label": [], "n": {deep}}}]'))


def test_what_is_nested_within_reason_is_read(write):
    deep = "[" * 99 + "]" * 99
    [item] = check_import(write("x.jsonl", f'{{"id": "a", "n": {deep}}}\n'), ONTO).items()
    assert item.fields["n"] == deep


def test_pipes_and_links_to_nothing_are_no_pictures(write, tmp_path):
    folder = write("pictures/a.png", PNG).parent
    os.mkfifo(folder / "pipe.png")
    (folder / "gone.png").symlink_to(folder / "nothing")
    with within():
        found = check_import(folder, ONTO)
    assert (found.n_items, found.notes[0]) == (1, "2 files are no pictures and were left out, the first is gone.png")


def test_two_pictures_of_one_name_in_a_zip_file(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.png", PNG)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.png", PNG)
    assert "2 pictures of this name" in refused(path)
