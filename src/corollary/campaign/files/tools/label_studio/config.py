"""Label Studio's labelling configs: a tree or a list of choices from an ontology, and an ontology from those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from .....logic.errors import CorollaryError
from .....logic.language.constraints import Constraint, Exclusive, Subsumes
from .....logic.ontology import Ontology
from ....labels.label_places import Places
from .tasks import CANT_TELL, NO, YES

if TYPE_CHECKING:
    from ...exports.provenance import Snapshot

#: A tree repeats a label under each of its parents; past so many choices it is no longer of use.
CHOICES_UP_TO = 50_000
DEEPEST = 100  # choices under one another: nobody finds one below so many
LONGEST = 1 << 24  # characters of a config
KEYS = {YES: "a", NO: "x", CANT_TELL: "space"}


@dataclass(frozen=True)
class Control:
    """A part of a config by which people pick choices: its ways (each from the root down) in order."""

    name: str
    to: str
    kind: str
    ways: tuple[tuple[str, ...], ...]
    single: bool = False

    @property
    def values(self) -> dict[str, None]:
        """The choices themselves."""
        return dict.fromkeys(way[-1] for way in self.ways)


def taxonomy_config(onto: Ontology, *, show: str = "text") -> str:
    """A config with all labels as a tree; one with several parents stands under each of them."""
    control = ET.Element(
        "Taxonomy", name="labels", toName=show, required="false", showFullPath="true"
    )
    line: list[ET.Element] = [control]  # the last choice at each depth
    for way in ways_of(onto):
        line[len(way) :] = [ET.SubElement(line[len(way) - 1], "Choice", value=way[-1])]
    return _config(show, control)


def choices_config(onto: Ontology, *, show: str = "text") -> str:
    """A config with all labels as a list, of which several can be picked."""
    control = ET.Element(
        "Choices", name="labels", toName=show, choice="multiple", showInline="false"
    )
    for label in onto.labels:
        ET.SubElement(control, "Choice", value=label)
    return _config(show, control)


def questions_config(*, show: str = "text") -> str:
    """A config for tasks that ask one question each, with keys for the answers."""
    control = ET.Element(
        "Choices", name="answer", toName=show, choice="single-radio", showInline="true"
    )
    for word, key in KEYS.items():
        ET.SubElement(control, "Choice", value=word, hotkey=key)
    return _config(show, control, header="$question")


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:  # noqa: ARG001 (a config has none)
    """The config for a campaign: a tree of its labels."""
    yield taxonomy_config(snapshot.onto)


def ways_of(onto: Ontology) -> Iterator[tuple[str, ...]]:
    """All ways from a root down to a label, parents before their children; an error where no tree can show them."""
    places = Places(onto)
    roots = [label for label in onto.labels if not places.parents.get(label)]
    if len(onto) and not roots:
        raise CorollaryError("no label is a root of the tree: all are under others, in a circle")
    waiting: list[tuple[str, ...]] = [(root,) for root in reversed(roots)]
    n = 0
    children = places.children
    while waiting:
        way = waiting.pop()
        n += 1
        if n > CHOICES_UP_TO or len(way) > DEEPEST:
            much = (
                f"is more than {DEEPEST} deep"
                if len(way) > DEEPEST
                else f"has more than {CHOICES_UP_TO:,} choices"
            )
            raise CorollaryError(
                f"the tree of these {len(onto):,} labels {much}, since each stands under all of its parents; use a "
                "list of choices (choices_config), or questions one by one"
            )
        yield way
        below = [child for child in dict.fromkeys(children.get(way[-1], ())) if child not in way]
        waiting += [(*way, child) for child in reversed(below)]


def controls_of(config: str) -> list[Control]:
    """The parts of a config by which people pick choices."""
    found = []
    for one in _parsed(config).iter():
        if one.tag in ("Taxonomy", "Choices"):
            ways = tuple(_ways_in(one))
            single = one.tag == "Choices" and one.get("choice", "single") != "multiple"
            found.append(
                Control(one.get("name", ""), one.get("toName", ""), one.tag.lower(), ways, single)
            )
    return found


def ontology_of(config: str) -> Ontology:
    """The ontology that a config tells: what stands under a choice implies it; of a single choice one excludes others.

    A choice that stands in several places is one label with several parents; `not_expressed` names these, for it may
    also be that several labels are called alike.
    """
    labels: dict[str, dict[str, None]] = {}
    constraints: list[Constraint] = []
    for control in controls_of(config):
        for way in control.ways:
            parents = labels.setdefault(way[-1], {})
            if len(way) > 1 and way[-2] != way[-1]:
                parents[way[-2]] = None
        if (
            control.single
            and len(values := tuple(control.values)) > 1
            and all(len(way) == 1 for way in control.ways)
        ):
            constraints.append(Exclusive(values))
    if not labels:
        raise CorollaryError(
            "this config has no <Taxonomy> and no <Choices> with choices: there are no labels in it"
        )
    children: dict[str, list[str]] = {}
    for label, parents in labels.items():
        for parent in parents:
            children.setdefault(parent, []).append(label)
    tree = [Subsumes(parent, tuple(children[parent])) for parent in labels if parent in children]
    told = [
        f"the choice {label!r} stands under {', '.join(parents)}: taken as one label that implies them all"
        for label, parents in labels.items()
        if len(parents) > 1
    ]
    return Ontology(labels, [*tree, *constraints], not_expressed=told)


def _ways_in(control: ET.Element) -> Iterator[tuple[str, ...]]:
    waiting: list[tuple[ET.Element, tuple[str, ...]]] = [(control, ())]
    while waiting:
        element, way = waiting.pop()
        if way:
            yield way
        below = [one for one in element if one.tag == "Choice"]
        if below and len(way) == DEEPEST:
            raise CorollaryError(
                f"the choices of the config stand more than {DEEPEST} deep under one another"
            )
        waiting += [(one, (*way, _value(one))) for one in reversed(below)]


def _value(choice: ET.Element) -> str:
    """What a result calls a choice."""
    found = choice.get("alias") or choice.get("value")
    if not found:
        raise CorollaryError("a <Choice> of the config has no value")
    return found


def _parsed(config: str) -> ET.Element:
    if not isinstance(config, str):
        raise CorollaryError(f"a config must be text, got a {type(config).__name__}")
    if (
        len(config) > LONGEST or "<!DOCTYPE" in config or "<!ENTITY" in config
    ):  # nobody needs them, attacks do
        raise CorollaryError(
            f"a config may have no document type and at most {LONGEST:,} characters"
        )
    try:
        return ET.fromstring(config)
    except (ET.ParseError, UnicodeEncodeError) as error:
        raise CorollaryError(f"the config is not good XML: {error}") from None


def _config(show: str, control: ET.Element, *, header: str | None = None) -> str:
    view = ET.Element("View")
    if header is not None:
        ET.SubElement(view, "Header", value=header)
    ET.SubElement(view, "Text", name=show, value=f"${show}")
    view.append(control)
    ET.indent(view)
    return ET.tostring(view, encoding="unicode") + "\n"
