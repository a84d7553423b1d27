"""`corollary convert`."""

from __future__ import annotations

import pytest

import corollary as co


@pytest.mark.parametrize("suffix", [".onto", ".owl", ".ttl", ".cnf", ".onto.gz"])
def test_there_and_back_means_the_same(call, zoo, tmp_path, suffix):
    there, back = tmp_path / f"there{suffix}", tmp_path / "back.onto"
    first = call("convert", zoo, there)
    assert (first.exit_code, first.stderr) == (0, "")
    assert first.stdout == f"zoo.onto -> there{suffix}: 8 labels, 6 constraints\n"
    assert call("convert", there, back).exit_code == 0
    before, after = co.Ontology.load(zoo), co.Ontology.load(back)
    assert set(after.labels) == set(before.labels)
    for label in before.labels:
        for value in (True, False):
            assert after.propagate({label: value}) == before.propagate({label: value})


def test_a_loss_is_refused_and_nothing_is_written(call, zoo, tmp_path):
    target = tmp_path / "zoo.csv"
    result = call("convert", zoo, target)
    assert result.exit_code == 2
    assert "pass --lossy" in result.stderr
    assert "rule: flies >> bird" in result.stderr
    assert not target.exists()


def test_a_lossy_conversion_lists_every_loss(call, zoo, tmp_path):
    target = tmp_path / "zoo.csv"
    result = call("convert", zoo, target, "--lossy")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "4 statements that zoo.csv cannot say left out:",
        "  exclusive: bird, fish, mammal",
        '  exclusive: city, "red square"',
        "  exclusive: animal, place",
        "  rule: flies >> bird",
    ]
    assert len(co.Ontology.load(target).labels) == 8


def test_what_the_source_did_not_express_is_told(call, tmp_path):
    source = tmp_path / "table.csv"
    source.write_text("child,parent,colour\nbird,animal,red\n", encoding="utf-8")
    result = call("convert", source, tmp_path / "table.onto")
    assert result.exit_code == 0
    assert result.stderr == "1 statement of table.csv not expressed:\n  the column 'colour'\n"


def test_formats_by_name(call, zoo, tmp_path):
    source, target = tmp_path / "zoo.txt", tmp_path / "out.txt"
    source.write_text(zoo.read_text(encoding="utf-8"), encoding="utf-8")
    assert "--from or --to" in call("convert", source, target).stderr
    assert call("convert", source, target, "--from", "notation", "--to", "cnf").exit_code == 0
    assert "p cnf 8" in target.read_text(encoding="utf-8")


def test_reading_options_reach_the_reader(call, tmp_path):
    source, target = tmp_path / "tree.csv", tmp_path / "tree.onto"
    source.write_text("child,parent\nbird,animal\nfish,animal\n", encoding="utf-8")
    call("convert", source, target, "--siblings-exclusive")
    assert co.Ontology.load(target).propagate({"bird": True})["fish"] is False


def test_broader_and_names_reach_the_reader(call, tmp_path):
    source, target = tmp_path / "thesaurus.ttl", tmp_path / "thesaurus.onto"
    source.write_text(
        """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        @prefix : <http://example.org/> .
        :b a skos:Concept ; skos:prefLabel "bird"@en ; skos:broader :a .
        :a a skos:Concept ; skos:prefLabel "animal"@en .
        """,
        encoding="utf-8",
    )
    result = call("convert", source, target, "--from", "skos", "--broader", "--names", "fragment")
    assert result.exit_code == 0
    assert co.Ontology.load(target).propagate({"b": True}) == {"b": True, "a": True}


def test_a_place_that_cannot_be_written(call, zoo, tmp_path):
    result = call("convert", zoo, tmp_path / "no" / "such" / "folder.onto")
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


