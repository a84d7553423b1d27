"""Label Studio's labelling configs, from an ontology and back: choices as a tree or a list."""

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

#: The most choices of a tree, which repeats a label under each of its parents.
CHOICES_UP_TO = 50_000
DEEPEST = 100  # the most levels of a tree
LONGEST = 1 << 24  # characters of a config
KEYS = {YES: "a", NO: "x", CANT_TELL: "space"}


@dataclass(frozen=True)
class Control:
    """A control of a config with choices; `ways` are the paths to each choice, from the root down."""

    name: str
    to: str
    kind: str
    ways: tuple[tuple[str, ...], ...]
    single: bool = False

    @property
    def values(self) -> dict[str, None]:
        """The choices, without their paths."""
        return dict.fromkeys(way[-1] for way in self.ways)


def taxonomy_config(onto: Ontology, *, show: str = "text") -> str:
    """Return a config with all labels as a tree; a label is repeated under each of its parents."""
    control = ET.Element(
        "Taxonomy", name="labels", toName=show, required="false", showFullPath="true"
    )
    line: list[ET.Element] = [control]  # the last choice at each depth
    for way in ways_of(onto):
        line[len(way) :] = [ET.SubElement(line[len(way) - 1], "Choice", value=way[-1])]
    return _config(show, control)


def choices_config(onto: Ontology, *, show: str = "text") -> str:
    """Return a config with all labels as a list, of which several can be picked."""
    control = ET.Element(
        "Choices", name="labels", toName=show, choice="multiple", showInline="false"
    )
    for label in onto.labels:
        ET.SubElement(control, "Choice", value=label)
    return _config(show, control)


def questions_config(*, show: str = "text") -> str:
    """Return a config for tasks with one question each, with keys for the answers."""
    control = ET.Element(
        "Choices", name="answer", toName=show, choice="single-radio", showInline="true"
    )
    for word, key in KEYS.items():
        ET.SubElement(control, "Choice", value=word, hotkey=key)
    return _config(show, control, header="$question")


def write(snapshot: Snapshot, *, predictions: bool = True) -> Iterator[str]:  # noqa: ARG001 (a config has none)
    """Yield the config for a campaign: a tree of its labels."""
    yield taxonomy_config(snapshot.onto)


def ways_of(onto: Ontology) -> Iterator[tuple[str, ...]]:
    """Yield all paths from a root down to a label, parents before children.

    Raises
    ------
    CorollaryError
        The labels form a circle, or the tree is too deep or too large.
    """
    places = Places(onto)
    roots = [label for label in onto.labels if not places.parents.get(label)]
    if len(onto) and not roots:
        raise CorollaryError("the labels form a circle: no label is a root of the tree")
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
                f"the tree of {len(onto):,} labels {much}, because labels are repeated under all parents. "
                "Use a list (choices_config), or single questions"
            )
        yield way
        below = [child for child in dict.fromkeys(children.get(way[-1], ())) if child not in way]
        waiting += [(*way, child) for child in reversed(below)]


def controls_of(config: str) -> list[Control]:
    """Return the controls of a config that have choices."""
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
    """Return the ontology of a config.

    A choice implies the choice above it. Choices of a control for one choice exclude each other. A
    choice in several places becomes one label with several parents. `not_expressed` lists such
    choices, because they may also be different labels of the same name.
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
    several = [
        f"the choice {label!r} is below {', '.join(parents)}: taken as one label that implies them all"
        for label, parents in labels.items()
        if len(parents) > 1
    ]
    return Ontology(labels, [*tree, *constraints], not_expressed=several)


def _ways_in(control: ET.Element) -> Iterator[tuple[str, ...]]:
    waiting: list[tuple[ET.Element, tuple[str, ...]]] = [(control, ())]
    while waiting:
        element, way = waiting.pop()
        if way:
            yield way
        below = [one for one in element if one.tag == "Choice"]
        if below and len(way) == DEEPEST:
            raise CorollaryError(f"the choices of the config have more than {DEEPEST} levels")
        waiting += [(one, (*way, _value(one))) for one in reversed(below)]


def _value(choice: ET.Element) -> str:
    """Return the name of a choice in results."""
    found = choice.get("alias") or choice.get("value")
    if not found:
        raise CorollaryError("a <Choice> of the config has no value")
    return found


def _parsed(config: str) -> ET.Element:
    if not isinstance(config, str):
        raise CorollaryError(f"a config must be text, got a {type(config).__name__}")
    if (
        len(config) > LONGEST or "<!DOCTYPE" in config or "<!ENTITY" in config
    ):  # only attacks need them
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
