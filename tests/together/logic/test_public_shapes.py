"""Round trips of ontologies made like public ones: the same meaning, the same ids, annotations kept or counted."""

from __future__ import annotations

import warnings

import pytest

import corollary as co
from corollary.logic import formats
from corollary.logic.formats import ANNOTATION, iri_of

PREFIXES = """
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix : <http://example.org/made#> .
"""

#: Name of the shape: the file, the options to read it with, and how many labels and retired terms it has.
SHAPES = {
    "Gene Ontology": (
        "go.obo",
        """format-version: 1.2
data-version: releases/2026-01-01
subsetdef: goslim_plant "Plant slim"
synonymtypedef: syngo "By hand" EXACT
ontology: go

[Term]
id: GO:0008150
name: biological_process
namespace: biological_process
alt_id: GO:0000004
alt_id: GO:0044699
def: "A process with a \\"goal\\"." [GOC:pdt "somebody", http://x.org/a]
comment: Use a narrower term.
subset: goslim_plant
synonym: "physiological process" EXACT syngo [GOC:a]
xref: Wikipedia:Biological_process
property_value: term_tracker_item "https://x.org/1" xsd:anyURI
created_by: jl
creation_date: 2012-09-17T14:34:19Z

[Term]
id: GO:0009987
name: cellular process
namespace: biological_process
is_a: GO:0008150 ! biological_process
relationship: part_of GO:0008150 ! biological_process

[Term]
id: GO:0000005
name: obsolete ribosomal chaperone
namespace: molecular_function
def: "OBSOLETE. Gone." [GOC:jl]
synonym: "chaperone" RELATED []
is_obsolete: true
consider: GO:0009987
consider: GO:0008150

[Term]
id: GO:0000006
name: obsolete process
is_obsolete: true
replaced_by: GO:0009987

[Typedef]
id: part_of
name: part of
is_transitive: true
""",
        {},
        2,
        2,
    ),
    "Cell Ontology": (
        "cl.obo",
        """format-version: 1.2
ontology: cl

[Term]
id: CL:0000000
name: cell
xref: KUPO:0000002
xref: http://x.org/Category\\:Cells

[Term]
id: CL:0000540
name: neuron
synonym: "nerve cell" EXACT [] {source="FMA"}
is_a: CL:0000000 {is_inferred="true"} ! cell

[Term]
id: CL:0000081
name: blood cell
is_a: CL:0000000 ! cell
disjoint_from: CL:0000540 ! neuron

[Term]
id: CL:0000100
name: motor neuron
intersection_of: CL:0000540 ! neuron
intersection_of: has_part GO:1 ! motor
relationship: develops_from CL:0000000 {gci_relation="part_of"} ! cell
""",
        {},
        4,
        0,
    ),
    "Disease Ontology": (
        "doid.obo",
        """format-version: 1.2
ontology: doid

[Term]
id: DOID:4
name: disease
synonym: "illness" RELATED []
synonym: "disorder" NARROW [MESH:1]
synonym: "condition" BROAD []

[Term]
id: DOID:162
name: cancer
alt_id: DOID:155
subset: DO_cancer_slim
subset: NCIthesaurus
xref: ICD10CM:C80
xref: UMLS_CUI:C0006826 "cancer"
is_a: DOID:4 ! disease

[Term]
id: DOID:155
name: obsolete tumour
is_obsolete: true
replaced_by: DOID:162
""",
        {},
        2,
        1,
    ),
    "Uberon": (
        "uberon.obo",
        """format-version: 1.4
ontology: uberon

[Term]
id: UBERON:0001062
name: anatomical entity
property_value: http://xmlns.com/foaf/0.1/depicted_by http://x.org/a.png
property_value: RO:0002175 NCBITaxon:7742

[Term]
id: UBERON:0000061
name: limb
union_of: UBERON:0002101 ! arm
union_of: UBERON:0002103 ! leg
is_a: UBERON:0001062

[Term]
id: UBERON:0002101
name: arm
equivalent_to: FMA:7183

[Term]
id: UBERON:0002103
name: leg

[Term]
id: FMA:7183
is_anonymous: true

[Instance]
id: UBERON:9
name: an arm
instance_of: UBERON:0002101
""",
        {},
        5,
        0,
    ),
    "PATO": (
        "pato.ttl",
        PREFIXES
        + """
<http://purl.obolibrary.org/obo/pato.owl> a owl:Ontology ; dct:license <http://x.org/by> .
obo:PATO_1 a owl:Class ; rdfs:label "quality" ; oio:id "PATO:1" ; oio:hasOBONamespace "quality" ;
    obo:IAO_0000115 "What something has." ; oio:inSubset obo:pato#value_slim ; oio:hasAlternativeId "PATO:7" .
[] a owl:Axiom ; owl:annotatedSource obo:PATO_1 ; owl:annotatedProperty obo:IAO_0000115 ;
    owl:annotatedTarget "What something has." ; oio:hasDbXref "GOC:x" .
obo:PATO_2 a owl:Class ; rdfs:label "shape" ; rdfs:subClassOf obo:PATO_1 ; oio:hasRelatedSynonym "form" .
[] a owl:Axiom ; owl:annotatedSource obo:PATO_2 ; owl:annotatedProperty rdfs:subClassOf ;
    owl:annotatedTarget obo:PATO_1 ; oio:source "hand" .
obo:PATO_3 a owl:Class ; rdfs:label "colour" ; rdfs:subClassOf obo:PATO_1 ; owl:disjointWith obo:PATO_2 .
obo:PATO_4 a owl:Class ; rdfs:label "obsolete hue" ; owl:deprecated true ; obo:IAO_0100001 obo:PATO_3 .
""".replace("obo:pato#value_slim", "<http://purl.obolibrary.org/obo/pato#value_slim>"),
        {},
        3,
        1,
    ),
    "Pizza": (
        "pizza.ttl",
        PREFIXES
        + """
:Food a owl:Class .
:Pizza a owl:Class ; rdfs:label "Pizza"@en , "Pizza"@pt ; rdfs:subClassOf :Food ; skos:prefLabel "Pizza"@en .
:hasTopping a owl:ObjectProperty .
:American a owl:Class ; rdfs:label "American"@en , "Americana"@pt ; rdfs:subClassOf :Pizza ,
    [ a owl:Restriction ; owl:onProperty :hasTopping ; owl:someValuesFrom :Ham ] .
:Vegetarian a owl:Class ; rdfs:label "Vegetarian"@en ; owl:equivalentClass
    [ a owl:Class ; owl:intersectionOf ( :Pizza [ owl:complementOf :American ] ) ] .
:Ham a owl:Class ; rdfs:comment "meat"@en .
:Fish a owl:Class .
[] a owl:AllDisjointClasses ; owl:members ( :Ham :Fish :Pizza ) .
""",
        {},
        6,
        0,
    ),
    "FIBO": (
        "fibo.ttl",
        PREFIXES
        + """
<http://example.org/made> a owl:Ontology ; owl:imports <http://example.org/other> .
:Agent a owl:Class ; rdfs:label "agent" ; skos:definition "somebody who acts"@en ;
    dct:source <http://x.org/iso> ; skos:editorialNote "old\\ntext" ; rdfs:isDefinedBy <http://example.org/made> .
:Person a owl:Class ; rdfs:label "person"@en-US ; rdfs:subClassOf :Agent ; skos:example "Ada" ;
    dct:modified "2026-01-01"^^xsd:date .
:Firm a owl:Class ; rdfs:label "firm" ; rdfs:subClassOf :Agent ; owl:disjointWith :Person .
:Company a owl:Class ; owl:deprecated true ; rdfs:subClassOf :Agent ; dct:isReplacedBy :Firm .
""",
        {},
        3,
        1,
    ),
    "schema.org": (
        "schema.ttl",
        PREFIXES
        + """
@prefix schema: <https://schema.org/> .
schema:Thing a rdfs:Class ; rdfs:label "Thing" ; rdfs:comment "Anything." .
schema:Action a rdfs:Class ; rdfs:label "Action" ; rdfs:subClassOf schema:Thing ;
    owl:equivalentClass <http://www.w3.org/ns/prov#Activity> ; schema:isPartOf <https://pending.schema.org> .
schema:Place a rdfs:Class ; rdfs:label "Place" ; rdfs:subClassOf schema:Thing .
schema:Spot a rdfs:Class ; rdfs:label "Spot" ; rdfs:subClassOf schema:Place ; schema:supersededBy schema:Place .
""",
        {},
        4,
        1,
    ),
    "DCAT": (
        "dcat.ttl",
        PREFIXES
        + """
:Resource a rdfs:Class , owl:Class ; rdfs:label "Recurso"@es , "Resource"@en , "Zdroj"@cs ;
    skos:definition "Jeden zdroj."@cs , "One resource."@en ; skos:changeNote [ rdfs:comment "new" ] .
:Dataset a rdfs:Class , owl:Class ; rdfs:label "Conjunto de datos"@es , "Dataset"@en ; rdfs:subClassOf :Resource ;
    rdfs:isDefinedBy <http://www.w3.org/TR/vocab-dcat/> ; skos:scopeNote "Narrow."@en .
:theme a owl:ObjectProperty ; rdfs:label "theme"@en .
""",
        {"language": "es"},
        2,
        0,
    ),
    "YSO": (
        "yso.ttl",
        PREFIXES
        + """
@prefix skosext: <http://purl.org/finnonto/schema/skosext#> .
:scheme a skos:ConceptScheme ; rdfs:label "YSO" .
:p1 a skos:Concept ; skos:prefLabel "eläimet"@fi , "djur"@sv , "animals"@en ; skos:inScheme :scheme ;
    skos:altLabel "elukat"@fi ; skos:hiddenLabel "eläin"@fi ; skos:notation "A1" ; skos:topConceptOf :scheme .
:p2 a skos:Concept ; skos:prefLabel "linnut"@fi , "fåglar"@sv ; skos:broader :p1 ; skos:closeMatch :p9 .
:p3 a skosext:DeprecatedConcept , skos:Concept ; skos:prefLabel "siivekkäät"@fi ; dct:isReplacedBy :p2 .
""",
        {"format": "skos", "language": "fi", "broader": True},
        2,
        1,
    ),
    "a reasoner's taxonomy": (
        "inferred.nt",
        "<http://x.org/a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://x.org/b> .\n"
        "<http://x.org/b> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://x.org/c> .\n",
        {},
        3,
        0,
    ),
}