def test_names_and_definitions_go_along_where_the_format_can_say_them(call, tmp_path):
    text = 'format-version: 1.4\n\n[Term]\nid: X:1\nname: animal\ndef: "It moves." []\nsynonym: "beast" EXACT []\n'
    (tmp_path / "zoo.obo").write_text(text, encoding="utf-8")
    assert (
        call("convert", tmp_path / "zoo.obo", tmp_path / "zoo.ttl", "--names", "id").exit_code == 0
    )
    assert (
        call(
            "convert", tmp_path / "zoo.ttl", tmp_path / "back.obo", "--names", "fragment"
        ).exit_code
        == 0
    )
    assert (tmp_path / "back.obo").read_text(encoding="utf-8").strip() == text.strip()


def test_a_table_of_children_and_parents_becomes_a_statement_for_each_parent(call, tmp_path):
    rows = [f"intent_{d}_{n},domain_{d}" for n in range(15) for d in range(10)]
    (tmp_path / "intents.csv").write_text("child,parent\n" + "\n".join(rows), encoding="utf-8")
    result = call(
        "convert", tmp_path / "intents.csv", tmp_path / "intents.onto", "--siblings-exclusive"
    )
    assert result.stdout == "intents.csv -> intents.onto: 160 labels, 21 constraints\n"
    text = (tmp_path / "intents.onto").read_text(encoding="utf-8")
    statements = [line for line in text.splitlines() if not line.startswith(" ")]
    assert len(statements) == 11
    assert statements[0].startswith("domain_0 > exclusive: intent_0_0, intent_0_1,")
    assert statements[-1].startswith("exclusive: domain_0, domain_1,")
    short = co.Ontology.load(tmp_path / "intents.onto")
    assert short.same_as(co.Ontology.load(tmp_path / "intents.csv", siblings_exclusive=True))


PIZZA = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix : <http://www.co-ode.org/ontologies/pizza/pizza.owl#> .
:Pizza a owl:Class ; rdfs:label "Pizza"@en , "Pizza"@pt .
:American a owl:Class ; rdfs:label "American"@en , "Americana"@pt ; rdfs:subClassOf :Pizza .
:Thin a owl:Class ; rdfs:subClassOf :Pizza .
:Old a owl:Class ; owl:deprecated true ; rdfs:subClassOf :Pizza .
"""


def test_iris_and_retired_terms_are_kept_whatever_labels_are_called(call, tmp_path):
    source = tmp_path / "pizza.ttl"
    source.write_text(PIZZA, encoding="utf-8")
    for options in ((), ("--language", "pt"), ("--names", "label")):
        there, back = tmp_path / "there.obo", tmp_path / "back.owl"
        assert call("convert", source, there, *options).exit_code == 0
        assert call("convert", there, back).exit_code == 0
        found = co.Ontology.load(back, names="fragment")
        assert found.labels == ("Pizza", "American", "Thin")
        assert [one.id.rpartition("#")[2] for one in found.retired] == ["Old"]
        names = co.Ontology.load(back, language="pt" if "pt" in options else None).labels
        assert names == ("Pizza", "Americana" if "pt" in options else "American", "Thin")


def test_what_is_left_out_is_counted_by_kind_and_listed_in_a_file(call, tmp_path):
    terms = [
        f"[Term]\nid: X:{n}\nname: t{n}\nxref: A:{n}\nrelationship: has X:{n}\n" for n in range(30)
    ]
    (tmp_path / "zoo.obo").write_text("data-version: 1\n\n" + "\n".join(terms), encoding="utf-8")
    result = call("convert", tmp_path / "zoo.obo", tmp_path / "zoo.onto")
    assert result.exit_code == 0
    shown = result.stderr.splitlines()
    assert shown[0] == "30 statements of zoo.obo not expressed:"
    assert shown[-4:] == [
        "  and 10 more",
        "1 annotation of zoo.obo not expressed: 1 data-version",
        "60 annotations that zoo.onto cannot say left out: 30 id, 30 hasDbXref",
        "zoo.onto.left-out.txt lists all of them",
    ]
    listed = (tmp_path / "zoo.onto.left-out.txt").read_text(encoding="utf-8").splitlines()
    assert len(listed) == 91
    assert call("convert", tmp_path / "zoo.obo", tmp_path / "again.obo").exit_code == 0
