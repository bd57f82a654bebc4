"""Indices and masks that another thread overwrites while native code runs lead nowhere outside."""

import contextlib
import threading

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

N = 100_000
CALLS = 100


class Left(Exception):
    """Native code leaves the call to NumPy, which reads indices twice and may die."""


@contextlib.contextmanager
def changing(array, content):
    """Another thread writes two contents into an array by turns."""
    first, ended = array.copy(), threading.Event()

    def change():
        while not ended.is_set():
            array[:] = content
            array[:] = first

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        array[:] = first


class ByIndices:
    def add(a, t):
        a[t] += 1.0

    def set(a, t):
        a[t] = 2.0

    def accumulate(a, t):
        np.add.at(a, t, 1.0)

    def gather(a, t):
        return (a[t] * 2.0).sum()

    def take_in_a_loop(a, t):
        total = 0.0
        for i in range(len(t)):
            total += a[t[i]]
        return total

    def count_in_a_loop(a, t):
        for i in range(len(t)):
            a[t[i]] += 1.0

    def take_what_is_tested(a, t):
        total = 0.0
        for i in range(len(t)):
            if 0 <= t[i] < len(a):
                total += a[t[i]]
        return total

    def take_rows_between(a, t):
        total = 0.0
        for i in range(0, len(t) - 1, 64):
            for j in range(t[i], t[i] + 4):
                total += a[j]
        return total


class ByMasks:
    def set_each(a, m, v):
        a[m] = v

    def add_to_each(a, m, v):
        a[m] += v

    def sum_of_chosen(a, m, v):
        return a[m].sum()

    def move(a, m, v):
        a[m] = a[: len(v)] + v


def functions_of(kind) -> list:
    return [one for name, one in vars(kind).items() if not name.startswith("_")]


def run(function, *arguments, array, content) -> None:
    """The memory on both sides of the first argument holds NaN, and nothing else takes it from
    there, or changes it.
    """
    given = arguments[0]
    around = given.base
    compiled = ag.jit(function)
    compiled(*arguments)
    assert is_native(compiled)

    def left(*_):
        raise Left

    compiled.python_function = left
    with changing(array, content):
        for _ in range(CALLS):
            with contextlib.suppress(Left):
                result = compiled(*arguments)
                assert result is None or not np.isnan(result)
    assert not np.isnan(given).any()
    assert np.isnan(around).sum() == len(around) - len(given)


def surrounded(count: int, size: int) -> np.ndarray:
    around = np.full(3 * count, np.nan)
    around[count : count + size] = 1.0
    return around[count : count + size]


@pytest.mark.slow
@pytest.mark.parametrize("function", functions_of(ByIndices))
def test_indices_are_checked_as_they_are_read(function):
    t = np.random.default_rng(0).integers(0, N - 4, N)
    run(function, surrounded(N, N), t, array=t, content=np.where(t % 2, t + N, t - 2 * N))


@pytest.mark.slow
@pytest.mark.parametrize("function", functions_of(ByMasks))
def test_masks_choose_no_more_than_there_is(function):
    mask = np.arange(N) % 2 == 0
    values = surrounded(N, N // 2)
    run(function, surrounded(N, N), mask, values, array=mask, content=True)
