from __future__ import annotations

import pytest
from hypothesis import given, settings

import corollary as co
from corollary.logic.errors import FormatError
from corollary.logic.formats import obo, write
from corollary.logic.language.constraints import (
    AtLeastOne,
    Covers,
    Equivalent,
    ExactlyOne,
    Exclusive,
    Formula,
    Subsumes,
)
from corollary.logic.language.notation import Document, parse, render_constraint
from corollary.logic.language.syntax import parse_formula

from .documents import documents, worlds

EXAMPLE = r"""format-version: 1.2
ontology: zoo
import: http://example.org/upper.obo

[Term]
id: Z:1
name: animal
def: "A living being." [Z:book]

[Term]
id: Z:2
name: bird
is_a: Z:1 {source="a book"} ! animal
disjoint_from: Z:3
relationship: part_of Z:1 ! animal

[Term]
id: Z:3
name: fish
is_a: Z:1
union_of: Z:4
union_of: Z:5

[Term]
id: Z:4
name: cod
equivalent_to: Z:6

[Term]
id: Z:5
name: eel

[Term]
id: Z:6
name: codfish

[Term]
id: Z:7
name: flying fish
intersection_of: Z:2
intersection_of: Z:3

[Term]
id: Z:8
name: pet fish
intersection_of: Z:3
intersection_of: part_of Z:9

[Term]
id: Z:9
name: home

[Term]
id: Z:10
name: unicorn
is_obsolete: true
is_a: Z:1

[Typedef]
id: part_of
name: part of
"""


def from_text(text, **options):
    return obo.read(text.encode(), file="t.obo", **options)


def test_terms():
    found = from_text(EXAMPLE)
    assert found.labels == (
        "animal",
        "bird",
        "fish",
        "cod",
        "eel",
        "codfish",
        "flying fish",
        "pet fish",
        "home",
    )
    assert found.constraints == (
        Subsumes("animal", ("bird",)),
        Exclusive(("bird", "fish")),
        Subsumes("animal", ("fish",)),
        Subsumes("fish", ("cod", "eel")),
        Covers("fish", ("cod", "eel")),
        Equivalent(("cod", "codfish")),
        Formula(parse_formula('"flying fish" <-> bird & fish')),
        Subsumes("fish", ("pet fish",)),
    )
    assert str(found.constraints[0].source) == "t.obo:11"
    assert found.not_expressed == (
        "import: http://example.org/upper.obo",
        "Z:2 part_of Z:1",
        "in part: Z:8 is Z:3 and part_of Z:9",
        "Typedef part_of",
        "of a retired term: Z:1 > Z:10",
    )


def test_names():
    assert from_text(EXAMPLE, names="id").labels[:2] == ("Z:1", "Z:2")
    unnamed = "[Term]\nid: Z:1\nname: a\n\n[Term]\nid: Z:2\n"
    assert from_text(unnamed).labels == ("a", "Z:2")
    assert from_text(unnamed, names="name").labels == ("a", "Z:2")
    with pytest.raises(FormatError, match="names must be one of name, id; got 'iri'"):
        from_text(unnamed, names="iri")
    # A term that is only mentioned has no name.
    assert from_text("[Term]\nid: Z:1\nname: a\nis_a: Z:2\n").labels == ("a", "Z:2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[Term]\nid: Z:1\nis_a Z:2\n", "t.obo cannot be read as OBO, line 3"),
        ("[Term]\nname: x\n", "t.obo cannot be read as OBO, line 2"),
        ("what is this\n", "t.obo cannot be read as OBO, line 1"),
        (
            "[Term]\nid: Z:1\nname: trunca",
            "t.obo cannot be read as OBO, line 3, column 13: expected EOL",
        ),
        ("format-version: 1.2\n", "has no terms"),
    ],
)
def test_errors(text, message):
    with pytest.raises(FormatError, match=message):
        from_text(text)


