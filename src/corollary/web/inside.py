"""The few things that the service needs to know of a campaign beyond what it says by itself."""

from __future__ import annotations

from datetime import UTC, datetime

from ..campaign.campaign import Campaign
from ..campaign.events import ANSWER, SKIP
from ..logic.errors import CorollaryError


def is_blind(campaign: Campaign, who: str, item: str) -> bool:
    """Whether someone is just being asked about a cell of an item that others settled: they must not see it."""
    with campaign.lock:
        held = [lease for lease in campaign.leases() if lease.who == who and lease.item == item]
        return any(lease.label is not None and campaign.state.is_known(item, lease.label) for lease in held)


def own_answers(campaign: Campaign, who: str) -> tuple[int, int]:
    """How many answers of someone stand, and how many of them are from today (UTC)."""
    today = datetime.now(UTC).date().isoformat()
    with campaign.lock:
        state = campaign.state
        standing = [
            event
            for event in state.of_person.get(who, ())
            if event.kind == ANSWER
            and event.value != SKIP
            and event.seq not in state.taken_back
            and event.item not in state.withdrawn
        ]
    return len(standing), sum(event.at.startswith(today) for event in standing)


def has_item(campaign: Campaign, id: str) -> bool:
    """Whether the campaign has an item."""
    with campaign.lock:
        try:
            campaign.state.row(id)
        except CorollaryError:
            return False
        return True
