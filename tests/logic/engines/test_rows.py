"""Rows shared among the cores: each once, whatever their number."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from corollary.logic.engines.rows import NAME, cores, infer_rows, over_jobs, over_rows
from corollary.logic.errors import CorollaryError


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 1000])
def test_every_row_is_worked_on_once(n):
    seen, lock = np.zeros(n, int), threading.Lock()

    def kernel(start, stop):
        with lock:
            seen[start:stop] += 1

    over_rows(kernel, n, at_least=8)
    assert (seen == 1).all()


def test_a_thread_of_the_pool_does_not_wait_for_the_pool():
    names = []

    def inner(start, stop):
        names.append(threading.current_thread().name)

    def outer(start, stop):
        over_rows(inner, 100, at_least=1)

    thread = threading.Thread(target=outer, args=(0, 1), name=f"{NAME}-0")
    thread.start()
    thread.join()
    assert names == [f"{NAME}-0"]


@pytest.mark.parametrize(
    ("jobs", "threads", "together"),
    [(5, "2", True), (2, "2", True), (1, "2", False), (5, "1", False)],
)
def test_every_job_is_done_once_and_together_where_each_core_has_one(
    monkeypatch, jobs, threads, together
):
    monkeypatch.setenv("COROLLARY_THREADS", threads)
    done = []
    over_jobs(
        [
            lambda n=n: done.append((n, threading.current_thread().name.startswith(NAME)))
            for n in range(jobs)
        ]
    )
    assert sorted(done) == [(n, together) for n in range(jobs)]


def test_what_a_job_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        over_jobs([lambda: 1 // 0] * 4)


def test_how_many_cores(monkeypatch):
    monkeypatch.delenv("COROLLARY_THREADS", raising=False)
    assert cores() >= 1
    monkeypatch.setenv("COROLLARY_THREADS", "3")
    assert cores() == 3
    for wrong in ("0", "-1", "two", "1.5"):
        monkeypatch.setenv("COROLLARY_THREADS", wrong)
        with pytest.raises(CorollaryError, match="COROLLARY_THREADS must be a whole number from 1"):
            cores()


@pytest.mark.parametrize("both", [True, False])
def test_a_kernel_fills_what_is_asked_for(both):
    def kernel(odds, known, shift, posterior, log_z, legal_both):
        posterior[:] = odds + shift
        log_z[:] = known.sum(axis=1)
        legal_both[:] = 7

    odds = np.arange(12.0).reshape(4, 3)
    found = infer_rows(
        kernel, (np.array(0.5),), odds, np.ones((4, 3), np.int8), both=both, at_least=1
    )
    np.testing.assert_array_equal(found.posterior, odds + 0.5)
    np.testing.assert_array_equal(found.log_z, np.full(4, 3.0))
    np.testing.assert_array_equal(found.error, np.zeros(4))
    assert found.both is None if not both else (found.both == 7).all()
