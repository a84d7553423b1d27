"""An acceptance in batches: it goes on where it was, once, whoever asks, whatever happens in between."""

from __future__ import annotations

import signal
import subprocess
from datetime import datetime
from threading import Thread

import pytest

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.live import leading
from corollary.campaign.live.sure import under_way
from corollary.campaign.live.sure.accepting import accept_some

from ....forked import start
from ...team import TRUTH


def some(campaign, key="g", most=3, who="mara"):
    return accept_some(campaign._live, who, key, most)


def events_of(campaign, group="g"):
    return [
        event
        for event in campaign.state.events
        if event.kind == "accept" and event.detail["group"] == group
    ]


def test_it_goes_on_until_nothing_is_left_and_a_repeated_key_is_harmless(passed, make):
    campaign = passed()
    first = some(campaign)
    assert (len(first.events), first.done) == (3, 3)
    assert first.left > 3
    assert campaign.accepting("mara") == ("g", campaign.state.audits[-1].seq, 3, first.left)
    with pytest.raises(
        co.CorollaryError,
        match=f"is not finished, 3 of {3 + first.left} items so far: go on with",
    ):
        some(campaign, "h")
    with pytest.raises(co.CorollaryError, match="the acceptance after audit"):
        campaign.audit("mara", 0.7, most_wrong=0.4)
    campaign = make.again(campaign)  # the group goes on after the campaign was closed
    campaign.invite("zoe", role="lead")
    told = []
    rest = campaign.accept("zoe", key="g", progress=lambda *far: told.append(far))
    assert len(rest.events) == first.left
    assert campaign.accepting("mara") is None
    items = [event.item for event in events_of(campaign)]
    assert len(items) == len(set(items)) == 3 + first.left
    again = campaign.accept("mara", key="g")
    assert (again.done, again.left, len(events_of(campaign))) == (len(items), 0, len(items))
    assert campaign.verify(step_by_step=True) == []


def test_progress_is_told_of_both_ways(passed, monkeypatch):
    campaign = passed()
    some(campaign)
    monkeypatch.setattr(leading.undo_some, "__defaults__", (2,))
    monkeypatch.setattr(accept_some, "__defaults__", (4,))
    there, back = [], []
    reply = campaign.accept("mara", key="g", progress=lambda *far: there.append(far))
    total = 3 + len(reply.events)
    assert there == [(done, total) for done in range(7, total, 4)]
    undone = campaign.undo_all("mara", "g", key="u", progress=lambda *far: back.append(far))
    assert len(undone.events) == total
    assert back == [(done, total) for done in range(2, total, 2)]
    assert campaign.undo_all("mara", "g", key="u").done == total  # harmless
    with pytest.raises(co.CorollaryError, match="are taken back already"):
        campaign.undo_all("mara", "g")
    assert campaign.progress()["accepted"] == 0
    assert campaign.verify(step_by_step=True) == []


def test_one_that_is_taken_back_midway_does_not_go_on(passed):
    campaign = passed()
    some(campaign)
    campaign.undo_all("mara", "g")
    assert campaign.accepting("mara") is None
    assert some(campaign).left == 0
    assert len(events_of(campaign)) == 3
    assert some(campaign, "h").left > 0  # the audit is as good as before


def test_answers_and_withdrawals_in_between_are_left_alone(passed):
    campaign = passed()
    left = some(campaign).left
    rest = find_rest(campaign)
    assert len(rest) == left
    (denied, label), (gone, _), (told, said), *_ = rest
    other = next(one for one in TRUTH if one != label)
    campaign.answer("ben", denied, None, [other])
    campaign.withdraw([gone], who="mara")
    campaign.answer("ben", told, None, [said])
    campaign.accept("mara", key="g")
    accepted = {event.item for event in events_of(campaign)}
    assert len(accepted) == left  # 3 and all but these three
    assert not accepted & {denied, gone, told}
    assert campaign.state.known_of(denied)[other] is True
    assert not campaign.state.held
    assert campaign.verify(step_by_step=True) == []


