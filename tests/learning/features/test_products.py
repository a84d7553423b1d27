"""Products in threads of our own: what they give, and that the BLAS gets its threads back."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

from corollary.learning.features import products
from corollary.learning.features.products import one_blas_thread, product


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture
def three_threads():
    with one_blas_thread():
        pass  # whatever has a BLAS is there
    with threadpool_limits(limits=3, user_api="blas"):
        yield


@pytest.mark.parametrize("rows", [0, 1, 3, 99, 100, 101, 385, 1000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_product_in_blocks_is_the_product(monkeypatch, rows, dtype):
    monkeypatch.setattr(products, "AT_ONCE", 10 * 7 * 5)
    rng = np.random.default_rng(0)
    left, right = (
        rng.integers(-9, 9, (rows, 7)).astype(dtype),
        rng.integers(-9, 9, (7, 5)).astype(dtype),
    )
    for one in (left, np.asfortranarray(left), sparse.csr_array(left)):
        found = product(one, right)
        assert found.dtype == dtype
        np.testing.assert_array_equal(
            found, left @ right
        )  # whole numbers: there is nothing to round


def test_how_many_cores_there_are_does_not_change_the_last_digit(monkeypatch):
    monkeypatch.setattr(products, "AT_ONCE", 1000)
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(500, 33)), rng.normal(size=(33, 9))
    found = product(left, right)
    monkeypatch.setenv("COROLLARY_THREADS", "1")
    np.testing.assert_array_equal(product(left, right), found)


def test_the_threads_come_back_after_the_last_one(three_threads):
    assert blas_threads() == {3}
    with one_blas_thread():
        assert blas_threads() == {1}
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == {3}
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert blas_threads() == {3}


def test_two_that_overlap_in_threads_leave_it_as_it_was(three_threads):
    inside, leave = threading.Event(), threading.Event()

    def first():
        with one_blas_thread():
            inside.set()
            leave.wait(30)

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(30)
    with one_blas_thread():
        leave.set()
        thread.join(30)
        assert blas_threads() == {1}
    assert blas_threads() == {3}
