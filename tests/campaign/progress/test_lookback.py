"""Looking back through the log."""

from __future__ import annotations

from corollary.campaign.progress.lookback import look_back

from ..logs import LEAD


def test_looking_back(campaign):
    one = campaign.answer("ann", "i0", "bird", True)
    two = campaign.answer("ben", "i0", "bird", False)
    campaign.answer("ben", "i1", "fish", "cant_tell")
    campaign.undo("ann", one.seq)
    campaign.decide(LEAD, "i0", "bird", True, reject=[two.seq])
    with campaign.lock:
        found = look_back(campaign.state)
        assert [(kept.event.kind, kept.stands) for kept in found] == [
            ("decision", True),
            ("answer", True),
            ("answer", False),
            ("answer", False),
        ]
        assert [kept.event.seq for kept in look_back(campaign.state, who="ben", kind="no")] == [
            two.seq
        ]
        assert [kept.event.item for kept in look_back(campaign.state, kind="cant_tell")] == ["i1"]
        assert len(look_back(campaign.state, item="i0", label="bird")) == 3
        assert look_back(campaign.state, limit=1, before=two.seq)[0].event.seq == one.seq
        assert look_back(campaign.state, item="nowhere") == []
