"""Prodigy, doccano, Argilla, spaCy and Hugging Face: what goes there comes back, and what is not said stays open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import read_records, recognised, write_file, written
from corollary.campaign.files.tools.prodigy.examples import HASHES
from corollary.campaign.items import Item

from .snapshots import ONTO, closed, lines, snapshot_of, some_answers, there_and_back, write_lines

FORMATS = ("prodigy", "doccano", "argilla", "spacy", "huggingface")
ANSWERS = {"robin": {"sparrow": True, "red": False}, "oak": {"plant": True}, "thing": {"bird": False}, "new": {}}
#: A model that is quite sure of everything.
BELIEFS = np.full((4, len(ONTO)), 0.999999)
together = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("predictions", [True, False])
@together
@given(answers=some_answers(), seed=st.integers(0, 9))
def test_what_is_known_comes_back_and_nothing_else(
    answers: dict[str, dict[str, bool]], seed: int, format: str, predictions: bool, tmp_path: Path
) -> None:
    beliefs = np.random.default_rng(seed).random((len(answers), len(ONTO)))
    beliefs[:, ::2] = beliefs[:, ::2].round()  # some models claim to know
    snapshot = snapshot_of(answers, beliefs=beliefs)
    found = there_and_back(snapshot, format, tmp_path / "file", predictions=predictions)
    wanted = {item: ONTO.propagate(said) for item, said in answers.items()}
    got = closed(found)
    known_by_lines = format == "prodigy"  # an item of which nothing is known has no example
    base = ONTO.propagate({})
    assert got == {item: facts for item, facts in wanted.items() if facts != base or not known_by_lines}


@pytest.mark.parametrize("format", ["prodigy", "doccano", "argilla", "spacy"])
@given(text=st.text(min_size=1, max_size=30), size=st.floats(allow_nan=False, allow_infinity=False), word=st.text())
@together
def test_texts_and_fields_come_back(format: str, text: str, size: float, word: str, tmp_path: Path) -> None:
    try:
        item = Item("a", text=text, fields={"size": size, "word": word})
    except co.CorollaryError:  # NUL, half a character
        return
    if not text.strip():
        return
    found = there_and_back(snapshot_of({"a": {"bird": True}}, items=[item]), format, tmp_path / "file")
    assert list(found.items()) == [item]


# -- Prodigy -----------------------------------------------------------------------------------------------------------


def test_prodigy_has_an_example_for_each_known_label(tmp_path: Path) -> None:
    items = [Item("robin", text="a small bird", fields={"size": 2, "_hidden": 1, "vector": [1.0]})]
    snapshot = snapshot_of({"robin": {"bird": True, "red": False}}, items=items, who=("ann", "ben"))
    write_file(snapshot, tmp_path / "x.jsonl", "prodigy")
    found = lines(tmp_path / "x.jsonl")
    asked = [one for one in found if one["meta"]["source"] == "asked"]
    assert [(one["label"], one["answer"], one["_annotator_id"]) for one in asked] == [
        ("bird", "accept", "ann"),
        ("bird", "accept", "ben"),
        ("red", "reject", "ann"),
        ("red", "reject", "ben"),
    ]
    assert asked[0] == {
        "text": "a small bird",
        "meta": {"size": 2, "item": "robin", "source": "asked"},
        "label": "bird",
        "answer": "accept",
        "_view_id": "classification",
        "_annotator_id": "ann",
        "_session_id": "ann",
        "_timestamp": 1794722400,
    }
    implied = [one for one in found if one["meta"]["source"] == "implied"]
    assert {one["label"]: one["answer"] for one in implied} == {"animal": "accept", "fish": "reject", "plant": "reject"}
    assert not any("_annotator_id" in one for one in implied)


def test_no_prodigy_example_is_without_an_answer() -> None:
    text = "".join(written(snapshot_of(ANSWERS, beliefs=BELIEFS), "prodigy"))
    assert all("answer" in json.loads(line) for line in text.splitlines())


def test_prodigy_hashes_are_kept(tmp_path: Path) -> None:
    given_lines: list[dict[str, Any]] = [
        {"text": "a robin", "label": "bird", "answer": "accept", "_input_hash": -1530009927, "_task_hash": -340967702},
        {"text": "a robin", "label": "red", "answer": "reject", "_input_hash": -1530009927, "_task_hash": 5},
        {"text": "an oak", "options": [{"id": "plant"}], "accept": ["plant"], "answer": "accept", "_task_hash": 7},
    ]
    path = write_lines(tmp_path / "in.jsonl", given_lines)
    found = check_import(path, ONTO, Form(format="prodigy"))
    items = list(found.items())
    assert found.n_items == len(items) == 2
    assert json.loads(items[0].fields[HASHES]) == {"input": -1530009927, "tasks": {"bird": -340967702, "red": 5}}
    answers: dict[str, dict[str, bool]] = {}
    for item, label, value in found.facts:
        answers.setdefault(item, {})[label] = value
    snapshot = snapshot_of(answers, items=items)
    write_file(snapshot, tmp_path / "out.jsonl", "prodigy")
    back = {one["label"]: one for one in lines(tmp_path / "out.jsonl") if one["text"] == "a robin"}
    for before in given_lines[:2]:
        after = back[before["label"]]
        assert {name: after[name] for name in before} == before
    assert back["animal"]["_input_hash"] == -1530009927
    assert "_task_hash" not in back["animal"]  # it had none
    write_file(snapshot, tmp_path / "choice.jsonl", "prodigy-choice")
    robin, oak = lines(tmp_path / "choice.jsonl")
    assert (robin["_input_hash"], oak["_task_hash"]) == (-1530009927, 7)


def test_prodigy_answers_and_choices(tmp_path: Path) -> None:
    options = [{"id": label, "text": label.upper()} for label in ONTO.labels]
    path = write_lines(
        tmp_path / "in.jsonl",
        [
            {"text": "a", "label": "bird", "answer": "ignore", "_session_id": "birds-ann"},
            {"text": "b", "options": options, "accept": ["bird"], "answer": "accept"},
            {"text": "c", "options": options, "accept": ["bird"], "answer": "reject"},
            {"text": "d", "options": options, "accept": ["bird"], "answer": "ignore"},
            {"text": "e", "label": "fish", "_input_hash": 1},
            {"text": "f", "label": "fish", "answer": "accept", "meta": {"id": 17, "page": 3}},
        ],
    )
    assert recognised(path) == "prodigy"
    a, b, c, d, e, f = read_records(path, "prodigy")
    assert (a.labels, a.unsure, a.who, a.listed) == ({}, ("bird",), "birds-ann", False)
    assert (b.labels, b.listed) == ({"bird": True}, True)
    assert [(one.labels, one.listed) for one in (c, d, e)] == [({}, False)] * 3
    assert (f.item, f.labels, f.fields) == ("17", {"fish": True}, {"page": 3})
    assert "red" not in closed(check_import(path, ONTO, Form(format="prodigy")))[b.item]
    assert closed(check_import(path, ONTO, Form(format="prodigy", complete=True)))[b.item]["red"] is False


def test_a_choice_that_is_not_finished_is_to_be_ignored(tmp_path: Path) -> None:
    answers = {"robin": {"sparrow": True, "red": False}, "thing": {"bird": True}}
    write_file(snapshot_of(answers, beliefs=BELIEFS[:2]), tmp_path / "x.jsonl", "prodigy-choice")
    robin, thing = lines(tmp_path / "x.jsonl")
    assert [option["id"] for option in robin["options"]] == list(ONTO.labels)
    assert (robin["accept"], robin["answer"]) == (["animal", "bird", "sparrow"], "accept")
    assert (thing["answer"], thing["meta"]["open"]) == ("ignore", 2)
    assert set(thing["accept"]) == {"animal", "bird", "sparrow", "red"}  # two are the model's
    said = closed(check_import(tmp_path / "x.jsonl", ONTO, Form(format="prodigy", complete=True)))
    assert said["robin"] == ONTO.propagate(answers["robin"])
    assert said["thing"] == ONTO.propagate({})


# -- doccano, Argilla, spaCy -------------------------------------------------------------------------------------------


def test_doccano_keeps_what_has_no_place_beside_it(tmp_path: Path) -> None:
    write_file(snapshot_of(ANSWERS, beliefs=BELIEFS), tmp_path / "x.jsonl", "doccano")
    robin, oak, thing, new = lines(tmp_path / "x.jsonl")
    assert (robin["id"], robin["text"], robin["label"]) == ("robin", "the robin", ["animal", "bird", "sparrow"])
    assert robin["corollary"] == {"item": "robin", "no": ["fish", "plant", "red"]}
    assert set(oak["corollary"]["predicted"]) == {"red"}
    assert (thing["label"], new["label"]) == ([], [])
    # as doccano hands it out: an id of its own, and a label that someone has picked since
    thing |= {"id": 3, "label": ["bird"], "Comments": []}
    (one,) = read_records(write_lines(tmp_path / "y.jsonl", [thing]), "doccano")
    assert (one.item, one.labels["bird"], one.listed, one.fields) == ("thing", True, True, {})


def test_doccano_is_of_a_closed_world_only_if_someone_says_so(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", [{"id": 1, "text": "a", "label": ["fish"], "page": 2}])
    assert recognised(path) == "doccano"
    assert "red" not in closed(check_import(path, ONTO, Form(format="doccano")))["1"]
    assert closed(check_import(path, ONTO, Form(format="doccano", complete=True)))["1"]["red"] is False
    (one,) = read_records(path, "doccano")
    assert one.fields == {"page": 2}


def test_argilla_has_responses_for_what_is_known_and_suggestions_else(tmp_path: Path) -> None:
    write_file(snapshot_of(ANSWERS, beliefs=BELIEFS), tmp_path / "x.jsonl", "argilla")
    assert recognised(tmp_path / "x.jsonl") == "argilla"
    robin, oak, _, _ = lines(tmp_path / "x.jsonl")
    assert robin["responses"] == {"labels": [{"value": ["animal", "bird", "sparrow"], "user_id": "ann"}]}
    assert robin["suggestions"] == {}
    assert oak["responses"] == {}
    suggested = oak["suggestions"]["labels"]
    assert suggested["value"] == ["plant", "red"]
    assert suggested["score"] == [1.0, pytest.approx(0.999999)]
    assert suggested["agent"] == "corollary-model-3-ontology-1"
    assert oak["metadata"]["corollary_yes"] == ["plant"]


def test_argilla_responses_by_person(tmp_path: Path) -> None:
    record = {
        "id": "7",
        "fields": {"prompt": "a robin", "title": "T"},
        "metadata": {"page": 2, "corollary_no": ["bird", "red"]},
        "suggestions": {"labels": {"value": ["fish"], "score": None, "agent": None}},
        "responses": {
            "labels": [
                {"value": ["bird"], "user_id": "u1"},
                {"value": ["fish"], "user_id": "u2", "status": "discarded"},
                {"value": ["sparrow"], "user_id": "u3"},
            ],
            "comment": [{"value": "nice", "user_id": "u1"}],
        },
    }
    path = write_lines(tmp_path / "x.jsonl", [record])
    one, two = read_records(path, "argilla")
    assert (one.who, one.labels, one.listed) == ("u1", {"bird": True, "red": False}, True)
    assert (two.who, two.labels) == ("u3", {"bird": False, "red": False, "sparrow": True})
    assert (one.text, one.fields) == ("a robin", {"page": 2, "title": "T"})
    del record["responses"]["labels"]
    (only,) = read_records(write_lines(path, [record]), "argilla")  # the one question left
    assert only.labels["nice"] is True  # whoever takes the record says that this is no label
    with pytest.raises(co.CorollaryError, match="'nice' is no label of the ontology"):
        check_import(path, ONTO, Form(format="argilla"))
    (path).write_text(json.dumps([record | {"responses": {}}]))  # a list, as Argilla's to_json writes it
    (empty,) = read_records(path, "argilla")
    assert (empty.labels, empty.listed) == ({"bird": False, "red": False}, False)


def test_spacy_says_what_is_known_by_0_and_1(tmp_path: Path) -> None:
    write_file(snapshot_of(ANSWERS, beliefs=np.ones((4, len(ONTO)))), tmp_path / "x.jsonl", "spacy")
    assert recognised(tmp_path / "x.jsonl") == "spacy"
    robin, oak, _, _ = lines(tmp_path / "x.jsonl")
    assert robin["cats"] == {"animal": 1, "bird": 1, "fish": 0, "sparrow": 1, "plant": 0, "red": 0}
    assert oak["cats"]["red"] == 1 - 1e-6
    assert robin["meta"] == {"item": "robin"}
    write_file(snapshot_of(ANSWERS), tmp_path / "y.jsonl", "spacy")
    assert "red" not in lines(tmp_path / "y.jsonl")[1]["cats"]


def test_items_without_ids_are_known_by_their_text(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "x.jsonl",
        [
            {"text": "a robin", "cats": {"bird": 1.0}},
            {"text": "a robin", "cats": {"red": 0}},
            {"text": "b", "cats": {}},
        ],
    )
    found = check_import(path, ONTO, Form(format="spacy"))
    assert found.n_items == 2
    assert {(label, value) for _, label, value in found.facts} == {("bird", True), ("red", False)}


def test_docbin_needs_spacy(tmp_path: Path) -> None:
    try:
        import spacy  # noqa: F401
    except ModuleNotFoundError:
        with pytest.raises(co.CorollaryError, match="pip install spacy"):
            write_file(snapshot_of(ANSWERS), tmp_path / "x.spacy", "spacy-docbin")
    else:
        found = there_and_back(snapshot_of(ANSWERS), "spacy-docbin", tmp_path / "x.spacy")
        assert closed(found) == {item: ONTO.propagate(said) for item, said in ANSWERS.items()}


# -- Hugging Face ------------------------------------------------------------------------------------------------------


def test_huggingface_features_and_columns(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_file(snapshot_of(ANSWERS, beliefs=BELIEFS), tmp_path / "x.parquet", "huggingface")
    table = parquet.read_table(tmp_path / "x.parquet")
    features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
    assert list(features) == table.column_names
    assert features["labels"]["feature"] == {"names": list(ONTO.labels), "_type": "ClassLabel"}
    assert features["bird"] == {"names": ["no", "yes"], "_type": "ClassLabel"}
    robin, oak, _, new = table.to_pylist()
    assert [ONTO.labels[k] for k in robin["labels"]] == ["animal", "bird", "sparrow"]
    assert (robin["bird"], robin["fish"], robin["text"]) == (1, 0, "the robin")
    assert oak["sources"][ONTO.index["red"]] == "predicted"
    assert oak["probabilities"][ONTO.index["red"]] == pytest.approx(0.999999)
    write_file(snapshot_of(ANSWERS), tmp_path / "x.parquet", "huggingface")
    assert parquet.read_table(tmp_path / "x.parquet").to_pylist()[3]["bird"] is None
    assert new["id"] == "new"


@pytest.mark.parametrize("kind", ["Sequence", "List", "legacy"])
def test_other_peoples_classes_are_read(tmp_path: Path, kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    inner = {"names": list(ONTO.labels), "_type": "ClassLabel"}
    tags: Any = [inner] if kind == "legacy" else {"feature": inner, "_type": kind}
    for name, values, feature in (("tags", [[1, 4], []], tags), ("label", [3, -1], inner)):
        features = {"text": {"dtype": "string", "_type": "Value"}, name: feature, "page": {"dtype": "int64"}}
        table = pa.table({"text": ["a", "b"], name: values, "page": [1, 2]})
        about = json.dumps({"info": {"features": features}})
        parquet.write_table(table.replace_schema_metadata({"huggingface": about}), tmp_path / "x.parquet")
        one, two = read_records(tmp_path / "x.parquet", "huggingface")
        assert set(one.labels) == {ONTO.labels[k] for k in (values[0] if name == "tags" else [3])}
        assert (one.fields, one.listed, two.labels) == ({"page": 1}, True, {})


def test_tables_that_name_no_labels_are_told(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"text": ["a"]}), tmp_path / "x.parquet")
    with pytest.raises(co.CorollaryError, match="does not say what its labels are called"):
        list(read_records(tmp_path / "x.parquet", "huggingface"))
    (tmp_path / "y.parquet").write_bytes(b"no")
    with pytest.raises(co.CorollaryError, match="not a good Parquet file"):
        list(read_records(tmp_path / "y.parquet", "huggingface"))
    with pytest.raises(co.CorollaryError, match="is no text: write it to a file"):
        written(snapshot_of(ANSWERS), "huggingface")


# -- what is wrong is told, with its line ------------------------------------------------------------------------------

GOOD: dict[str, dict[str, Any]] = {
    "prodigy": {"text": "a", "label": "bird", "answer": "accept"},
    "doccano": {"id": 1, "text": "a", "label": ["bird"]},
    "argilla": {"id": "1", "fields": {"text": "a"}, "responses": {}},
    "spacy": {"text": "a", "cats": {"bird": 1}},
}


@pytest.mark.parametrize(
    ("format", "bad", "told"),
    [
        ("prodigy", {"answer": "yes"}, "'answer' must be one of accept, reject, ignore, got 'yes'"),
        ("prodigy", {"_task_hash": 2**31}, "'_task_hash' must be a whole number of 32 bits with a sign"),
        ("prodigy", {"_input_hash": "1"}, "'_input_hash' must be a whole number"),
        ("prodigy", {"options": [{"id": "bird"}], "accept": ["fish"]}, "'accept' names 'fish', which is none of"),
        ("prodigy", {"options": ["bird"]}, "'options' must be a list of objects with an id"),
        ("prodigy", {"text": "", "id": None}, "neither an id nor a text"),
        ("prodigy", {"label": "brid"}, "'brid' is no label of the ontology; did you mean 'bird'?"),
        ("prodigy", {"meta": 3}, "'meta' must be an object in braces"),
        ("doccano", {"label": [[0, 3, "bird"]]}, "labels of parts of the text"),
        ("doccano", {"label": "brid"}, "'brid' is no label"),
        ("doccano", {"text": 3}, "'text' must be text, got '3'"),
        ("doccano", {"id": 1.5}, "an id must be a text or a whole number"),
        ("argilla", {"responses": [1]}, "'responses' must be an object of lists by question"),
        ("argilla", {"responses": {"labels": [1]}}, "the responses to 'labels' must be a list of objects"),
        ("argilla", {"responses": {"labels": [{"value": 3}]}}, "must be a list of labels"),
        ("argilla", {"responses": {"a": [{"value": "x"}], "b": [{"value": "y"}]}}, "several questions"),
        ("spacy", {"cats": {"bird": 2}}, "cats: 'bird' must be a number from 0 to 1, got '2'"),
        ("spacy", {"cats": {"bird": "yes"}}, "got 'yes'"),
        ("spacy", {"cats": {"bird": 1, "fish": 1}}, "bird"),
    ],
)
def test_a_bad_line_is_told_and_nothing_is_imported(
    format: str, bad: dict[str, Any], told: str, tmp_path: Path
) -> None:
    good = GOOD[format]
    path = write_lines(tmp_path / "x.jsonl", [good, good | {"id": 2, "text": "b"} | bad])
    with pytest.raises(
        co.CorollaryError, match="(?s)line 2.*" + told.replace("?", r"\?") + ".*[Nn]othing was imported"
    ):
        check_import(path, ONTO, Form(format=format))


@pytest.mark.parametrize("format", GOOD)
def test_a_line_that_is_no_json_is_told(format: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(GOOD[format]) + '\n{"text": \n')
    with pytest.raises(co.CorollaryError, match="line"):
        check_import(path, ONTO, Form(format=format))


# -- files that attack -------------------------------------------------------------------------------------------------


NO_OR_YES = {"_type": "ClassLabel", "names": ["no", "yes"]}


@pytest.mark.parametrize("label", ['["a"]', '{"a": 1}', "5"])
def test_a_label_of_prodigy_is_a_text(label: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"text": "a", "label": {label}, "answer": "accept", "_task_hash": 5}}\n')
    with pytest.raises(co.CorollaryError, match="'label' must be text"):
        list(read_records(path, "prodigy"))


@pytest.mark.parametrize("kept", [5, "no JSON", "[1]", '{"tasks": 5}', {"tasks": {}}])
def test_a_field_of_ones_own_that_is_called_like_prodigys_hashes(kept: Any, tmp_path: Path) -> None:
    item = Item("a", text="robin", fields={HASHES: kept})
    write_file(snapshot_of({"a": {"bird": True}}, items=[item]), tmp_path / "x.jsonl", "prodigy")
    assert "_task_hash" not in lines(tmp_path / "x.jsonl")[0]


@pytest.mark.parametrize(
    ("features", "columns", "told"),
    [
        ({"a": {"_type": "ClassLabel"}}, {"a": [1]}, "no column of labels"),
        ({"a": {"_type": "ClassLabel", "names": [["x"]]}}, {"a": [1]}, "no column of labels"),
        ({"gone": {"_type": "ClassLabel", "names": ["x"]}}, {"a": [1]}, "no column of labels"),
        ({"a": {"_type": "ClassLabel", "names": ["x"]}}, {"a": ["y"]}, "there is no label number y"),
        ({"a": [{"_type": "ClassLabel", "names": ["x"]}]}, {"a": [7]}, "must hold lists of numbers"),
        ({"a": NO_OR_YES}, {"a": [1], "sources": [[]]}, None),
        ({"a": NO_OR_YES}, {"a": [1], "sources": [["x", "y"]]}, "a text for each"),
        ({"a": NO_OR_YES}, {"a": [1], "sources": [5]}, "a text for each"),
        (5, {"a": [1]}, "does not say what its labels are called"),
    ],
)
def test_tables_whose_features_are_not_those_of_their_columns(
    features: Any, columns: dict[str, Any], told: str | None, tmp_path: Path
) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pa.table({"id": ["1"], **columns})
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    parquet.write_table(table.replace_schema_metadata(metadata), path := tmp_path / "x.parquet")
    if told is None:
        assert [one.labels for one in read_records(path, "huggingface")] == [{"a": True}]
        return
    with pytest.raises(co.CorollaryError, match=told):
        list(read_records(path, "huggingface"))
