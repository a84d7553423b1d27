"""Webhooks at work, with a real receiver: order, tries again, a receiver that hangs, and a restart."""

from __future__ import annotations

import pytest

from corollary.campaign.campaign import Campaign
from corollary.logic.errors import CorollaryError
from corollary.web.app import make_app
from corollary.web.webhooks import hooks, sending
from corollary.web.webhooks.hooks import Webhooks

from ..conftest import Client
from .receiver import SECRET, receiving, until


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(hooks, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(hooks, "FIRST_WAIT", 0.01)


@pytest.fixture
def receiver():
    with receiving() as made:
        yield made


def started(campaign, receiver, **options):
    made = Webhooks(campaign, [receiver.url], SECRET, private=True, **options)
    made.start()
    return made


def answer(campaign, *items):
    return [
        f"{campaign.answer('Mara', f'thing {i}', 'Bird', True).event.seq}-answer" for i in items
    ]


def test_answers_come_in_order_and_what_was_before_does_not(campaign, receiver):
    answer(campaign, 0)
    webhooks = started(campaign, receiver)
    expected = answer(campaign, *range(1, 8))
    until(lambda: len(receiver.got) == 7)
    webhooks.stop()
    assert receiver.taken == expected


def test_what_is_refused_is_sent_again_before_anything_else(campaign, receiver):
    receiver.refuse = [500, 503, 302]
    webhooks = started(campaign, receiver)
    expected = answer(campaign, 1, 2)
    until(lambda: len(receiver.taken) == 2)
    webhooks.stop()
    assert [one["id"] for one in receiver.contents] == [expected[0]] * 4 + expected[1:]
    assert webhooks.failing == 0


def test_waits_grow(campaign, receiver, monkeypatch):
    waits = []
    receiver.refuse = [500] * 12
    monkeypatch.setattr(hooks, "FIRST_WAIT", 1.0)
    webhooks = Webhooks(campaign, [receiver.url], SECRET, private=True)
    (hook,) = webhooks._hooks
    answer(campaign, 1)

    def wait(seconds):
        waits.append(seconds)
        return len(waits) == 14

    monkeypatch.setattr(hook._stop, "wait", wait)
    hook._tell_all()
    assert waits[:12] == [2.0**n if n < 12 else 3600.0 for n in range(12)]
    receiver.refuse = [500] * 20
    hook.failures = 15
    answer(campaign, 2)
    hook._tell_all()
    assert waits[-1] == 3600.0


def test_a_receiver_that_hangs_holds_up_nobody_and_is_told_of(campaign, receiver, monkeypatch):
    monkeypatch.setattr(sending, "SECONDS", 0.3)
    receiver.hang.set()
    webhooks = started(campaign, receiver)
    client = Client(
        make_app(campaign, mode="team", webhooks=webhooks), campaign.invite("Mara", "lead")
    )
    expected = answer(campaign, *range(1, 6))  # each returns although nobody took it
    until(lambda: webhooks.failing)
    assert client.get("/health").json()["webhooks_failing"] == 1
    (status,) = client.get("/api/webhooks").json()
    assert (status["told"], status["error"]) == (0, "no answer within 0 s")
    assert status["url"] == receiver.url.partition("?")[0]
    receiver.hang.clear()
    until(lambda: list(dict.fromkeys(receiver.taken)) == expected)
    webhooks.stop()
    assert client.get("/health").json()["webhooks_failing"] == 0


def test_a_restart_goes_on_where_it_was_told_last(tmp_path, campaign, receiver):
    webhooks = started(campaign, receiver)
    before = answer(campaign, 1, 2)
    until(lambda: len(receiver.taken) == 2)
    receiver.refuse = [500] * 10_000
    waiting = answer(campaign, 3)
    until(lambda: webhooks.failing)
    webhooks.stop()
    meanwhile = answer(campaign, 4)
    receiver.refuse = []
    campaign.close()
    with Campaign.open(tmp_path / "campaign.sqlite") as again:
        webhooks = started(again, receiver)
        after = answer(again, 5)
        until(lambda: len(receiver.taken) == 5)
        webhooks.stop()
    assert receiver.taken == [*before, *waiting, *meanwhile, *after]


def test_two_messages_of_one_event_are_each_told_once(campaign, receiver):
    campaign.invite("Ana")
    webhooks = started(campaign, receiver)
    first = campaign.answer("Mara", "thing 1", "Bird", True).event.seq
    until(lambda: len(receiver.taken) == 1)
    receiver.refuse = [200, 500]  # the answer is taken, its conflict at the second try
    second = campaign.answer("Ana", "thing 1", "Bird", False).event.seq
    until(lambda: len(receiver.taken) == 3)
    webhooks.stop()
    assert receiver.taken == [f"{first}-answer", f"{second}-answer", f"{second}-conflict-Bird"]


def test_only_what_is_asked_for_is_told(campaign, receiver):
    webhooks = started(campaign, receiver, events=["undo"])
    seq = campaign.answer("Mara", "thing 1", "Bird", True).event.seq
    campaign.undo("Mara", seq)
    until(lambda: receiver.taken)
    webhooks.stop()
    assert receiver.taken == [f"{seq + 1}-undo"]
    with pytest.raises(CorollaryError, match="unknown 'nix'; known are answer, undo"):
        Webhooks(campaign, [receiver.url], SECRET, events=["nix"])


def test_without_webhooks_there_are_none(campaign):
    client = Client(make_app(campaign, mode="team"), campaign.invite("Mara", "lead"))
    assert client.get("/api/webhooks").json() == []
    assert client.get("/health").json()["webhooks_failing"] == 0


def test_a_mistake_of_ours_is_told_of_and_ends_nothing(campaign, receiver, monkeypatch):
    monkeypatch.setattr(hooks, "PAUSE_SECONDS", 0.01)
    whole, mended = hooks.messages_of, []

    def messages_of(*arguments):
        if not mended:
            raise ZeroDivisionError("oops")
        return whole(*arguments)

    monkeypatch.setattr(hooks, "messages_of", messages_of)
    webhooks = started(campaign, receiver)
    expected = answer(campaign, 1)
    until(lambda: webhooks.failing)
    assert webhooks.status[0]["error"] == "an error of this program, see its log: ZeroDivisionError"
    mended.append(True)
    until(lambda: receiver.taken)
    webhooks.stop()
    assert receiver.taken == expected
    assert webhooks.failing == 0
