"""Constraints and facts in plain words, for people who label and people who mend an ontology.

Labels stand there by their readable names: those in `names`, else the labels spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from .language import formula as f
from .language.constraints import (
    AtLeastOne,
    Constraint,
    Covers,
    Equivalent,
    ExactlyOne,
    Exclusive,
    Formula,
    Soft,
    Subsumes,
)
from .language.notation import render_expression, render_weight
from .language.relations import Functional, Inverse, Relation, Said, Symmetric
from .readable import Names, called

#: A list longer than this is shown by its first few and a count.
SHOWN_UP_TO = 6
FIRST_FEW = 3
#: How a label is asked for unless someone words it otherwise: it needs no article, whatever the label is.
QUESTION = "Should {item} be labelled {label}?"
#: An item's text is quoted up to this length.
QUOTED_UP_TO = 60
#: Words that begin with a vowel for the eye, but not for the ear, and the other way round.
_LIKE_YOU = re.compile(
    r"uni(?![mn])|us[aeu]|ut[ei]|ur[aeio]|ubi|eu|ewe|one\b|once\b", re.IGNORECASE
)
_SILENT_H = re.compile(r"hour|honest|honou?r|heir", re.IGNORECASE)


def fact_in_words(label: str, value: bool, names: Names = None) -> str:
    """One fact: `bird is yes`."""
    return f"{called(label, names)} is {'yes' if value else 'no'}"


def percent(p: float) -> str:
    """Format a probability as `93 %`; only certain values become `100 %` or `0 %`."""
    return "over 99 %" if p >= 0.995 else "under 1 %" if p < 0.005 else f"{100 * p:.0f} %"


def in_words(constraint: Said, *, about: Collection[str] = (), names: Names = None) -> str:
    """What a constraint says, and in brackets where it is written; labels in `about` are named before others."""
    where = f" [{constraint.source}]" if constraint.source else ""
    return _sentence(constraint, about, names) + where


def clash_in_words(
    answers: Mapping[str, bool], constraints: Iterable[Constraint], names: Names = None
) -> str:
    """Answers that cannot all be true, and the constraints by which they cannot."""
    said = listed((fact_in_words(*answer, names) for answer in answers.items()), noun="answers")
    one = "This answer cannot be" if len(answers) == 1 else "These answers cannot all be"
    reason = "; ".join(
        in_words(constraint, about=tuple(answers), names=names) for constraint in constraints
    )
    return f"{one} true: {said}. Reason: {reason}"


def question_in_words(item: str, name: str, template: str | None = None) -> str:
    """A question for a label; a template has the item in place of {item} and the label's name in place of {label}.

    "a {label}" becomes "an utterance" or "a utility", as it is spoken.
    """
    said = {"item": item, "label": name}
    wanted = re.sub(
        r"\b([aA])n? \{label\}",
        lambda a: f"{a[1]}{article(name)[1:]} {{label}}",
        template or QUESTION,
    )
    return re.sub(r"\{(item|label)\}", lambda place: said[place[1]], wanted)


def article(name: str) -> str:
    """`a` or `an`, by the sound that a name begins with."""
    first = name.strip().partition(" ")[0]
    if first.isupper() and (len(first) > 1 or first.isalpha()):
        return "an" if first[0] in "AEFHILMNORSX" else "a"  # spoken letter by letter
    vowel = first[:1].lower() in tuple("aeiou") and not _LIKE_YOU.match(first)
    return "an" if vowel or _SILENT_H.match(first) else "a"


def quoted(text: str, *, most: int = QUOTED_UP_TO) -> str:
    """A text in quotes on one line, shortened between words where it is longer than `most` characters."""
    line = " ".join(text.split())
    if len(line) <= most:
        return f"“{line}”"
    cut = line[: most + 1].rpartition(" ")[0] or line[:most]
    return f"“{cut.rstrip(' ,.;:')} …”"


def listed(names: Iterable[str], *, noun: str, last: str = ", ") -> str:
    """The names one after the other, or their number and the first few."""
    names = list(names)
    if len(names) > SHOWN_UP_TO:
        return f"{len(names):,} {noun} ({', '.join(names[:FIRST_FEW])}, ...)"
    return last.join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _sentence(constraint: Said, about: Collection[str], names: Names) -> str:
    def labels(those: Sequence[str], *, last: str = ", ") -> str:
        return listed([called(label, names) for label in those], noun="labels", last=last)

    match constraint:
        case Subsumes(parent, children):
            named = [child for child in children if child in about] or children
            each = "" if len(named) == 1 else "each of "
            return f"{each}{labels(named)} implies {called(parent, names)}"
        case Covers(parent, children):
            one_of = "one of " if len(children) > SHOWN_UP_TO else ""
            return f"{called(parent, names)} implies {one_of}{labels(_first(children, about), last=' or ')}"
        case Exclusive(group):
            return f"at most one of {labels(_first(group, about))}"
        case ExactlyOne(group):
            return f"exactly one of {labels(_first(group, about))}"
        case AtLeastOne(group):
            return f"at least one of {labels(_first(group, about))}"
        case Equivalent(group):
            named = [label for label in group if label in about]
            return f"{labels(named if len(named) > 1 else group, last=' and ')} are the same"
        case Formula(expression):
            return render_expression(f.rename(expression, lambda label: called(label, names)))
        case Soft(inner, weight):
            return f"{_sentence(inner, about, names)} (soft, weight {render_weight(weight)})"
        case Relation(name, head, tail):
            ends = [
                render_expression(f.rename(end, lambda label: called(label, names)))
                for end in (head, tail)
            ]
            return (
                f"{called(name, names)} needs the head to be {ends[0]} and the tail to be {ends[1]}"
            )
        case Symmetric(name):
            return f"{called(name, names)} is symmetric"
        case Inverse(name, other):
            return f"{called(name, names)} is the inverse of {called(other, names)}"
        case Functional(name, inverse):
            one = "head for each tail" if inverse else "tail for each head"
            return f"{called(name, names)} has at most one {one}"


def _first(labels: Sequence[str], about: Collection[str]) -> list[str]:
    """The labels, those that matter here in front where not all will be shown."""
    if len(labels) <= SHOWN_UP_TO:
        return list(labels)
    return sorted(labels, key=lambda label: label not in about)
