from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.constraints import AtLeastOne, Exclusive, Subsumes
from corollary.logic.errors import FormatError, NotationError, OntologyError
from corollary.logic.formats import FORMATS, MAX_BYTES, SUFFIXES, read, write
from corollary.logic.notation import Document, parse

from .documents import documents, worlds

ANIMALS = parse("animal > exactly one: bird, fish\nrule: flies >> bird")
TREE = parse("animal > bird, fish\nlabels: animal, bird, fish, stone")


@given(documents())
@settings(max_examples=50)
def test_the_notation_file_is_the_same_document(tmp_path_factory, document):
    path = tmp_path_factory.mktemp("onto") / "x.onto"
    assert write(document, path) == ()
    assert read(path) == document


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("ending", ["", ".gz", ".GZ"])
def test_every_suffix_reads_what_it_writes(tmp_path, suffix, ending):
    path = tmp_path / f"animals.v1{suffix}{ending}"
    assert write(TREE, path) == ()
    back = read(path)
    assert back.labels == TREE.labels
    assert worlds(back) == worlds(TREE)
    assert back.not_expressed == ()
    assert path.read_bytes().startswith(b"\x1f\x8b") == bool(ending)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_document_gives_the_same_bytes(tmp_path, suffix):
    """In another process too, whose hash seed is another."""
    code = (
        "import sys\nfrom corollary.logic.formats import read, write\n"
        "write(read(sys.argv[1]), sys.argv[2], lossy=True)\n"
    )
    write(ANIMALS, tmp_path / "a.onto")
    for name, seed in (("1", "1"), ("2", "2")):
        paths = [str(tmp_path / "a.onto"), str(tmp_path / f"{name}{suffix}.gz")]
        subprocess.run([sys.executable, "-c", code, *paths], check=True, env=os.environ | {"PYTHONHASHSEED": seed})
    assert (tmp_path / f"1{suffix}.gz").read_bytes() == (tmp_path / f"2{suffix}.gz").read_bytes()


def test_what_cannot_be_expressed_is_an_error_unless_lossy(tmp_path):
    path = tmp_path / "x.csv"
    with pytest.raises(FormatError, match="table cannot express 3 of the constraints.*lossy=True") as caught:
        write(ANIMALS, path)
    assert "rule: flies >> bird" in str(caught.value)
    assert not path.exists()
    assert write(ANIMALS, path, lossy=True) == (
        "exclusive: bird, fish",
        "animal covered by bird, fish",
        "rule: flies >> bird",
    )
    assert read(path).constraints == (Subsumes("animal", ("bird",)), Subsumes("animal", ("fish",)))


def test_a_long_list_of_losses_is_shown_in_part(tmp_path):
    many = Document(("a", "b"), (AtLeastOne(("a", "b")),) * 50)
    with pytest.raises(FormatError, match="and 30 more"):
        write(many, tmp_path / "x.csv")


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "x.onto"
    path.write_text("a > b\n")
    path.chmod(0o640)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FormatError, match="cannot be written: No space left"):
        write(ANIMALS, path)
    assert path.read_text() == "a > b\n"
    assert [p.name for p in tmp_path.iterdir()] == ["x.onto"]
    monkeypatch.undo()
    write(ANIMALS, path)
    assert read(path) == ANIMALS
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["x.onto"]