def weaker(document: Document, lost: list[str]) -> Document:
    """The document without what the writer says it could not express."""
    kept = []
    for constraint in document.constraints:
        if isinstance(constraint, ExactlyOne):
            assert render_constraint(AtLeastOne(constraint.labels)) in lost
            if len(constraint.labels) > 1:
                kept.append(Exclusive(constraint.labels))
        elif render_constraint(constraint) not in lost:
            kept.append(constraint)
    return Document(document.labels, tuple(kept))


@given(documents())
@settings(max_examples=150)
def test_round_trip_of_what_obo_can_say(given_document):
    data, lost = obo.write(given_document)
    back = obo.read(data, file="t.obo", names="name")
    assert back.labels == given_document.labels
    assert back.not_expressed == ()
    assert worlds(back) == worlds(weaker(given_document, lost))


def test_everything_obo_can_say_is_said():
    made = parse(
        "a > exactly one: b, c\nequivalent: a, d\nexclusive: b, c, e\nrule: e <-> d & x\nx > y"
    )
    data, lost = obo.write(made)
    assert lost == []
    assert worlds(obo.read(data, file="t.obo")) == worlds(made)


def test_a_term_is_defined_once(tmp_path):
    made = parse(
        "a > at least one: b, c\na > at least one: d, e\nrule: a <-> f & g\nrule: a <-> h & i"
    )
    _, lost = obo.write(made)
    assert lost == ["a covered by d, e", "rule: a <-> h & i"]
    with pytest.raises(FormatError, match="obo cannot express 2 of the constraints"):
        write(made, tmp_path / "x.obo")


def test_a_comment_line_inside_a_frame_is_a_comment():
    text = "format-version: 1.4\n! one\n\n[Term]\n! two\nid: Z:1\nname: a\n  ! three\nis_a: Z:2\n"
    text += "\n[Term]\nid: Z:2\nname: b\n"
    found = obo.read(text.encode(), file="t.obo")
    assert found.labels == ("a", "b")
    assert found.constraints == (Subsumes("b", ("a",)),)
    assert found.constraints[0].source.line == 6  # comments are lines too


def test_a_panic_of_the_parser_is_an_error_of_ours(monkeypatch):
    panic = type("PanicException", (BaseException,), {})

    def loads(_):
        raise panic("entered unreachable code")

    monkeypatch.setattr("fastobo.loads", loads)
    with pytest.raises(FormatError, match="t.obo cannot be read as OBO: the parser gave up"):
        obo.read(b"format-version: 1.4\n", file="t.obo")


def test_two_frames_of_one_id_are_one_term_and_its_second_name_is_listed():
    text = "format-version: 1.4\n"
    for name, parent in (("a", "Z:2"), ("also a", "Z:3"), ("a", "Z:4")):
        text += f"\n[Term]\nid: Z:1\nname: {name}\nis_a: {parent}\n"
    found = obo.read(text.encode(), file="t.obo", names="id")
    assert {(c.parent, c.children) for c in found.constraints} == {
        (f"Z:{k}", ("Z:1",)) for k in (2, 3, 4)
    }
    assert found.not_expressed == ("Z:1 is 'a', and by another name 'also a'",)


def test_a_dangling_term_leaves_the_others_their_names():
    text = "[Term]\nid: Z:1\nname: bird\nis_a: Z:9\n\n[Term]\nid: Z:2\nname: fish\n"
    assert from_text(text).labels == ("bird", "fish", "Z:9")


def test_an_annotation_that_cannot_be_read_is_left_out():
    odd = "xref: http://x.org/Category\\:a\n"
    text = f"[Term]\nid: Z:1\nname: a\n{odd}synonym: no quotes\n\n[Term]\nid: Z:2\n{odd}is_a: Z:1\n"
    found = from_text(text)
    assert found.labels == ("a", "Z:2")
    assert found.constraints == (Subsumes("a", ("Z:2",)),)
    assert found.not_kept == (
        "annotation: xref of line 4: http://x.org/Category\\:a",
        "annotation: synonym of line 5: no quotes",
        "annotation: xref of line 9: http://x.org/Category\\:a",
    )
    with pytest.raises(FormatError, match="t.obo cannot be read as OBO, line 9"):
        from_text(text.replace("is_a: Z:1", "is_a Z:1").replace(odd, "", 1))


