"""New models come into use when their training is done, also if nobody asks."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from ..campaign.campaign import Campaign
from ..campaign.storage.records import StoreError

#: The seconds between two checks for a finished training.
EVERY_SECONDS = 0.5
LOG = logging.getLogger("corollary.web")


@contextmanager
def taking_up_models(campaign: Campaign) -> Iterator[None]:
    """Take new models into use meanwhile, and none afterwards."""
    end = Event()

    def look() -> None:
        while not end.wait(EVERY_SECONDS):
            try:
                campaign.take_up()
            except StoreError:  # the store cannot be reached; try again next time
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
