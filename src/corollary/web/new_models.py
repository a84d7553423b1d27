"""Models are taken up when their training is done, whether anybody asks or not."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from ..campaign.campaign import Campaign
from ..campaign.storage.records import StoreError

#: How often a server looks whether a training is done.
EVERY_SECONDS = 0.5
LOG = logging.getLogger("corollary.web")


@contextmanager
def taking_up_models(campaign: Campaign) -> Iterator[None]:
    """Take up the models of a campaign meanwhile; no model is taken up afterwards."""
    end = Event()

    def look() -> None:
        while not end.wait(EVERY_SECONDS):
            try:
                campaign.take_up()
            except StoreError:  # the store is away; the next look may find it
                continue
            except Exception:
                LOG.exception("the new model could not be taken up")

    thread = Thread(target=look, name="corollary-new-models", daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()