def test_other_stanzas_are_listed():
    text = "[Term]\nid: Z:1\nname: a\n\n[Instance]\nid: joe\ninstance_of: Z:1\n\n[Odd]\nid: x\nwhat: ever\n"
    assert from_text(text).not_expressed == ("Instance joe", "Odd x")


def test_a_relation_may_be_read_like_is_a():
    text = (
        "[Term]\nid: Z:1\nname: hand\n\n[Term]\nid: Z:2\nname: finger\nrelationship: part_of Z:1\n"
        "relationship: near Z:3\n\n[Term]\nid: Z:3\nname: nail\nintersection_of: Z:4\n"
        "intersection_of: part_of Z:2\n\n[Term]\nid: Z:4\nname: plate\n\n"
        "[Typedef]\nid: part_of\nname: part of\nxref: BFO:0000050\n"
    )
    plain = from_text(text)
    assert [(one.parent, *one.children) for one in plain.constraints] == [("plate", "nail")]
    for name in ("part_of", "part of", "BFO:0000050"):
        found = from_text(text, hierarchy=name)
        assert {(one.parent, *one.children) for one in found.constraints} == {
            ("plate", "nail"), ("hand", "finger"), ("finger", "nail"),
        }  # fmt: skip
        assert "Z:2 near Z:3" in found.not_expressed
        assert "Z:2 part_of Z:1" not in found.not_expressed
    assert from_text(text, hierarchy=["has_part"]).constraints == plain.constraints


def test_lint_names_terms_that_the_file_does_not_define(tmp_path):
    path = tmp_path / "x.obo"
    path.write_text("[Term]\nid: Z:1\nname: bird\nis_a: Z:9\n\n[Term]\nid: Z:2\n")
    onto = co.Ontology.load(path)
    found = [one for one in onto.lint() if one.kind == "undefined"]
    assert [(one.severity, one.labels, len(one.constraints)) for one in found] == [
        ("warning", ("Z:9",), 1)
    ]


def test_imports_come_from_files_beside_it(tmp_path):
    (tmp_path / "a.obo").write_text(
        "import: http://x.org/lib/b.obo\nimport: http://x.org/none.obo\nimport: c\n\n"
        "[Term]\nid: X:1\nname: bird\nis_a: X:2\n"
    )
    (tmp_path / "b.obo").write_text(
        "import: a.obo\n\n[Term]\nid: X:2\nname: animal\nrelationship: within X:3\n\n"
        "[Typedef]\nid: r\nname: within\n"
    )
    (tmp_path / "c.obo").write_text("[Term]\nid: X:3\nname: place\n")
    with pytest.warns(co.NotExpressedWarning):
        alone = co.Ontology.load(tmp_path / "a.obo")
    assert alone.labels == ("bird", "X:2")
    assert len([line for line in alone.not_expressed if line.startswith("import")]) == 3
    with pytest.warns(co.NotExpressedWarning, match="none.obo"):
        onto = co.Ontology.load(tmp_path / "a.obo", imports=True, hierarchy="within")
    assert set(onto.labels) == {"bird", "animal", "place"}
    assert onto.propagate({"bird": True}) == dict.fromkeys(onto.labels, True)
    assert [line for line in onto.not_expressed if line.startswith("import")] == [
        "import: http://x.org/none.obo"
    ]
    source = next(one.source for one in onto.constraints if "bird" in one.labels)
    assert str(source) == f"{tmp_path / 'a.obo'}:6"
