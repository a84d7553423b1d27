"""RDF graphs from untrusted files and back: no network, no entity tricks, errors with a place."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote
from xml.parsers import expat

from ..errors import FormatError
from ..language.about import About
from . import names
from .files import MAX_BYTES, beside, decode, optional, read_bytes

#: An XML entity, a shorthand for a namespace, is not longer than this.
MAX_ENTITY = 2_000

OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
XSD = "http://www.w3.org/2001/XMLSchema#"

#: Where labels live that are not IRIs themselves.
BASE = "urn:corollary:ontology#"

_IRI = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.\-]*://|urn:[A-Za-z0-9])[^\s<>\"{}|\\^`]+")
NOTHING = About()


def new_graph() -> Any:
    """An empty graph that keeps its triples in order; rdflib's usual store forgets it, so that runs would differ."""
    return optional("rdflib").Graph(store="SimpleMemory", bind_namespaces="none")


def parse(data: bytes, *, serialisation: str, file: str) -> Any:
    """The rdflib graph of a file in `xml`, `turtle` or `nt`."""
    check_serialisation(serialisation)
    check_syntax(data, file)
    graph = new_graph()
    if serialisation == "xml":
        data = _checked_xml(data, file)
    else:
        data = decode(data, file=file).encode()
    try:
        if serialisation == "json-ld":
            _check_contexts(json.loads(data), file)
        with _silent():
            if serialisation == "nt":
                return _parse_lines(graph, data.decode(), file)
            # The parser of JSON-LD wants a store of several graphs; in this one all are the same graph.
            graph.store.context_aware = serialisation == "json-ld"
            return graph.parse(data=data, format=serialisation, publicID="urn:base:")
    except FormatError:
        raise
    except RecursionError:
        raise FormatError(f"{file} is nested too deeply") from None
    except (
        Exception
    ) as error:  # rdflib's parsers raise whatever they stumble over, assertions included
        raise FormatError(
            f"{file} cannot be read as {_CALLED[serialisation]}{_place(error)}"
        ) from error


@contextmanager
def _silent() -> Iterator[None]:
    """Keep rdflib from logging what a file says: it may hold codes that a terminal obeys, or flood the log."""
    loggers = [logging.getLogger(name) for name in ("rdflib.term", "rdflib.namespace")]

    def drop(_: logging.LogRecord) -> bool:
        return False

    for logger in loggers:
        logger.addFilter(drop)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(drop)


_CALLED = {"xml": "RDF/XML", "turtle": "Turtle", "nt": "N-Triples", "json-ld": "JSON-LD"}
#: What files of the serialisations may be called.
ENDINGS = {
    ".owl": "xml",
    ".rdf": "xml",
    ".xml": "xml",
    ".ttl": "turtle",
    ".nt": "nt",
    ".jsonld": "json-ld",
}


def check_serialisation(name: str) -> None:
    """Refuse a serialisation that is neither read nor written."""
    if not isinstance(name, str) or name not in _CALLED:
        raise FormatError(f"serialisation must be one of {', '.join(_CALLED)}; got {name!r}")


def _parse_lines(graph: Any, text: str, file: str) -> Any:
    """N-Triples line by line, since rdflib does not tell in which line it stopped."""
    ntriples = optional("rdflib.plugins.parsers.ntriples")
    parser = ntriples.W3CNTriplesParser(ntriples.NTGraphSink(graph))
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        parser.line = line
        try:
            parser.parseline()
        except Exception as error:
            shown = line.strip()[:300]
            raise FormatError(
                f"{file} cannot be read as N-Triples, line {number}: {shown}"
            ) from error
    return graph


def _place(error: Exception) -> str:
    """Where and why parsing stopped, as far as the error says."""
    first = (str(error) or type(error).__name__).strip().splitlines()
    why = " ".join(first)[:300]
    if (get_line := getattr(error, "getLineNumber", None)) is not None:
        return f", line {get_line()}, column {error.getColumnNumber() + 1}: {error.getMessage()}"  # type: ignore[attr-defined]
    if isinstance(lines := getattr(error, "lines", None), int):
        return f", line {lines + 1}: {why}"
    return f": {why}"


