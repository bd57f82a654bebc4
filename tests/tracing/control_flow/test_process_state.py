"""Locks, events and contexts of arithmetic: no tensor decides what they are."""

import decimal
import os
import threading

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.core.errors import SymbolicValueError

POSITIVE, NEGATIVE = ag.constant(1.0), ag.constant(-1.0)


def in_a_branch(change):
    def program(x):
        if x > 0:
            change()
        return x

    return program


def in_a_loop(change):
    def program(x):
        for _ in ag.range(3):
            change()
        return x

    return program


def by_a_function(change):
    def helper():
        change()

    return in_a_branch(helper)


@pytest.mark.parametrize("place", [in_a_branch, in_a_loop, by_a_function])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (threading.Lock, "acquire"), (threading.RLock, "acquire"), (threading.Event, "set"),
        (threading.Semaphore, "acquire"), (threading.Condition, "notify"),
        (threading.Thread, "start"),
    ],
)  # fmt: skip
def test_a_staged_block_does_not_change_what_threads_wait_for(make, name, place):
    owner = make()
    before = repr(owner)
    with pytest.raises(SymbolicValueError, match=f"'{name}' of a {type(owner).__name__}"):
        ag.function(place(getattr(owner, name)))(NEGATIVE)
    assert repr(owner) == before


def test_the_cure_sets_an_event_each_time_the_block_runs():
    event = threading.Event()

    @ag.function
    def program(x):
        if x > 0:
            ag.py_function(event.set, [], [])
        return x

    program(NEGATIVE)
    assert not event.is_set()
    program(POSITIVE)
    assert event.is_set()


def test_outside_of_staged_blocks_locks_work_as_in_python():
    lock = threading.Lock()

    @ag.function
    def program(x):
        lock.acquire()
        with_lock = lock.locked()
        lock.release()
        if x > 0:
            with lock:
                x = x + 1.0
        return x, with_lock

    assert program(POSITIVE)[1]
    assert not lock.locked()


def set_precision():
    decimal.getcontext().prec = 5


def set_another_context():
    decimal.setcontext(decimal.Context(prec=3))


def set_errors():
    np.seterr(all="raise")


@pytest.mark.parametrize("place", [in_a_branch, in_a_loop, by_a_function])
@pytest.mark.parametrize("change", [set_precision, set_another_context, set_errors])
def test_a_staged_block_does_not_change_contexts_of_arithmetic(change, place):
    before = decimal.getcontext().prec, np.geterr()
    with pytest.raises(SymbolicValueError, match="would change once, while tracing"):
        ag.function(place(change))(NEGATIVE)
    assert (decimal.getcontext().prec, np.geterr()) == before


def test_a_context_that_ends_inside_the_block_is_right():
    @ag.function
    def program(x):
        if x > 0:
            with decimal.localcontext() as context, np.errstate(all="raise"):
                context.prec = 3
                x = x + float(decimal.Decimal(1) / 3)
        return x

    assert program(POSITIVE).numpy() == np.float32(1.333)


def test_a_mapping_that_takes_no_conditional_item_says_so():
    @ag.function
    def program(x):
        if x > 0:
            os.environ["ALLOGRAPH_TEST_ITEM"] = "1"
        return x

    with pytest.raises(SymbolicValueError, match="the item 'ALLOGRAPH_TEST_ITEM' of a Environ"):
        program(NEGATIVE)
    assert "ALLOGRAPH_TEST_ITEM" not in os.environ
