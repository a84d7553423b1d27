"""Formats by their suffix: what is written is read, what cannot be said is told."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.logic.errors import FormatError, NotationError, OntologyError
from corollary.logic.formats import FORMATS, SUFFIXES, read, write
from corollary.logic.language.constraints import AtLeastOne, Exclusive, Soft, Subsumes
from corollary.logic.language.notation import Document

from .documents import documents, worlds
from .some_documents import ANIMALS, TREE


@given(documents(soft=True))
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
        subprocess.run(
            [sys.executable, "-c", code, *paths],
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        )
    assert (tmp_path / f"1{suffix}.gz").read_bytes() == (tmp_path / f"2{suffix}.gz").read_bytes()


def test_what_cannot_be_expressed_is_an_error_unless_lossy(tmp_path):
    path = tmp_path / "x.csv"
    with pytest.raises(
        FormatError, match="table cannot express 3 of the constraints.*lossy=True"
    ) as caught:
        write(ANIMALS, path)
    assert "rule: flies >> bird" in str(caught.value)
    assert not path.exists()
    assert write(ANIMALS, path, lossy=True) == (
        "exclusive: bird, fish",
        "animal covered by bird, fish",
        "rule: flies >> bird",
    )
    assert read(path).constraints == (Subsumes("animal", ("bird",)), Subsumes("animal", ("fish",)))


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix != ".onto"])
def test_soft_constraints_are_told_where_a_format_has_no_weights(tmp_path, suffix):
    document = Document(("a", "b"), (Soft(Subsumes("a", ("b",)), 3.0),))
    with pytest.raises(
        FormatError, match=r"cannot express 1 of the constraints.*\n  a \(weight 3\) > b"
    ):
        write(document, tmp_path / f"x{suffix}")
    assert write(document, tmp_path / f"x{suffix}", lossy=True) == ("a (weight 3) > b",)
    assert read(tmp_path / f"x{suffix}") == Document(("a", "b"), ())


def test_a_long_list_of_losses_is_shown_in_part(tmp_path):
    many = Document(("a", "b"), (AtLeastOne(("a", "b")),) * 50)
    with pytest.raises(FormatError, match="and 30 more"):
        write(many, tmp_path / "x.csv")


def test_unknown_suffix_and_format(tmp_path):
    with pytest.raises(
        FormatError, match=r"no format has the suffix '.docx'; known are .onto, .owl.*.cnf"
    ):
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


def test_optional_packages_are_loaded_when_first_needed():
    code = "import sys, corollary.logic.formats\n"
    code += "assert not {'rdflib', 'fastobo', 'networkx', 'lark'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


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
        content[at:end] = data.draw(
            st.one_of(st.binary(max_size=3), st.just(bytes(content[at:end]) * 2))
        )
        if not content:
            break
    path.write_bytes(content)
    try:
        labels = read(path).labels
    except OntologyError as error:
        assert str(error)
    else:
        assert len(set(labels)) == len(labels)
