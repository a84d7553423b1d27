"""The kind of machine, and what is told of a record of another one."""

from __future__ import annotations

import numpy as np

from corollary.campaign.training.machine import LIBRARIES, elsewhere, machine


def test_this_machine():
    here = machine()
    assert set(here) == {"processor", "blas", "arithmetic", *LIBRARIES}
    assert here["numpy"] == np.__version__
    assert all(here.values())
    assert elsewhere(dict(here)) is None


def test_another_machine_is_told_by_what_differs():
    told = elsewhere(machine() | {"processor": "z80", "numpy": "0.1"})
    here = machine()
    assert told == (
        f"on another kind of machine (processor z80 there, {here['processor']} here; numpy 0.1 there, "
        f"{here['numpy']} here)"
    )


def test_a_record_that_is_none():
    for recorded in (None, "z80", []):
        assert elsewhere(recorded) == "on what may be another kind of machine (none is recorded)"
    assert "processor None there" in elsewhere({})
