"""Garbage collection of a server: survivors are left out, and looked at again now and then."""

import gc
import weakref

import pytest

from corollary.web.garbage import ALL_EVERY, short_collections


@pytest.fixture(autouse=True)
def _thaw():
    yield
    gc.unfreeze()


class Knot:
    """An object that only a collection frees."""

    def __init__(self):
        self.itself = self


def test_survivors_of_a_full_collection_are_left_out_of_the_next():
    with short_collections():
        kept = [[] for _ in range(10_000)]
        gc.collect()
        assert gc.get_freeze_count() > len(kept)
        assert not any(one is kept for one in gc.get_objects())


def test_new_cycles_are_freed():
    with short_collections():
        gone = weakref.ref(Knot())
        gc.collect()
        assert gone() is None


def test_cycles_that_survived_once_are_freed_later():
    with short_collections():
        knot = Knot()
        gc.collect()
        gone = weakref.ref(knot)
        del knot
        gc.collect()
        assert gone() is not None
        for _ in range(ALL_EVERY + 1):
            gc.collect()
        assert gone() is None


def test_nothing_is_left_behind():
    callbacks = list(gc.callbacks)
    with pytest.raises(KeyError), short_collections():
        raise KeyError
    assert gc.callbacks == callbacks
    assert gc.get_freeze_count() == 0
