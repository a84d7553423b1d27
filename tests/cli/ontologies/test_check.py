"""`corollary check`: other people's labels against an ontology."""

from __future__ import annotations

import json

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.files.checking import Check
from corollary.campaign.files.exports import exports
from corollary.campaign.files.tools.formats import FORMATS, READ, WRITTEN
from corollary.campaign.files.tools.label_studio.config import taxonomy_config
from corollary.cli.ontologies.check import records_of
from corollary.logic.ontology import Ontology

from ...campaign.files.tools.label_studio.payloads import (
    annotation,
    choices,
    question,
    task,
    taxonomy,
)


@pytest.fixture
def saved(tmp_path):
    """Call it to have a file written."""

    def write(name, content):
        path = tmp_path / name
        path.write_text(
            content if isinstance(content, str) else json.dumps(content), encoding="utf-8"
        )
        return path

    return write


SUFFIXES = {"csv": ".csv", "csv-wide": ".csv", "parquet": ".parquet", "label-studio": ".json"}
GOOD = [task("robin", 1, [annotation(taxonomy(["animal", "bird"]))]), task("oak", 2)]
BAD = [
    task("robin", 1, [annotation(choices("bird", "fish", "animal"))]),
    task("carp", 2, [annotation(choices("fish"), who=9)]),
    task("Rome", 3, [annotation(choices("ctiy"))]),
]


def test_good_labels_pass(call, zoo, saved):
    result = call("check", saved("good.json", GOOD), "--ontology", zoo)
    assert result.exit_code == 0
    assert result.output == "good.json: 1 labelled item, 2 labels: no violation\n"


def test_each_violation_has_its_reason(call, zoo, saved):
    result = call("check", saved("bad.json", BAD), "--ontology", zoo, "--json")
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert found["counts"] == {"unknown label": 1, "contradiction": 1, "implied but not chosen": 1}
    assert (found["items"], found["labels"]) == (3, 5)
    by_item = {one["item"]: one for one in found["violations"]}
    assert set(by_item["robin"]["labels"]) == {"bird", "fish"}
    assert by_item["robin"]["constraints"] == ["exclusive: bird, fish, mammal"]
    assert "at most one of bird, fish, mammal" in by_item["robin"]["message"]
    assert "did you mean 'city'" in by_item["Rome"]["message"]
    assert (by_item["carp"]["by"], by_item["carp"]["place"]) == ("label-studio-9", "task 2")
    assert "fish implies animal" in by_item["carp"]["message"]


def test_people_see_a_table(call, zoo, saved):
    result = call("check", saved("bad.json", BAD), "--ontology", zoo)
    assert result.exit_code == 1
    assert "contradiction" in result.output
    assert "bad.json: 3 labelled items, 5 labels: 3 violations in 3 items:" in result.output


def test_in_a_closed_world_labels_can_be_lacking(call, saved):
    onto = saved("pets.onto", "pet > at least one: cat, dog\n")
    export = saved("pets.json", [task("rex", 1, [annotation(choices("pet"))])])
    assert call("check", export, "--ontology", onto).exit_code == 0
    for option in ("--closed-world", "--complete"):
        result = call("check", export, "--ontology", onto, option, "--json")
        assert result.exit_code == 1
        (one,) = json.loads(result.output)["violations"]
        assert one["kind"] == "missing label"
        assert one["message"].startswith(
            "with pet chosen, cat or dog must be chosen too: pet implies cat or dog"
        )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("long.csv", "item,label,value\na,bird,yes\na,fish,yes\n"),
        ("wide.csv", "id,bird,fish\na,1,1\nb,1,0\n"),
        ("names.csv", "id,labels\na,bird;fish;animal\nb,animal|bird\n"),
        ("names.tsv", "id\tlabels\na\tbird;fish;animal\n"),
    ],
)
def test_tables_of_every_kind(call, zoo, saved, name, content):
    result = call("check", saved(name, content), "--ontology", zoo, "--json")
    assert result.exit_code == 1
    (one,) = json.loads(result.output)["violations"]
    assert (one["item"], one["kind"], set(one["labels"])) == (
        "a",
        "contradiction",
        {"bird", "fish"},
    )


def test_columns_can_be_named(call, zoo, saved):
    path = saved("odd.csv", "no,what\n1,bird+fish+animal\n")
    result = call(
        "check",
        path,
        "--ontology",
        zoo,
        "--id",
        "no",
        "--labels",
        "what",
        "--separator",
        "+",
        "--json",
    )
    assert json.loads(result.output)["counts"] == {"contradiction": 1}


