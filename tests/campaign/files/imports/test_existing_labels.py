"""Labels that come with items: joined in a column, a column each, a row each; what clashes is told."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.files.imports.existing_labels import yes_or_no
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import, read_items
from corollary.logic.errors import Contradiction, CorollaryError
from corollary.logic.language.about import About

from .refusals import ONTO, refused


@pytest.mark.parametrize(
    "joined",
    ["bird; red square", "bird|red square", "bird, red square", "bird@red square", "bird;"],
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
    assert check_import(write("x.csv", 'id,labels\n1,"a, b"\n'), onto).facts == [
        ("1", "a, b", True)
    ]
    assert check_import(
        write("x.csv", 'id,labels\n1,"a, b/c"\n'), onto, Form(separator="/")
    ).facts == [
        ("1", "a, b", True),
        ("1", "c", True),
    ]


CELLS = co.Ontology(
    ["CL:1", "CL:2", "CL:3"],
    about={
        "CL:1": About(id="CL:1", names=("neuron",), synonyms=("brain cell",)),
        "CL:2": About(id="CL:2", names=("astrocyte",), synonyms=("brain cell",)),
        "CL:3": About(id="CL:3", names=("cell, NOS",), alt_ids=("CL:9",)),
    },
)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.csv", "id,labels\na,Neuron; CL_2\nb,CL:9\n", "a CL:1, a CL:2, b CL:3"),
        ("x.csv", 'id,labels\na,"cell, NOS"\n', "a CL:3"),
        ("x.csv", "item,label,value\na,neuron,yes\n", "a CL:1"),
        ("x.jsonl", '{"id": "a", "labels": ["neuron", "CL:9"]}\n', "a CL:1, a CL:3"),
        ("x.jsonl", '{"id": "a", "labels": {"neuron": true}}\n', "a CL:1"),
    ],
)
def test_names_synonyms_and_ids_are_taken_for_labels(write, name, content, said):
    form = Form(only_labels="value" in content)
    found = check_import(
        write(name, content), CELLS, form, answers=lambda _: {} if form.only_labels else None
    )
    assert ", ".join(f"{item} {label}" for item, label, value in found.facts if value) == said


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", "id,labels\na,brain cell\n"),
        ("x.jsonl", '{"id": "a", "labels": {"brain cell": true}}\n'),
    ],
)
def test_names_of_several_labels_are_refused(write, name, content):
    with pytest.raises(CorollaryError, match="'brain cell' can mean 2 labels: 'CL:1', 'CL:2'"):
        check_import(write(name, content), CELLS)


def test_complete_labels_say_no_to_all_others_but_not_to_what_follows(write):
    found = check_import(write("x.csv", "id,labels\na,bird\nb,\n"), ONTO, Form(complete=True))
    assert {label: value for _, label, value in found.facts} == {
        "bird": True
    }  # the rest follows already
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
        "x.csv",
        "item,label,value,source\na,bird,yes,asked\nb,fish,1,\na,city,no,implied\nb,bird,no,predicted\n",
    )
    assert read_items(path, campaign) == ([], [("a", "bird", True), ("b", "fish", True)])
    with pytest.raises(CorollaryError, match="line 2: there is no item 'z' in the campaign"):
        read_items(write("x.csv", "item,label,value\nz,bird,yes\n"), campaign)
    with pytest.raises(
        CorollaryError, match="line 3: item 'a': bird is both yes and no, see line 2"
    ):
        read_items(write("x.csv", "item,label,value\na,bird,yes\na,bird,no\n"), campaign)
    with pytest.raises(
        CorollaryError,
        match="line 3: item 'a': These answers cannot all be true: bird is yes, fish",
    ):
        read_items(write("x.csv", "item,label,value\na,bird,yes\na,fish,yes\n"), campaign)


def test_labels_that_contradict_answers_in_the_campaign(write, campaign):
    campaign.answer("lead", "a", "fish", True)
    for label in ("city", "bird"):
        with pytest.raises(
            CorollaryError, match="line 2: item 'a': These answers cannot all be true: "
        ):
            read_items(write("x.csv", f"item,label,value\na,{label},yes\n"), campaign)
    with pytest.raises(
        CorollaryError, match="fish is no here, but was answered yes in the campaign"
    ):
        read_items(write("x.csv", "item,label,value\na,fish,no\n"), campaign)


cells = st.dictionaries(
    st.sampled_from(ONTO.labels), st.sampled_from(["yes", "no", ""]), max_size=4
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
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


def test_rows_that_name_no_label_stay_open_and_are_counted(write):
    path = write("x.csv", "id,labels\na,bird\nb,\nc,  \n")
    found = check_import(path, ONTO, Form(complete=True, text="id"))
    assert found.facts == [("a", "bird", True)]  # all other labels follow
    assert found.notes == [
        "2 of 3 rows name no label in the column 'labels': they stay open, since an empty cell says nothing"
    ]
    assert check_import(path, ONTO, Form(text="id")).notes == []
    lines = write(
        "x.jsonl", '{"id": "a", "text": "a", "labels": []}\n{"id": "b", "labels": null}\n'
    )
    found = check_import(lines, ONTO, Form(complete=True))
    assert {(item, value) for item, _, value in found.facts} == {("a", False)}
    assert found.notes[0].startswith("1 of 2 rows name no label")
