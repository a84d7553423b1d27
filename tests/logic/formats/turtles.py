"""Short texts in Turtle, and what is read from them."""

from __future__ import annotations

import rdflib

from corollary.logic.formats import owl

PREFIXES = """\
@prefix : <http://zoo.org/animals#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def turtle(text, **options):
    return owl.read((PREFIXES + text).encode(), file="t.ttl", serialisation="turtle", **options)


def in_serialisation(text, serialisation):
    """The graph in another serialisation, by rdflib itself."""
    return (
        rdflib.Graph()
        .parse(data=PREFIXES + text, format="turtle")
        .serialize(format=serialisation, encoding="utf-8")
    )
