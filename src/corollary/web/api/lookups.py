"""A few facts about a campaign that only the service needs."""

from __future__ import annotations

from datetime import UTC, datetime

from ...campaign.campaign import Campaign
from ...campaign.events import ANSWER, SKIP
from ...logic.errors import CorollaryError


def own_answers(campaign: Campaign, who: str) -> tuple[int, int]:
    """Return a person's number of answers in effect, and of those from today (UTC)."""
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