def test_writing_where_there_is_no_folder(tmp_path):
    with pytest.raises(FormatError, match="cannot be written: No such file or directory"):
        write(ANIMALS, tmp_path / "no" / "x.onto")
    with pytest.raises(FormatError, match="cannot be written: Is a directory"):
        (tmp_path / "d.onto").mkdir()
        write(ANIMALS, tmp_path / "d.onto")
    assert [p.name for p in tmp_path.iterdir()] == ["d.onto"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_file(tmp_path, suffix):
    with pytest.raises(FormatError, match="does not exist"):
        read(tmp_path / f"x{suffix}")
    with pytest.raises(FormatError, match="does not exist"):
        read(tmp_path / f"x{suffix}.gz")
    (tmp_path / f"d{suffix}").mkdir()
    with pytest.raises(FormatError, match="is a folder"):
        read(tmp_path / f"d{suffix}")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("content", [b"", b" \n\n"])
def test_empty_file(tmp_path, suffix, content):
    (tmp_path / f"x{suffix}").write_bytes(content)
    (tmp_path / f"x{suffix}.gz").write_bytes(gzip.compress(content))
    for ending in ("", ".gz"):
        with pytest.raises(FormatError, match=rf"x{suffix}{ending} is empty"):
            read(tmp_path / f"x{suffix}{ending}")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_wrong_encoding_names_the_byte(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"<a> # caf\xc3\xa9\n\xe9 > b\n")
    with pytest.raises(FormatError, match=r"not UTF-8 text: byte 0xe9 at offset 12 \(line 2\)"):
        read(path)
    path.write_bytes(b"\xef\xbb\xbf<a>\n\xe9 > b\n")
    with pytest.raises(FormatError, match=r"not UTF-8 text: byte 0xe9 at offset 7 \(line 2\)"):
        read(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nul_bytes(tmp_path, suffix):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(b"<a> > b\n\0c > d\n")
    with pytest.raises(FormatError, match=r"NUL byte at offset 8 \(line 2\)"):
        read(path)


def test_a_truncated_gzip_file(tmp_path):
    path = tmp_path / "x.onto.gz"
    whole = gzip.compress(b"".join(b"a%d > b%d\n" % (k, k) for k in range(1000)))
    for cut in (15, len(whole) // 2, len(whole) - 4):
        path.write_bytes(whole[:cut])
        with pytest.raises(FormatError, match=r"x.onto.gz is truncated"):
            read(path)
    path.write_bytes(b"a > b\n")
    with pytest.raises(FormatError, match="not a good gzip file"):
        read(path)
    path.write_bytes(whole[:20] + b"\xff" * 20 + whole[40:])
    with pytest.raises(FormatError, match="not a good gzip file"):
        read(path)


def test_the_limit_is_on_the_decompressed_size(tmp_path):
    path = tmp_path / "bomb.onto.gz"
    with gzip.open(path, "wb", compresslevel=9) as stream:
        for _ in range(MAX_BYTES // 2**24 + 1):
            stream.write(b"#" * 2**24)
    assert path.stat().st_size < MAX_BYTES / 500
    with pytest.raises(FormatError, match="more than 268,435,456 bytes"):
        read(path)


def test_the_limit_can_be_set(tmp_path):
    path = tmp_path / "x.onto"
    path.write_text("a > b\n")
    assert read(path, max_bytes=6).labels == ("a", "b")
    with pytest.raises(FormatError, match="more than 5 bytes; .* larger max_bytes"):
        read(path, max_bytes=5)


def test_unknown_suffix_and_format(tmp_path):
    with pytest.raises(FormatError, match=r"no format has the suffix '.docx'; known are .onto, .owl.*.cnf"):
        read(tmp_path / "x.docx")
    with pytest.raises(FormatError, match="no format has the suffix ''"):
        write(ANIMALS, tmp_path / "x")
    with pytest.raises(FormatError, match="unknown format 'word'; known are notation, owl"):
        read(tmp_path / "x.onto", format="word")


def test_format_overrules_the_suffix(tmp_path):
    path = tmp_path / "x.txt"
    write(ANIMALS, path, format="notation")
    assert read(path, format="notation") == ANIMALS
    with pytest.raises(FormatError, match="missing|expected 'p cnf|before the header"):
        read(path, format="cnf")


@pytest.mark.parametrize("name", FORMATS)
def test_unknown_options(tmp_path, name):
    path = tmp_path / "x.txt"
    path.write_text("x")
    with pytest.raises(FormatError, match=f"{name} has no option 'colour'"):
        read(path, format=name, colour="red")
    with pytest.raises(FormatError, match=f"{name} has no option 'colour'"):
        write(ANIMALS, path, format=name, colour="red", lossy=True)


def test_errors_of_the_notation_name_the_file(tmp_path):
    path = tmp_path / "x.onto"
    path.write_text("a > b\na > ,\n")
    with pytest.raises(NotationError, match=r"x.onto, line 2, column 5: expected a label name"):
        read(path)


@pytest.mark.parametrize(("suffix", "package"), [(".owl", "rdflib"), (".ttl", "rdflib"), (".obo", "fastobo")])
def test_a_missing_package_is_named_with_its_extra(tmp_path, monkeypatch, suffix, package):
    path = tmp_path / f"x{suffix}"
    write(TREE, path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(FormatError, match=rf"needs the package {package}: pip install corollary\[formats\]"):
        read(path)
    with pytest.raises(FormatError, match=rf"needs the package {package}: pip install corollary\[formats\]"):
        write(TREE, path)


def test_optional_packages_are_loaded_when_first_needed():
    code = (
        "import sys, corollary.logic.formats\nassert not {'rdflib', 'fastobo', 'networkx', 'lark'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_siblings_exclusive_is_a_switch(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("bird,animal\nfish,animal\nstone,\n")
    assert len(read(path).constraints) == 2
    added = read(path, siblings_exclusive=True).constraints[2:]
    assert set(added) == {Exclusive(("bird", "fish")), Exclusive(("animal", "stone"))}


def test_a_document_that_is_no_ontology_is_not_written(tmp_path):
    with pytest.raises(OntologyError, match="not one of the labels"):
        write(Document(("a",), (Exclusive(("a", "b")),)), tmp_path / "x.onto")
    assert list(tmp_path.iterdir()) == []


@given(st.sampled_from([*SUFFIXES]), st.data())
@settings(max_examples=300)
def test_a_damaged_file_is_read_or_refused(tmp_path_factory, suffix, data):
    """Never anything but an error of ours, whatever byte is lost, changed or repeated."""
    path = tmp_path_factory.mktemp("damage") / f"x{suffix}"
    write(ANIMALS, path, lossy=True)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        end = min(len(content), at + data.draw(st.integers(0, 40)))
        content[at:end] = data.draw(st.one_of(st.binary(max_size=3), st.just(bytes(content[at:end]) * 2)))
        if not content:
            break
    path.write_bytes(content)
    try:
        labels = read(path).labels
    except OntologyError as error:
        assert str(error)
    else:
        assert len(set(labels)) == len(labels)