def _check_contexts(value: Any, file: str) -> None:
    """Refuse JSON-LD whose context is elsewhere: nothing is fetched."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            said = one.get("@context")
            contexts = said if isinstance(said, list) else [said]
            imported = [each.get("@import") for each in contexts if isinstance(each, dict)]
            elsewhere = [each for each in (*contexts, *imported) if isinstance(each, str)]
            if elsewhere:
                raise FormatError(
                    f"{file} takes its @context from {elsewhere[0]}; nothing is fetched, so write it into the file"
                )
        if isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one


def check_syntax(data: bytes, file: str) -> None:
    """Refuse the syntaxes of OWL that are no RDF, with a way to convert them."""
    start = data[:10_000]
    for syntax, pattern in _NO_RDF.items():
        if re.match(pattern, start) and b"<rdf:RDF" not in start:
            raise FormatError(
                f"{file} is in {syntax}, which is not read; convert it: "
                f"robot convert --input {Path(file).name} --output {Path(file).stem}.ttl"
            )


#: How files in the other syntaxes of OWL begin.
_NO_RDF = {
    "OWL's functional syntax": rb"(\s|#[^\n]*\n)*(Prefix|Ontology)\s*\(",
    "OWL's Manchester syntax": rb"(\s|#[^\n]*\n)*(Prefix|Ontology):\s",
    "OWL/XML": rb"(?s)\s*<.*<?Ontology\s.*http://www\.w3\.org/2002/07/owl#",
}


def add_imports(graph: Any, file: str) -> None:
    """Add what a graph imports from files beside its own, and what these import; drop the statements that say so.

    The file of an import is called like the end of its IRI. An import without such a file stays as it is.
    """
    rdflib = optional("rdflib")
    taken: set[Any] = set()
    found: set[Any] = set()
    while True:
        waiting = [
            one for one in graph.triples((None, rdflib.OWL.imports, None)) if one[2] not in taken
        ]
        if not waiting:
            break
        for statement in waiting:
            taken.add(statement[2])
            place = beside(Path(file), str(statement[2]), ENDINGS)
            if place is not None:
                found.add(statement[2])
                data = read_bytes(place)
                for triple in parse(data, serialisation=ENDINGS[place.suffix], file=str(place)):
                    graph.add(triple)
    for iri in found:
        graph.remove((None, rdflib.OWL.imports, iri))


def _checked_xml(data: bytes, file: str) -> bytes:
    """RDF/XML whose document type declares nothing but short plain entities, as Protégé writes them."""
    if data.lstrip()[:1] not in (b"<", b"\xef", b"\xfe", b"\xff"):
        raise FormatError(f"{file} does not begin as XML; if it is Turtle, name it .ttl")
    if data.startswith((b"\xfe\xff", b"\xff\xfe")) or b"\0" in data[:4]:
        raise FormatError(f"{file} is UTF-16; convert it to UTF-8")
    data = _as_utf_8(data, file)
    entities = _entities(data, file)
    used = Counter(re.findall(rb"&([^&;\s]+);", data)) if entities else {}
    grown = sum(
        used.get(name.encode(), 0) * len(value.encode()) for name, value in entities.items()
    )
    if grown > MAX_BYTES:
        raise FormatError(f"{file}: its entities would grow it to {grown:,} bytes; it is refused")
    return data


def _as_utf_8(data: bytes, file: str) -> bytes:
    """XML in UTF-8, whatever encoding it declares."""
    declared = re.match(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.\-]+)[\"']", data)
    if declared is None or declared[1].lower() in (b"utf-8", b"utf8"):
        return decode(data, file=file).encode()
    encoding = declared[1].decode()
    try:
        if _ASCII.decode(encoding) != _ASCII.decode():
            raise LookupError("it writes letters of ASCII in a way of its own, which is not read")
        text = (
            data[: declared.start(1)].decode() + "utf-8" + data[declared.end(1) :].decode(encoding)
        )
        data = text.encode()
    except (LookupError, UnicodeError) as error:
        raise FormatError(
            f"{file} says that it is {encoding}: {error}; convert it to UTF-8"
        ) from None
    return decode(data, file=file).encode()


#: What every encoding of XML here leaves as it is; that of URLs, of mail or of programs would not.
_ASCII = bytes(range(128)).replace(b"\\", b"") + b"\\\\ \\x41 \\u0041 +AEE- =41 xn--a"


class _Done(Exception):
    """The first element begins, so nothing more can be declared."""


def _entities(data: bytes, file: str) -> dict[str, str]:
    """The entities a file declares; anything that reaches outside or builds on other entities is refused."""
    parser = expat.ParserCreate()
    found: dict[str, str] = {}

    def refuse(what: str) -> None:
        raise FormatError(
            f"{file}, line {parser.CurrentLineNumber}: {what}; such files are refused"
        )

    def doctype(_name: str, system: str | None, public: str | None, _internal: bool) -> None:
        if system or public:
            refuse(f"the document type is in another place, {system or public}")

    def entity(
        name: str,
        parameter: bool,
        value: str | None,
        _base: Any,
        system: Any,
        public: Any,
        notation: Any,
    ) -> None:
        if parameter:
            refuse(f"%{name}; is a parameter entity")
        if value is None or system or public or notation:
            refuse(f"the entity &{name}; is in another place, {system or public}")
        elif "&" in value:
            refuse(f"the entity &{name}; is made of other entities")
        elif len(value) > MAX_ENTITY:
            refuse(f"the entity &{name}; is longer than {MAX_ENTITY:,} characters")
        else:
            found[name] = value

    def element(_name: str, _attributes: Any) -> None:
        raise _Done

    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    parser.StartElementHandler = element
    try:
        parser.Parse(data, True)
    except _Done:
        pass
    except expat.ExpatError as error:
        place = f"line {error.lineno}, column {error.offset + 1}"
        raise FormatError(
            f"{file} is not well-formed XML, {place}: {expat.ErrorString(error.code)}"
        ) from None
    return found


def items(graph: Any, head: Any, *, file: str) -> list[Any]:
    """The members of an RDF list."""
    rdf = optional("rdflib").RDF
    found = []
    seen = set()
    while head != rdf.nil:
        value = graph.value(head, rdf.first)
        if value is None or head in seen:
            raise FormatError(
                f"{file}: a list of classes is broken: it {'never ends' if head in seen else 'just stops'}"
            )
        seen.add(head)
        found.append(value)
        head = graph.value(head, rdf.rest)
        if head is None:
            raise FormatError(f"{file}: a list of classes is broken: it just stops")
    return found


def text_of(graph: Any, node: Any, predicate: Any, *, language: str | None) -> str | None:
    """A node's label: in the language asked for, else without language, else English, else any."""
    found = list(graph.objects(node, predicate))
    if not found:
        return None

    def rank(literal: Any) -> tuple[int, str, str]:
        tag = (getattr(literal, "language", None) or "").lower()
        wanted = (
            language is not None and tag.partition("-")[0] == language.lower().partition("-")[0]
        )
        return (
            0 if wanted else 1 if not tag else 2 if tag.startswith("en") else 3,
            tag,
            str(literal),
        )

    return str(min(found, key=rank))