@pytest.mark.parametrize("target", ["out.obo", "out.ttl", "out.owl", "skos"])
@pytest.mark.parametrize("shape", SHAPES)
def test_there_and_back(shape, target, tmp_path):
    name, text, options, labels, retired = SHAPES[shape]
    (tmp_path / name).write_text(text, encoding="utf-8")
    before = formats.read(tmp_path / name, **options)
    assert (len(before.labels), len(before.retired)) == (labels, retired)
    path = tmp_path / ("out.nt" if target == "skos" else target)
    how = {"format": "skos"} if target == "skos" else {}
    lost = formats.write(before, path, lossy=True, **how)
    again = {
        key: value for key, value in options.items() if key == "language" and target != "out.obo"
    }
    broader = {"broader": True} if target == "skos" else {}
    after = formats.read(path, **how, **again, **broader)

    assert after.labels == before.labels
    assert ids(after) == ids(before)
    assert lives(after) == lives(before)
    assert texts(before) <= texts(after) | {
        line.partition(": ")[2].partition(": ")[2] for line in lost
    }
    if not [line for line in lost if not line.startswith(ANNOTATION)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one, other = (co.Ontology(d.labels, d.constraints) for d in (before, after))
        assert one.same_as(other)
    # A second time nothing more is lost.
    formats.write(after, tmp_path / ("again_" + path.name), lossy=True, **how)
    third = formats.read(tmp_path / ("again_" + path.name), **how, **again, **broader)
    assert (third.about, third.retired) == (after.about, after.retired)


def ids(document):
    return {
        label: (iri_of(said.id), {iri_of(other) for other in said.alt_ids})
        for label, said in document.about.items()
        if said.id
    }


def lives(document):
    return {
        (
            iri_of(one.id),
            one.name,
            *(frozenset(map(iri_of, ids)) for ids in (one.replaced_by, one.consider)),
        )
        for one in document.retired
    }


def texts(document):
    """The texts and values of all annotations, of labels and of retired terms."""
    said = [note for one in document.about.values() for note in one.annotations]
    said += [note for one in document.retired for note in one.annotations]
    names = [text for one in document.about.values() for text in (*one.synonyms, *one.definitions)]
    return {" ".join(iri_of(note.value).split()) for note in said} | {
        " ".join(text.split()) for text in names
    }
