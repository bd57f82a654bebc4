"""Locks, events, contexts of arithmetic and shared generators: no tensor decides what they are."""

import decimal
import os
import random
import sys
import threading
import types

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


@pytest.mark.parametrize("place", [in_a_branch, in_a_loop, by_a_function])
@pytest.mark.parametrize(
    "change",
    [
        lambda: random.seed(3), lambda: random.random(), lambda: random.randint(0, 9),
        lambda: np.random.seed(3), lambda: np.random.rand(2), lambda: np.random.shuffle([1, 2]),
    ],
)  # fmt: skip
def test_a_staged_block_does_not_draw_from_the_generators_of_the_process(change, place):
    before = random.getstate(), str(np.random.get_state())
    with pytest.raises(
        SymbolicValueError, match=r"random\.\w+' would be called once, while tracing"
    ):
        ag.function(place(change))(NEGATIVE)
    assert (random.getstate(), str(np.random.get_state())) == before


def test_a_generator_of_the_block_itself_is_right():
    @ag.function
    def program(x):
        if x > 0:
            x = x + random.Random(3).random() + np.random.RandomState(3).rand()
        return x

    expected = 1.0 + random.Random(3).random() + np.random.RandomState(3).rand()
    assert program(POSITIVE).numpy() == pytest.approx(expected)


def test_the_cure_seeds_each_time_the_block_runs():
    @ag.function
    def program(x):
        if x > 0:
            ag.py_function(lambda: random.seed(0), [], [])
        return x

    state = random.getstate()
    program(NEGATIVE)
    assert random.getstate() == state
    program(POSITIVE)
    assert random.random() == random.Random(0).random()


def test_outside_of_staged_blocks_generators_are_those_of_python():
    @ag.function
    def program(x):
        random.seed(3)
        return x + random.random()

    assert program(POSITIVE).numpy() == pytest.approx(1.0 + random.Random(3).random())


def test_a_mapping_that_takes_no_conditional_item_says_so():
    @ag.function
    def program(x):
        if x > 0:
            os.environ["ALLOGRAPH_TEST_ITEM"] = "1"
        return x

    with pytest.raises(SymbolicValueError, match="the item 'ALLOGRAPH_TEST_ITEM' of a Environ"):
        program(NEGATIVE)
    assert "ALLOGRAPH_TEST_ITEM" not in os.environ


def test_a_module_that_another_thread_is_importing_has_no_context(monkeypatch):
    monkeypatch.setitem(sys.modules, "decimal", types.ModuleType("decimal"))
    doubled = ag.function(lambda x: x * 2 if x > 0 else x)
    assert float(doubled(POSITIVE)) == 2.0


def test_a_block_is_not_refused_for_what_another_thread_draws():
    @ag.autograph.experimental.do_not_convert
    def wait_for_a_thread_that_draws():
        thread = threading.Thread(target=lambda: (random.random(), np.random.random()))
        thread.start()
        thread.join()

    @ag.function
    def doubled(x):
        if x > 0:
            wait_for_a_thread_that_draws()
            x = x * 2
        return x

    assert doubled(ag.constant(3.0)) == 6
