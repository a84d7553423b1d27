"""Broken files of items, labels and answers: a result or an error of ours, never another one, never a hang."""

from __future__ import annotations

import contextlib
import gzip
import io
import tempfile
import warnings
import zipfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.checking import Check
from corollary.campaign.files.exports.exports import export
from corollary.campaign.files.exports.provenance import take_snapshot
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import READ, WRITTEN, write_file
from corollary.campaign.files.tools.label_studio.config import (
    choices_config,
    ontology_of,
    taxonomy_config,
)
from corollary.campaign.items import Item
from corollary.campaign.storage.backups import restore
from corollary.campaign.storage.store import Store
from corollary.cli.ontologies.check import records_of
from corollary.experiment.data.files import read_dataset
from corollary.learning.session.session import Session

from .frame import broken, examples, within

pytestmark = pytest.mark.slow

ONTO = co.Ontology.parse(
    'animal > exclusive: bird, fish\nexclusive: animal, place\n"=odd" > "=very odd"'
)
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
ITEMS = [
    Item("i0", text="a robin, red", fields={"weight": 3, "note": "small"}),
    Item("-i1", text="=SUM(1)", fields={"weight": 4.5}),
    Item("i2", text='two\nlines, "quoted"', fields={}),
    Item("ï3", text="ü 🐟", fields={"weight": -1, "size": "x"}),
]
FACTS = [("i0", "bird", True), ("-i1", "place", True), ("i2", "fish", False), ("ï3", "=odd", True)]
#: What values in JSON may turn into.
JSON = [b"null", b"{}", b"[]", b"[1]", b'["a"]', b'{"a": 1}', b"5", b"-1", b"1e400", b"9" * 400, b"true", b'"x"', b'""',
        b"NaN", b'"\\ud800"', b'"\\u0000"', b"[" * 200, b"[" * 2000, b",", b":", b'"']  # fmt: skip
TABLE = [b",", b";", b"\t", b'"', b"\n", b"\r", b",,,,\n", b"id", b"text", b"bird", b"yes", b"?", b"=1", b"'", b"\xff",
         b"\xef\xbb\xbf", b"9" * 400, b"labels", b"vector", b"image", b"1 2 3", b"\0"]  # fmt: skip


