"""One thread of BLAS while anybody is inside."""

from __future__ import annotations

from threadpoolctl import threadpool_info, threadpool_limits

from corollary.learning.features.one_thread import OneThreadOfBlas


def test_blocks_that_overlap_leave_blas_as_it_was():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(limits=2, user_api="blas"):
        before, limit = threads(), OneThreadOfBlas()
        limit.__enter__()
        limit.__enter__()  # another begins while the first goes on, and ends after it
        assert set(threads()) == {1}
        limit.__exit__()
        assert set(threads()) == {1}
        limit.__exit__()
        assert threads() == before
