"""The messages of webhooks: one for each wanted event of the log, and for each new conflict."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ...campaign.campaign import Campaign
from ...campaign.events import ACCEPT, ANSWER, DECISION, MODEL, REPORT, UNDO, Event, to_json
from ...campaign.reading.new_conflicts import new_conflicts
from ...campaign.state.standing import conflict_in_words

CONFLICT = "conflict"
#: The events that can be sent; by default all are.
EVENTS = (ANSWER, UNDO, DECISION, ACCEPT, CONFLICT, MODEL, REPORT)
#: Of an event of the log; its key is between a client and the server.
FIELDS = (
    "seq",
    "at",
    "who",
    "item",
    "label",
    "value",
    "seconds",
    "ontology",
    "model",
    "refers",
    "detail",
)


@dataclass(frozen=True, slots=True)
class Message:
    """A message.

    It has the same `id` however often it is sent, so that receivers can recognise repetitions.
    """

    id: str
    event: str
    body: bytes


def messages_of(campaign: Campaign, event: Event, wanted: Collection[str]) -> Iterator[Message]:
    """Yield the messages for an event of the log."""
    if event.kind in EVENTS and event.kind in wanted:
        yield _message(campaign, event, event.kind, {name: getattr(event, name) for name in FIELDS})
    if CONFLICT in wanted and event.item is not None:
        with campaign.lock:
            state = campaign.state
            of_item = tuple(state.of_item.get(event.item, ()))
        for conflict in new_conflicts(
            event, of_item, state.ontologies[event.ontology], state.statements
        ):
            about = {
                "seq": event.seq,
                "at": event.at,
                "item": event.item,
                "kind": conflict.kind,
                "labels": list(conflict.labels),
                "message": conflict_in_words(conflict),
                "opinions": [
                    {
                        "who": one.who,
                        "label": one.label,
                        "value": one.value,
                        "seq": one.seq,
                        "picked": one.picked,
                    }
                    for one in conflict.opinions
                ],
            }
            yield _message(campaign, event, CONFLICT, about)


def _message(campaign: Campaign, event: Event, name: str, data: dict[str, Any]) -> Message:
    about = f"-{'-'.join(data['labels'])}" if name == CONFLICT else ""
    message_id = f"{event.seq}-{name}{about}"[:200]
    content = {"id": message_id, "event": name, "campaign": campaign.name, "data": data}
    return Message(message_id, name, to_json(content).encode())
