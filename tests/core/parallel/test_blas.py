"""Limits on the threads of BLAS: set and taken back, its libraries searched for once."""

import sys
from types import ModuleType

import numpy as np
import pytest
import scipy.linalg
from threadpoolctl import threadpool_info, threadpool_limits

from sfmcore.parallel import blas

A = np.eye(3)
assert scipy.linalg.norm(A @ A) > 0  # so both libraries' BLAS are there


def threads():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(limits=2, user_api="blas"):
        yield


@pytest.fixture
def searches(monkeypatch):
    """Number of searches so far, in a list of one."""
    made = [0]

    class Counted(blas.ThreadpoolController):
        def __init__(self):
            made[0] += 1
            super().__init__()

    monkeypatch.setattr(blas, "ThreadpoolController", Counted)
    monkeypatch.setattr(blas, "_found", None)
    return made


@pytest.mark.parametrize("limit", [1, 3])
def test_every_library_is_limited_and_has_its_threads_again(limit):
    assert set(threads()) == {2}
    with blas.blas_threads(limit):
        assert set(threads()) == {limit}
        with blas.blas_threads(1):
            assert set(threads()) == {1}
        assert set(threads()) == {limit}
    assert set(threads()) == {2}


def test_without_a_block_the_limit_stays():
    blas.blas_threads()
    assert set(threads()) == {1}


def test_an_exception_takes_the_limit_back():
    with pytest.raises(KeyError), blas.blas_threads():
        raise KeyError
    assert set(threads()) == {2}


def test_libraries_are_searched_for_again_only_where_modules_came(searches, monkeypatch):
    for _ in range(3):
        with blas.blas_threads():
            pass
    assert searches == [1]
    monkeypatch.setitem(sys.modules, "a_module_that_came_later", ModuleType("later"))
    with blas.blas_threads():
        pass
    assert searches == [2]


def test_libraries_are_searched_for_again_where_a_module_took_anothers_place(searches, monkeypatch):
    monkeypatch.setitem(sys.modules, "a_module_that_goes", ModuleType("goes"))
    with blas.blas_threads():
        pass
    monkeypatch.delitem(sys.modules, "a_module_that_goes")
    monkeypatch.setitem(sys.modules, "a_module_that_came_later", ModuleType("later"))
    with blas.blas_threads():
        pass
    assert searches == [2]