def choose_names(
    graph: Any,
    nodes: Iterable[Any],
    predicate: Any,
    *,
    kind: str | None,
    language: str | None,
    file: str,
) -> dict[str, str]:
    """A label name for each node, {IRI: name}: its text, else the end of its IRI, else the IRI."""
    if language is not None and not isinstance(language, str):
        raise FormatError(f"language must be a tag such as 'en', got {language!r}")
    nodes = list(nodes)
    candidates: dict[str, dict[str, str | None]] = {
        "label": {str(node): text_of(graph, node, predicate, language=language) for node in nodes},
        "fragment": {str(node): names.fragment(str(node)) for node in nodes},
        "iri": {str(node): str(node) for node in nodes},
    }
    return names.choose(candidates, names=kind, file=file)


def iris(labels: Iterable[str], about: Mapping[str, About], *, base: str) -> dict[str, Any]:
    """An IRI for each label: that of its id, else the base and the id or the label."""
    found = {label: reference(about.get(label, NOTHING).id or label, base) for label in labels}
    if len(set(found.values())) < len(found):
        raise FormatError(f"two labels get the same IRI under the base {base}; choose another base")
    return found


def reference(id: str, base: str, *, own: bool = False) -> Any:
    """The IRI of an id: itself if it is one, that of an OBO code, else base and id percent-encoded.

    Classes may not have the names that OWL and its kin reserve; with `own`, for annotations, they may.
    """
    return optional("rdflib").URIRef(term_iri(id, base, own=own))


