"""What functions keep alive, and what many threads may do with them at once."""

import gc
import threading
import time
import weakref
from collections import Counter

import numpy as np
import pytest

import allograph as ag

KINDS = {"ConcreteFunction", "Graph", "FuncGraph", "EagerTensor", "SymbolicTensor", "Plan",
         "PolymorphicFunction", "Executable", "Builder"}  # fmt: skip


def live():
    """How many objects there are, by class."""
    gc.collect()
    names = (type(thing).__name__ for thing in gc.get_objects())
    return Counter(name for name in names if name in KINDS)


@pytest.mark.slow
def test_short_lived_functions_leave_nothing_behind():
    def work(count):
        for index in range(count):
            weight = ag.constant(np.full(3, index, np.float32))

            @ag.function
            def scaled(x, n):
                return {"y": x * weight + n}

            for _ in range(4):
                scaled(weight, index)

    work(10)
    before = live()
    work(100)
    after = live()
    grown = {kind: after[kind] - before[kind] for kind in KINDS if after[kind] > before[kind] + 5}
    assert not grown


@pytest.mark.slow
def test_two_thousand_traces_of_short_lived_functions_leave_nothing_behind():
    def make(index):
        array = np.full(1000, index, np.float64)
        function = ag.function(lambda x: x + array.sum())
        function(ag.constant(1.0))
        return weakref.ref(function), weakref.ref(array)

    references = [reference for index in range(2000) for reference in make(index)]
    gc.collect()
    assert not any(reference() is not None for reference in references)


@pytest.mark.slow
def test_instances_and_their_traces_go_together():
    class Model:
        def __init__(self):
            self.weight = ag.Variable(2.0)

        @ag.function
        def __call__(self, x):
            return self.weight * x

    gone = []
    for _ in range(50):
        model = Model()
        for _ in range(4):
            assert float(model(ag.constant(3.0))) == 6.0
        gone.append(weakref.ref(model))
        del model
    gc.collect()
    assert not any(reference() for reference in gone)
    model = Model()
    model(ag.constant(1.0))
    assert Model.__call__.experimental_get_tracing_count() <= 2


@pytest.mark.slow
def test_a_new_instance_at_an_old_address_may_make_its_variables():
    class Counter:
        total = None

        @ag.function
        def add(self, x):
            if self.total is None:
                self.total = ag.Variable(0)
            return self.total.assign_add(x)

    for _ in range(100):
        counter = Counter()
        assert int(counter.add(ag.constant(2))) == 2
        del counter


def test_a_failed_first_trace_may_make_its_variables_again():
    made = []

    @ag.function
    def f(x, good):
        if not made or not good:
            made.append(ag.Variable(1.0))
        if not good:
            raise KeyError
        return made[-1] + x

    for _ in range(2):
        with pytest.raises(KeyError):
            f(ag.constant(1.0), False)
    assert f.experimental_get_tracing_count() == 0
    assert float(f(ag.constant(1.0), True)) == 2.0


def test_variables_of_a_failed_trace_have_their_first_values():
    class Model:
        start = None

        @ag.function
        def call(self, x, good):
            if self.start is None:
                self.start = ag.Variable(x * 2)
            if not good:
                raise KeyError
            return self.start + x

    model = Model()
    with pytest.raises(KeyError):
        model.call(ag.constant(1.0), False)
    assert float(model.start) == 2.0
    assert float(model.call(ag.constant(3.0), True)) == 5.0


@pytest.mark.slow
def test_threads_call_trace_and_retrace_the_same_functions():
    total = ag.Variable(0)

    @ag.function
    def inner(x, n):
        return x * n

    @ag.function
    def outer(x, n):
        result = inner(x, n) + 1
        while result > 100:
            result = result - 100
        return result

    @ag.function(reduce_retracing=True)
    def shaped(x):
        return ag.reduce_sum(x)

    lock, errors, deadline = threading.Lock(), [], time.monotonic() + 3

    def run(seed):
        rng = np.random.default_rng(seed)
        try:
            for _ in range(150):
                n, k, size = (int(v) for v in rng.integers(1, 6, 3))
                x = ag.constant(k) if rng.random() < 0.5 else ag.constant(k, ag.int64)
                expected = k * n + 1
                assert int(outer(x, n)) == (expected - 100 if expected > 100 else expected)
                assert float(shaped(np.ones(size, np.float32))) == size
                with lock:
                    total.assign_add(1)
                if time.monotonic() > deadline:
                    break
        except BaseException as error:  # reported below, in the thread of the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(seed,), daemon=True) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not errors and not any(thread.is_alive() for thread in threads)
    assert outer.experimental_get_tracing_count() == inner.experimental_get_tracing_count() <= 10
