"""Threads of linear algebra: one inside, as many as before outside."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from gardner.inference.threads import one_blas_thread


def _threads() -> list[int]:
    np.eye(2) @ np.eye(2)
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


def test_one_thread_inside_and_as_many_as_before_outside() -> None:
    with threadpool_limits(2, user_api="blas"):
        before = _threads()
        with one_blas_thread():
            assert set(_threads()) == {1}
        assert _threads() == before
        with pytest.raises(ZeroDivisionError), one_blas_thread():
            raise ZeroDivisionError
        assert _threads() == before