def find_rest(campaign):
    from corollary.campaign.live.sure.sure_cells import find_sure

    state = campaign.state
    found = find_sure(state, 0.6, as_of=state.audits[-1].seq)
    return [
        (state.ids[i], state.onto.labels[k]) for i, k in zip(found.row, found.label, strict=True)
    ]


def test_it_is_finished_where_people_answered_all_that_was_left(passed):
    campaign = passed()
    left = some(campaign).left
    for item, label in find_rest(campaign):
        campaign.answer("ben", item, None, [label])
    assert campaign.accepting("mara") is None
    assert (some(campaign).left, len(events_of(campaign))) == (0, 3)
    assert left > 0


def test_a_model_waits_until_it_is_finished(passed):
    campaign = passed(retrain_every=10)
    some(campaign)
    model = campaign.state.model
    assert not campaign.progress()["training"]["training"]  # though it is due
    campaign.retrain(wait=True)  # by hand: it is trained, and waits
    assert campaign.state.model is model
    assert campaign.accept("mara", key="g").left == 0
    campaign.retrain(wait=True)
    assert campaign.state.model is not model
    assert campaign.verify(step_by_step=True) == []


def test_a_model_does_not_wait_for_ever(passed):
    campaign = passed()
    some(campaign)
    at = datetime.fromisoformat(campaign.state.events[-1].at)
    assert under_way.holds_models(campaign.state, at.isoformat())
    assert not under_way.holds_models(campaign.state, (at + under_way.PAUSE).isoformat())


def test_under_another_ontology_it_does_not_go_on_and_can_be_taken_back(passed):
    campaign = passed()
    some(campaign)
    campaign.change_ontology("mara", f"{campaign.state.onto}\nanimal > tame")
    with pytest.raises(co.CorollaryError, match="is of an earlier model or ontology"):
        some(campaign)
    assert campaign.accepting("mara") is None
    assert len(campaign.undo_all("mara", "g").events) == 3
    assert campaign.verify(step_by_step=True) == []


def test_two_leads_at_once_accept_everything_once(passed):
    campaign = passed()
    campaign.invite("zoe", role="lead")
    wanted, refused = len(find_rest(campaign)), []

    def accept(who, key):
        try:
            while some(campaign, key, 2, who).left:
                pass
        except co.CorollaryError as error:
            refused.append(str(error))

    threads = [Thread(target=accept, args=one) for one in (("mara", "g"), ("zoe", "h"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    items = [event.item for event in campaign.state.events if event.kind == "accept"]
    assert len(items) == len(set(items)) == wanted
    assert campaign.verify(step_by_step=True) == []


PROGRAM = """
import sys
from corollary.campaign.campaign import Campaign
from corollary.campaign.live.sure.accepting import accept_some
campaign = Campaign.open(sys.argv[1])
for _ in range(2):
    accept_some(campaign._live, "mara", "g", 2)
print("ready", flush=True)
while accept_some(campaign._live, "mara", "g", 1).left:
    pass
print("done", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("word", ["ready", "done"])
def test_a_server_killed_midway_leaves_whole_batches_and_goes_on(passed, word):
    campaign = passed(60)
    total = len(find_rest(campaign))
    campaign.close()
    process = start(
        ["-c", PROGRAM, str(campaign.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    while process.stdout.readline().strip() != word:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    process.stdin.close()
    process.stdout.close()
    with Campaign.open(campaign.path) as again:
        assert again.verify(step_by_step=True) == []
        there, found = len(events_of(again)), again.accepting("mara")
        assert 4 <= there <= total
        assert (found is None) == (there == total)
        again.accept("mara", key="g")
        items = [event.item for event in events_of(again)]
        assert len(items) == len(set(items)) == total
        assert again.verify(step_by_step=True) == []
        assert len(again.undo_all("mara", "g").events) == total