@cache
def documents() -> dict[str, bytes]:
    """A good file of each kind, as this library writes it."""
    found = {"x.tsv": b"id\ttext\tlabels\timage\na\trobin\tbird\t\nb\tcarp\t\t\n"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Campaign.create(folder / "x.sqlite", ITEMS, ONTO, name="x") as campaign:
            campaign.add("lead", facts=FACTS)
            campaign.answer("lead", "i2", "animal", True)
            snapshot = take_snapshot(campaign)
            for kind in ("csv", "csv-wide", "jsonl", "parquet"):
                export(campaign, folder / "x", format=kind, replace=True)
                found[kind] = (folder / "x").read_bytes()
            for kind in WRITTEN:
                with contextlib.suppress(co.CorollaryError):  # spaCy may not be there
                    write_file(snapshot, folder / "y", kind)
                    found[kind] = (folder / "y").read_bytes()
        with Store.open(folder / "x.sqlite", readonly=True) as store:
            store.backup(folder / "x.jsonl.gz")
            found["backup"] = gzip.decompress((folder / "x.jsonl.gz").read_bytes())
        session = Session(ONTO, beliefs=[[0.5] * len(ONTO)] * 2)
        session.answer((0, "bird"), True)
        session.save(folder / "log.jsonl")
        found["session"] = (folder / "log.jsonl").read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.png", PNG)
        archive.writestr("folder/b.png", PNG)
        archive.writestr("notes.txt", b"text")
    found["x.zip"] = packed.getvalue()
    found["x.csv"] = b"id,text,weight,bird,labels\na,robin,3,yes,\nb,carp,4,,fish|animal\n"
    found["x.jsonl"] = (
        b'{"id": "a", "text": "robin", "vector": [1, 2], "labels": ["bird"]}\n{"id": 7, "vector": [3, 4]}\n'
    )
    return found


def good(*names: str) -> list[bytes]:
    return [documents()[name] for name in names]


def attempt(read, data: bytes, name: str) -> None:
    """Read a file; only errors of ours may come out, and soon."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / name
        path.write_bytes(data)
        with within(), contextlib.suppress(co.CorollaryError):
            read(path)


def import_all(form: Form | None = None):
    def read(path: Path) -> None:
        found = check_import(path, ONTO, form, answers=lambda item: {} if item == "i0" else None)
        items = list(found.items())
        assert len(items) == found.n_items
        assert all(isinstance(item, Item) for item in items)
        assert all(label in ONTO for _, label, _ in found.facts)

    return read


@examples(150)
@given(
    data=st.data(),
    kind=st.sampled_from([".csv", ".tsv"]),
    labels=st.booleans(),
    complete=st.booleans(),
)
def test_tables(data, kind, labels, complete):
    text = data.draw(broken(good("x.csv", "x.tsv", "csv", "csv-wide"), TABLE))
    attempt(import_all(Form(only_labels=labels, complete=complete)), text, f"x{kind}")


@examples(20)
@given(
    data=st.data(),
    encoding=st.sampled_from(
        ["utf-16", "cp1252", "utf-7", "unicode_escape", "idna", "punycode", "x"]
    ),
)
def test_tables_in_other_encodings(data, encoding):
    attempt(import_all(Form(encoding=encoding)), data.draw(broken(good("x.csv"), TABLE)), "x.csv")


@examples(150)
@given(data=st.data(), complete=st.booleans())
def test_json_lines(data, complete):
    attempt(
        import_all(Form(complete=complete)),
        data.draw(broken(good("x.jsonl", "jsonl"), JSON)),
        "x.jsonl",
    )


@examples(60)
@given(data=st.data(), format=st.sampled_from([None, "huggingface"]))
def test_parquet(data, format):
    attempt(
        import_all(Form(format=format)),
        data.draw(broken(good("parquet", "huggingface"))),
        "x.parquet",
    )


@examples(60)
@given(data=st.data())
def test_zip_files_of_pictures(data):
    attempt(
        import_all(),
        data.draw(broken(good("x.zip"), [b"PK\x01\x02", b"\xff" * 4, b"../", b"\0"])),
        "x.zip",
    )


@examples(40)
@given(
    names=st.lists(
        st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=9),
        max_size=4,
    )
)
def test_folders_of_pictures(names):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "pictures"
        folder.mkdir()
        for one in names:
            with contextlib.suppress(OSError):
                (folder / one).write_bytes(PNG)
        with within(), contextlib.suppress(co.CorollaryError):
            import_all()(folder)


@pytest.mark.parametrize(
    "format", [name for name in READ if name not in ("huggingface", "spacy-docbin")]
)
@examples(60)
@given(data=st.data())
def test_other_tools(format, data):
    source = {"label-studio-min": "label-studio"}.get(format, format)
    text = data.draw(
        broken([*good(source), MINIMAL if source != format else b"[{}]"], [*JSON, *KEYS])
    )
    attempt(import_all(Form(format=format, complete=data.draw(st.booleans()))), text, "x.json")


MINIMAL = b'[{"text": "a", "id": 1, "labels": "bird", "annotator": 1, "annotation_id": 2, "created_at": "2026"}]'
KEYS = [b'"data"', b'"result"', b'"value"', b'"taxonomy"', b'"label"', b'"meta"', b'"options"', b'"accept"', b'"id"',
        b'"responses"', b'"fields"', b'"cats"', b'"_task_hash": 1,']  # fmt: skip


@examples(60)
@given(data=st.data())
def test_files_of_json_whose_format_is_found_out(data):
    names = [name for name in READ if name in documents() and name != "huggingface"]
    attempt(import_all(), data.draw(broken(good(*names), JSON)), "x.json")


@examples(60)
@given(data=st.data())
def test_checking_anybodys_labels(data):
    name = data.draw(st.sampled_from(["csv-wide", "x.csv", "jsonl", "doccano", "label-studio"]))
    kind = "csv" if "csv" in name else "jsonl" if name != "label-studio" else "json"
    text = data.draw(broken(good(name), [*JSON, *TABLE]))
    options = dict.fromkeys(
        ("kind", "id", "labels", "separator", "encoding", "delimiter"), None
    ) | {"ignore": ()}
    check = Check(ONTO, complete=data.draw(st.booleans()))
    attempt(lambda path: list(check.violations(records_of(path, ONTO, options))), text, f"x.{kind}")


@examples(80)
@given(data=st.data())
def test_configs_of_label_studio(data):
    configs = [taxonomy_config(ONTO).encode(), choices_config(ONTO).encode()]
    tokens = [
        b"<Choice value='x'>" * 200,
        b"</Choice>",
        b"<Taxonomy>",
        b"<!DOCTYPE a>",
        b"&amp;",
        b"&x;",
        b"value=",
    ]
    text = data.draw(broken(configs, tokens)).decode(errors="replace")
    with within(), contextlib.suppress(co.CorollaryError):
        ontology_of(text)


@examples(40)
@given(data=st.data(), packed=st.booleans())
def test_backups_restore_a_whole_campaign_or_nothing(data, packed):
    text = data.draw(broken(good("backup"), [*JSON, b'{"rows": 0}\n', b'"table"', b'"base64"']))
    content = (
        gzip.compress(text) if packed else data.draw(broken([gzip.compress(documents()["backup"])]))
    )
    with tempfile.TemporaryDirectory() as name:
        path, target = Path(name) / "x.jsonl.gz", Path(name) / "x.sqlite"
        path.write_bytes(content)
        try:
            with within():
                restore(path, target)
        except co.CorollaryError:
            assert [file.name for file in Path(name).iterdir()] == ["x.jsonl.gz"]
        else:
            with Store.open(target, readonly=True) as store:
                assert store.count_items() == len(list(store.items(images=True)))
                assert [event.seq for event in store.events()] == list(range(1, store.last + 1))


@examples(60)
@given(data=st.data())
def test_logs_of_sessions(data):
    beliefs = [[0.5] * len(ONTO)] * 2
    text = data.draw(
        broken(good("session"), [*JSON, b'"label"', b'"event"', b'"restate"', b'"taken up"'])
    )
    attempt(lambda path: Session.load(path, beliefs=beliefs).ask(), text, "log.jsonl")


@examples(60)
@given(data=st.data(), kind=st.sampled_from([".csv", ".tsv", ".libsvm", ".csv.gz", ".parquet"]))
def test_data_sets(data, kind):
    table = b"x,y,animal,bird,fish,place,=odd\n1,2,1,1,0,0,0\n3,,0,0,0,1,0\n4,5,1,0,1,0,1\n"
    lines = b"animal@bird 1:0.5 2:1\nplace 2:3\n@ 1:1\n"
    texts = {".libsvm": lines, ".parquet": documents()["parquet"], ".csv.gz": gzip.compress(table)}
    text = data.draw(
        broken([texts.get(kind, table)], [b"nan", b"inf", b"-1:2", b"1:x", b"9" * 400, *TABLE])
    )
    attempt(lambda path: read_dataset(path, ontology=ONTO), text, f"x{kind}")


@examples(40)
@given(
    texts=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8),
        min_size=1,
        max_size=4,
    ),
    format=st.sampled_from(["csv", "csv-wide", "jsonl"]),
    safe=st.booleans(),
)
def test_exports_come_back(texts, format, safe):
    items = [Item(f"{text.strip()}{n}".strip(), text=text) for n, text in enumerate(texts)]
    with tempfile.TemporaryDirectory() as name:
        with Campaign.create(Path(name) / "x.sqlite", items, ONTO, name="x") as campaign:
            campaign.add("lead", facts=[(item.id, "=odd", True) for item in items])
            export(
                campaign,
                path := Path(name) / f"x.{format.removesuffix('-wide')}",
                format=format,
                safe=safe,
            )
        found = check_import(path, ONTO, Form(only_labels=True), answers=lambda _: {})
        assert sorted(found.facts) == sorted((item.id, "=odd", True) for item in items)
        if format == "csv-wide":
            back = {item.id: item.text for item in check_import(path, ONTO).items()}
            assert back == {
                item.id: item.text if item.text and item.text.strip() else None for item in items
            }
