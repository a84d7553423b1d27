"""Search for the options of a pick: by a few letters, or by their place in the ontology."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..labels.label_places import Places
from ..live.live import Live
from ..live.replies import believed_and_known
from ..live.suggestions import Options, options_of, with_those_above
from ..settings import synonyms_of


@dataclass(frozen=True, slots=True)
class Found:
    """Some of the `total` options that were found; those in `wider` have open labels below them."""

    options: Options
    wider: frozenset[str]
    total: int


def find_options(
    live: Live, item: str, who: str | None, *, query: str, under: str | None, offset: int, limit: int
) -> Found:  # fmt: skip
    """Return options of an item: by a query, by the label above them, or the most probable.

    Do not call it under the lock, which it takes for a moment.

    Parameters
    ----------
    live, item
        The campaign, and the id of the item.
    who
        The person who picks, and who may not see all labels.
    query
        Letters in the name, id or a synonym of a label.
    under
        The label right above the options. If empty, return options with no open label above them.
    offset, limit
        The first option and the number of options to return.
    """
    with live.ledger.lock:
        state = live.state
        places = live.places
        onto = state.onto
        settings = state.settings
        names = state.names
        beliefs, known = believed_and_known(state, who, item)
    options = options_of(onto, beliefs, known)
    if under is not None:
        fitting = right_under(options, under and state.find(under), onto.labels, places)
    else:
        about = settings.labels
        wanted = query.strip().lower()
        fitting = options.narrowest()
        if wanted:
            called = {
                label: called_by(label, names[label], about.get(label, {})) for label in fitting
            }
            fitting = [label for label in fitting if any(wanted in name for name in called[label])]
            fitting.sort(key=lambda label: wanted not in called[label])  # exact names come first
    some = fitting[offset : offset + limit]
    above = with_those_above(some, places.parents).difference(some) if under is None else ()
    labels = (*some, *(label for label in options.labels if label in above))
    shown = replace(options, labels=labels, ends=options.ends.intersection(some))
    open_ = frozenset(options.labels)
    wider = frozenset(
        one for one in shown.labels if open_ & frozenset(places.children.get(one, ()))
    )
    return Found(shown, wider, len(fitting))


def called_by(label: str, name: str, about: Mapping[str, str]) -> tuple[str, ...]:
    """Return the texts that find a label, in lower case: names, label, id and synonyms."""
    found = (name, about.get("name", name), label, about.get("id", label), *synonyms_of(about))
    return tuple(one.lower() for one in found)


def right_under(options: Options, label: str, labels: tuple[str, ...], places: Places) -> list[str]:
    """Return the open labels right below `label`; if it is empty, those with no open label above."""
    open_ = frozenset(options.labels)
    if label:
        return [one for one in dict.fromkeys(places.children.get(label, ())) if one in open_]
    return [
        one
        for one in labels
        if one in open_ and not open_.intersection(places.parents.get(one, ()))
    ]
