"""Read and write ontology files; the ending of the file's name decides the format."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import FormatError
from ..language import notation
from ..language.notation import Document
from ..readable import readable_names
from . import cnf, obo, owl, skos, table
from .files import ANNOTATION, MAX_BYTES, decode, read_bytes, write_bytes
from .graph import from_digraph, to_digraph
from .meanings import all_left_out
from .names import code_of, iri_of
from .siblings import with_siblings_exclusive

__all__ = [
    "ANNOTATION",
    "MAX_BYTES",
    "code_of",
    "format_of",
    "from_digraph",
    "iri_of",
    "read",
    "read_meaning",
    "read_names",
    "to_digraph",
    "with_siblings_exclusive",
    "write",
    "write_bytes",
]

#: What a file of this suffix is: the format, and what that format's reader and writer need to know about it.
SUFFIXES: dict[str, tuple[str, dict[str, str]]] = {
    ".onto": ("notation", {}),
    ".owl": ("owl", {"serialisation": "xml"}),
    ".rdf": ("owl", {"serialisation": "xml"}),
    ".xml": ("owl", {"serialisation": "xml"}),
    ".ttl": ("owl", {"serialisation": "turtle"}),
    ".nt": ("owl", {"serialisation": "nt"}),
    ".jsonld": ("owl", {"serialisation": "json-ld"}),
    ".obo": ("obo", {}),
    ".csv": ("table", {"delimiter": ","}),
    ".tsv": ("table", {"delimiter": "\t"}),
    ".cnf": ("cnf", {}),
}

#: The endings of other syntaxes of OWL.
NOT_READ = {
    ".ofn": "OWL's functional syntax",
    ".omn": "OWL's Manchester syntax",
    ".owx": "OWL/XML",
}

Reader = Callable[..., Document]
Writer = Callable[..., tuple[bytes, list[str]]]


def _read_notation(data: bytes, *, file: str) -> Document:
    return notation.parse(decode(data, file=file), file=file)


def _write_notation(document: Document) -> tuple[bytes, list[str]]:
    return (notation.render(document) or "# no labels\n").encode(), []


FORMATS: dict[str, tuple[Reader, Writer]] = {
    "notation": (_read_notation, _write_notation),
    "owl": (owl.read, owl.write),
    "skos": (skos.read, skos.write),
    "obo": (obo.read, obo.write),
    "table": (table.read, table.write),
    "cnf": (cnf.read, cnf.write),
}
#: The formats that have annotations.
ANNOTATED = ("owl", "skos", "obo")
#: The formats that say what relations are; in OWL not all of it.
WITH_RELATIONS = ("notation", "owl")


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    max_bytes: int = MAX_BYTES,
    siblings_exclusive: bool = False,
    **options: Any,
) -> Document:
    """Read an ontology file.

    Parameters
    ----------
    path
        The file. A further suffix `.gz` means compressed.
    format
        The format, instead of the one of the suffix. SKOS needs `format="skos"`.
    max_bytes
        The largest size of the file, decompressed.
    siblings_exclusive
        Whether the children of one parent, and the roots, exclude each other.
    **options
        The format's own options, see its `read`.

    Returns
    -------
    Document
        Labels and constraints, the texts about labels, and the statements left out.
    """
    path = _path(path)
    name, known = _format(path, format)
    data = read_bytes(path, max_bytes=max_bytes)
    document: Document = _call(FORMATS[name][0], name, data, file=str(path), **(known | options))
    return with_siblings_exclusive(document) if siblings_exclusive else document


def read_meaning(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> dict[str, str]:
    """Return the meaning of labels in an ontology file: other names, synonyms and definitions.

    They come from OBO (name, synonym, def), OWL (rdfs:label, rdfs:comment and the like) and SKOS
    (prefLabel, altLabel, definition).

    Parameters
    ----------
    path
        The file.
    format, max_bytes, **options
        As for `Ontology.load`. Pass the same ones, so that labels have the same names.

    Returns
    -------
    dict
        A text for each label. Labels about which the file has only the name are left out.
    """
    return read(path, format=format, max_bytes=max_bytes, **options).meaning


def read_names(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> dict[str, str]:
    """Read the names of labels in an ontology file, for people.

    The name is that of the file. If the label is a code, it comes after the name, as in
    "biological process (GO:0008150)". Labels without a name are spelled out.

    Parameters
    ----------
    path
        The ontology file.
    format
        The format, if the ending of the file does not show it.
    max_bytes
        The largest size of the file.
    **options
        The options with which the ontology is read. `names="id"` for OBO, `names="fragment"` or
        `"iri"` for OWL and SKOS keep codes as labels.

    Returns
    -------
    dict from labels to names
        Pass it as `names=` to `Reading` or `Explanation.text`.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    found = read(path, format=format, max_bytes=max_bytes, **options)
    return readable_names(found.labels, found.names)


def format_of(path: str | PathLike[str], format: str | None = None) -> str:
    """Return the format of a file: the one given, else the one of its suffix."""
    return _format(_path(path), format)[0]


def write(
    document: Document,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    lossy: bool = False,
    **options: Any,
) -> tuple[str, ...]:
    """Write an ontology file, all of it or nothing, and return a line for each thing that the format cannot say.

    Unless `lossy`, it is an error if one of them is a constraint. Lines of annotations begin with `annotation: `.
    """
    path = _path(path)
    name, known = _format(path, format)
    data, lost = _call(FORMATS[name][1], name, document, **(known | options))
    if document.pairs and name not in WITH_RELATIONS:
        lost += [notation.render_short(said) for said in document.pairs]
    if name not in ANNOTATED:
        lost = [*lost, *all_left_out(document)]
    said = [line for line in lost if not line.startswith(ANNOTATION)]
    if said and not lossy:
        shown = "".join(
            f"\n  {line}" for line in said[:20]
        ) + f"\n  and {len(said) - 20:,} more" * (len(said) > 20)
        raise FormatError(
            f"{name} cannot express {len(said):,} of the constraints; pass lossy=True to leave out:{shown}"
        )
    write_bytes(path, data)
    return tuple(lost)


def _path(path: str | PathLike[str]) -> Path:
    if not isinstance(path, str | PathLike):
        raise FormatError(f"expected the path of a file, got {type(path).__name__}")
    return Path(path)


def _format(path: Path, name: str | None) -> tuple[str, dict[str, str]]:
    """The format of a file and what its suffix says about it."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    suffix = next((suffix for suffix in reversed(suffixes) if suffix != ".gz"), "")
    if name is not None and (not isinstance(name, str) or name not in FORMATS):
        raise FormatError(f"unknown format {name!r}; known are {', '.join(FORMATS)}")
    found, known = SUFFIXES.get(suffix, (None, {}))
    if name is None and suffix in NOT_READ:
        raise FormatError(
            f"{path}: {NOT_READ[suffix]} is not read; convert it: "
            f"robot convert --input {path.name} --output {path.stem}.ttl"
        )
    if name is None and found is None:
        raise FormatError(
            f"{path}: no format has the suffix {suffix!r}; known are {', '.join(SUFFIXES)}, or pass format="
        )
    if name is None or name == found or (name == "skos" and found == "owl"):
        return name or str(found), known
    return name, {}


def _call(function: Callable[..., Any], name: str, *arguments: Any, **options: Any) -> Any:
    """Call a reader or writer, with a clear word on options it does not have."""
    known = [*(function.__kwdefaults__ or {})]
    if unknown := [option for option in options if option not in known and option != "file"]:
        raise FormatError(
            f"{name} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}"
        )
    return function(*arguments, **options)