def test_our_own_exports_are_fine(call, zoo, place, tmp_path):
    kinds = (
        "csv",
        "csv-wide",
        "jsonl",
        "parquet",
        "label-studio",
        "prodigy",
        "doccano",
        "argilla",
        "spacy",
    )
    for kind in kinds:
        path = tmp_path / f"{kind}{SUFFIXES.get(kind, '.jsonl')}"
        assert call("export", place, path, "--format", kind).exit_code == 0
        result = call("check", path, "--ontology", zoo)
        assert (result.exit_code, "no violation" in result.output) == (0, True)


def test_questions_of_one_person_belong_together(call, zoo, saved):
    answers = [("bird", "Yes", 7), ("fish", "Yes", 8), ("animal", "No", 7)]
    tasks = [
        question("a", label, annotations=[annotation(choices(word), who=who)])
        for label, word, who in answers
    ]
    result = call("check", saved("q.json", tasks), "--ontology", zoo, "--json")
    (one,) = json.loads(result.output)["violations"]
    assert (one["by"], set(one["labels"])) == ("label-studio-7", {"bird", "animal"})


def test_the_ontology_may_be_a_config(call, saved):
    config = saved("config.xml", taxonomy_config(Ontology.parse("animal > bird\n")))
    export = saved("e.json", [task("a", 1, [annotation(choices("bird"))])])
    result = call("check", export, "--ontology", config)
    assert result.exit_code == 1
    assert "implied but not chosen" in result.output


def test_long_lists_are_cut_and_counted(call, zoo, saved):
    export = saved(
        "many.json", [task(str(n), n, [annotation(choices("bird"))]) for n in range(1, 61)]
    )
    short = call("check", export, "--ontology", zoo).output
    assert "and 10 more; --all lists them" in short
    every = call("check", export, "--ontology", zoo, "--all").output
    assert len(every.splitlines()) > 60
    assert "more; --all" not in every


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("bad.json", "[{", "not good JSON"),
        ("none.csv", "id,text\na,b\n", "has no labels"),
        ("what.json", '[{"foo": 1}]', "none of the formats"),
    ],
)
def test_what_cannot_be_read_is_told(call, zoo, saved, name, content, told):
    result = call("check", saved(name, content), "--ontology", zoo)
    assert result.exit_code == 2
    assert told in result.stderr
    assert "Traceback" not in result.output


def test_labels_that_look_like_one_class_each_are_told_of(call, saved):
    onto = saved("loose.onto", "exclusive: bird, fish\n")
    rows = saved(
        "labels.csv",
        "id,labels\n" + "".join(f"{i},{'bird' if i % 2 else 'fish'}\n" for i in range(6)),
    )
    result = call("check", rows, "--ontology", onto)
    assert (
        "If that holds of every item, say so, and a no will settle more:\n  exactly one: bird, fish\n"
        in result.output
    )
    assert len(json.loads(call("check", rows, "--ontology", onto, "--json").output)["notes"]) == 1


ONTO = Ontology.parse("animal > exclusive: bird, fish\nplace > city")
ITEMS = [
    {"id": "1", "text": "a robin"},
    {"id": "2", "text": "a stone"},
    {"id": "3", "text": "Rome"},
]
CHECKED = [
    name
    for name in exports.FORMATS
    if name != exports.OF_ANSWERS and (name in READ or name not in WRITTEN)
]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """A campaign with answers, and none about the last item."""
    place = tmp_path_factory.mktemp("labelled") / "x.sqlite"
    with Campaign.create(place, ITEMS, ONTO, name="x") as made:
        made.answer("lead", "1", "bird", True)
        made.answer("lead", "1", "place", False)  # Label Studio's tasks need all labels of an item
        made.answer("lead", "2", "animal", False)
        yield made


@pytest.mark.parametrize("name", CHECKED)
def test_every_format_that_is_exported_is_checked(labelled, tmp_path, name):
    ending = {"parquet-items": ".parquet", "rdf": ".nt", "spacy-docbin": ".spacy"}
    suffix = ending.get(name) or SUFFIXES.get(name)
    if suffix is None:
        suffix = ".csv" if name.startswith("csv") else ".jsonl"
    if name in WRITTEN:
        suffix = FORMATS[name].suffix
    if name == "spacy-docbin":
        pytest.importorskip("spacy")
    path = tmp_path / f"labels{suffix}"
    exports.export(labelled, path, format=name, predictions=False)
    options = dict.fromkeys(("id", "labels", "separator", "ignore", "encoding", "delimiter"))
    options["kind"] = name if name in WRITTEN else None
    check = Check(ONTO)
    found = list(check.violations(records_of(path, ONTO, options)))
    assert found == []
    assert check.items or name == "label-studio-questions"  # it holds what is open
