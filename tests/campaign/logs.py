"""Random logs: what people may say of a few items, as events that a campaign would accept."""

from __future__ import annotations

from hypothesis import strategies as st

from corollary.campaign.events import Event

PEOPLE = ("ann", "ben", "cem")
LEAD = "mara"


def of_item(events, item):
    return [event for event in events if event.item == item]


@st.composite
def steps(draw, labels, items, *, max_steps=12):
    """What is to happen, without regard to whether it can: (kind, who, item, label, value, pick)."""
    others = ("undo", "undo", "whole", "fact", "decision", "gold", "flag", "doubt", "accept")
    kind = st.sampled_from(("answer",) * 6 + others)
    value = st.sampled_from((True, False, True, False, "cant_tell", "skip"))
    return draw(
        st.lists(
            st.tuples(
                kind,
                st.sampled_from(PEOPLE),
                st.sampled_from(items),
                st.sampled_from(labels),
                value,
                st.lists(st.sampled_from(labels), max_size=2),
                st.integers(0, 100),
            ),
            max_size=max_steps,
        )
    )


def event_of(step, events, *, ontology=1, options=()):
    """The next event, or None where the step makes no sense here."""
    kind, who, item, label, value, names, pick = step
    common = {
        "item": item,
        "seq": len(events) + 1,
        "key": str(len(events)),
        "at": "t",
        "ontology": ontology,
    }
    undone = {event.refers for event in events if event.kind == "undo"}
    match kind:
        case "answer":
            return Event(kind="answer", who=who, label=label, value=value, **common)
        case "whole":
            detail = {"options": list(options)}
            return Event(
                kind="answer", who=who, value=list(dict.fromkeys(names)), detail=detail, **common
            )
        case "fact":
            return Event(kind="fact", who="import", label=label, value=bool(pick % 2), **common)
        case "accept":
            if pick > 50:
                detail = {"audit": 1, "probability": 0.9}
                return Event(kind="accept", who=LEAD, value=names[:1], detail=detail, **common)
            values = {label: bool(pick % 2)} | dict.fromkeys(names, bool(pick % 3))
            detail = {"audit": 1, "probability": dict.fromkeys(values, 0.9)}
            return Event(kind="accept", who=LEAD, value=values, detail=detail, **common)
        case "gold":
            return Event(kind="gold", who=LEAD, label=label, value=bool(pick % 2), **common)
        case "decision":
            answers = [e.seq for e in of_item(events, item) if e.kind == "answer"]
            reject = answers[:1] if pick % 3 == 0 else []
            detail = {"reject": reject} if reject else None
            return Event(
                kind="decision",
                who=LEAD,
                label=label,
                value=bool(pick % 2),
                detail=detail,
                **common,
            )
        case "flag":
            return Event(kind="flag", who=who, detail={"reason": "text"}, **common)
    meant = [
        e for e in of_item(events, item) if e.kind not in ("undo", "doubt") and e.seq not in undone
    ]
    if not meant:
        return None
    refers = meant[pick % len(meant)].seq
    return Event(kind=kind, who=who, refers=refers, **common)