def term_iri(id: str, base: str, *, own: bool = False) -> str:
    """The same as a text, for which no package is needed."""
    iri = names.iri_of(id)
    fits = _IRI.fullmatch(iri) and (own or not iri.startswith((OWL, RDF, RDFS, SKOS, XSD)))
    return iri if fits else base + quote(id, safe="")


def id_of(iri: str) -> str:
    """The id that an IRI stands for: a name under our own base is not an IRI elsewhere."""
    return unquote(iri.removeprefix(BASE)) if iri.startswith(BASE) else iri


def blank_nodes() -> Iterator[Any]:
    """Blank nodes numbered from 1, so that the same document gives the same bytes."""
    node = optional("rdflib").BNode
    number = 0
    while True:
        number += 1
        yield node(f"b{number}")


def _as_json_ld(graph: Any) -> bytes:
    """A node for each subject, in order; rdflib's serialiser keeps none."""
    nodes: dict[Any, dict[str, Any]] = {}
    for subject, predicate, value in graph:
        node = nodes.setdefault(subject, {"@id": _json_id(subject)})
        if not hasattr(value, "language"):
            said: dict[str, str] = {"@id": _json_id(value)}
        else:
            kinds = {"@language": value.language, "@type": value.datatype}
            said = {"@value": str(value), **{key: str(one) for key, one in kinds.items() if one}}
        node.setdefault(str(predicate), []).append(said)
    return json.dumps([*nodes.values()], ensure_ascii=False, indent=1).encode() + b"\n"


def _json_id(node: Any) -> str:
    return f"_:{node}" if isinstance(node, optional("rdflib").BNode) else str(node)


def serialise(graph: Any, serialisation: str) -> bytes:
    """The graph as a file, subjects in the order in which they were added."""
    check_serialisation(serialisation)
    if serialisation == "json-ld":
        return _as_json_ld(graph)
    if serialisation != "turtle":
        return bytes(graph.serialize(format=serialisation, encoding="utf-8"))
    rdflib = optional("rdflib")
    turtle = optional("rdflib.plugins.serializers.turtle")

    class InOrder(turtle.TurtleSerializer):  # type: ignore[misc, name-defined]
        """Turtle that keeps the order of the labels, which is that of the columns of every table."""

        def orderSubjects(self) -> list[Any]:  # noqa: N802 (rdflib's name)
            return [
                subject
                for subject in dict.fromkeys(self.store.subjects())
                if isinstance(subject, rdflib.URIRef) or (None, None, subject) not in self.store
            ]

    from io import BytesIO

    stream = BytesIO()
    InOrder(graph).serialize(stream, encoding="utf-8")
    return stream.getvalue()
