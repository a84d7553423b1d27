"""A finished model decides though nobody asks the server anything; and nothing goes on once the server has ended."""

from __future__ import annotations

import threading
import time

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.events import MODEL
from corollary.web.new_models import taking_up_models

from .kill_loop import Served

TEXTS = ["a blue bird", "a red bird", "a grey fish", "a big fish"]


def new_campaign(url):
    items = [{"id": str(n), "text": text} for n, text in enumerate(TEXTS)]
    return Campaign.create(
        url,
        items,
        co.Ontology.parse("exactly one: bird, fish"),
        name="few",
        settings={"encoder": "lexical"},
    )


def models(url):
    with Campaign.open(url, readonly=True) as campaign:
        return [
            event.seq for event in campaign.state.events if event.kind == MODEL
        ], campaign.progress()["training"]


def test_a_served_campaign_takes_its_model_up_without_a_request(tmp_path):
    url = str(tmp_path / "campaign.sqlite")
    new_campaign(url).close()
    served = Served(url)
    try:
        until = time.monotonic() + 60
        while (found := models(url))[0] == [] or found[1]["training"]:
            assert time.monotonic() < until, found
            time.sleep(0.3)
        assert len(found[0]) == 1
    finally:
        assert served.end() == 0
    with Campaign.open(url) as campaign:
        assert campaign.verify() == []


def test_the_watch_ends_with_the_server_and_waits_for_nobody_who_has_the_lock(tmp_path):
    with new_campaign(str(tmp_path / "campaign.sqlite")) as campaign:
        with taking_up_models(campaign):
            campaign.state.session.finish()
            with campaign.lock:  # a request at work: the watch waits for it, and ends after it
                time.sleep(1)
                assert campaign.state.model is None
            until = time.monotonic() + 20
            while campaign.state.model is None and time.monotonic() < until:
                time.sleep(0.05)
            assert campaign.state.model is not None
        assert not any(thread.name == "corollary-new-models" for thread in threading.enumerate())


def test_what_fails_is_logged_and_tried_again(caplog):
    class Failing:
        tries = 0

        def take_up(self):
            self.tries += 1
            raise ValueError("no")

    campaign = Failing()
    with taking_up_models(campaign):
        until = time.monotonic() + 20
        while campaign.tries < 2 and time.monotonic() < until:
            time.sleep(0.05)
    assert campaign.tries >= 2
    assert "the new model could not be taken up" in caplog.text
