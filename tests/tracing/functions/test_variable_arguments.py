"""Variables of one kind as arguments share a trace, unless the function knows one of them too."""

import numpy as np
import pytest

import allograph as ag


def counting(function):
    """A decorated function, and a list that grows with each trace."""
    traces = []

    def traced(*args):
        traces.append(args)
        return function(*args)

    return ag.function(traced), traces


@pytest.fixture
def a():
    return ag.Variable(1.0)


@pytest.fixture
def b():
    return ag.Variable(2.0, name="another")


def increase(v, delta):
    v.assign_add(delta)
    return v * 2.0


def test_each_variable_is_read_and_assigned_by_its_own_calls(a, b):
    f, traces = counting(increase)
    assert [float(f(v, 10.0)) for v in (a, b, a)] == [22.0, 24.0, 42.0]
    assert (float(a), float(b), len(traces)) == (21.0, 12.0, 1)
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    "other", [ag.Variable([1.0]), ag.Variable(1), ag.Variable(1.0, trainable=False)]
)
def test_another_shape_type_or_training_is_another_kind(a, other):
    f, traces = counting(lambda v: v + v)
    f(a), f(other)
    assert len(traces) == 2


def test_exchanged_variables_share_a_trace_and_one_in_two_places_does_not(a, b):
    f, traces = counting(lambda v, w: v.assign(v * 10.0 + w))
    assert [float(f(a, b)), float(f(b, a))] == [12.0, 32.0]
    assert len(traces) == 1
    assert float(f(a, a)) == 132.0
    assert len(traces) == 2


def test_variables_in_structures_are_found(a, b):
    f, traces = counting(lambda rows: rows["x"][0] - rows["x"][1])
    assert [float(f({"x": [a, b]})), float(f({"x": [b, a]}))] == [-1.0, 1.0]
    assert len(traces) == 1


def test_control_flow_and_functions_inside_go_along(a, b):
    inner, inner_traces = counting(increase)

    def outer(v, n):
        for _ in ag.range(n):
            if v < 20.0:
                inner(v, 5.0)
        return v + 0.0

    f, traces = counting(outer)
    assert [float(f(v, ag.constant(9))) for v in (a, b)] == [21.0, 22.0]
    assert (len(traces), len(inner_traces)) == (1, 1)


def test_compiled_code_is_for_the_variables_of_the_call(a, b):
    pytest.importorskip("llvmlite")
    f = ag.function(increase, jit_compile=True)
    assert [float(f(v, ag.constant(1.0))) for v in (a, b, a)] == [4.0, 6.0, 6.0]


def test_gradients_are_those_of_the_variable_of_the_call(a, b):
    f, traces = counting(lambda v: v * v * v)
    for v in (a, b):
        with ag.GradientTape() as tape:
            y = f(v)
        assert float(tape.gradient(y, v)) == 3 * float(v) ** 2
    assert len(traces) == 1


def test_a_tape_inside_goes_along(a, b):
    def slope(v):
        with ag.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, v)

    f, traces = counting(slope)
    assert [float(f(v)) for v in (a, b)] == [2.0, 4.0]
    assert len(traces) == 1


class TestWhatTheFunctionKnows:
    """A variable that it also comes by otherwise is not replaced by another one."""

    def test_a_variable_of_the_outer_function(self, a, b):
        f, traces = counting(lambda v: v.assign_add(a * 10.0))
        assert [float(f(a)), float(f(b))] == [11.0, 112.0]
        assert (float(a), len(traces)) == (11.0, 2)

    def test_a_global_variable(self, b):
        f = ag.function(of_global)
        assert [bool(f(GLOBAL)), bool(f(b)), bool(f(GLOBAL))] == [True, False, True]

    def test_an_attribute_of_an_object(self, b):
        class Model:
            def __init__(self):
                self.weight = ag.Variable(3.0)

            @ag.function
            def shift(self, v):
                self.weight.assign_add(v)
                return v + 0.0

        model = Model()
        assert float(model.shift(model.weight)) == 6.0
        assert float(model.shift(b)) == 2.0
        assert float(model.weight) == 8.0

    def test_a_variable_in_a_container_of_another_function(self, a, b):
        known = {"rows": [a]}

        def total():
            return sum(float(1) * row for row in known["rows"])

        f, _ = counting(lambda v: v * 100.0 + total())
        assert [float(f(a)), float(f(b))] == [101.0, 201.0]


GLOBAL = ag.Variable(7.0)


def of_global(v):
    return v is GLOBAL


def test_a_trace_that_runs_python_is_not_shared(a, b):
    def f(v):
        return ag.py_function(lambda: v.numpy() * 2, [], ag.float32)

    shared, traces = counting(f)
    assert [float(shared(v)) for v in (a, b)] == [2.0, 4.0]
    assert len(traces) == 2


def test_a_variable_that_is_gone_leaves_the_trace_to_others(b):
    f, traces = counting(lambda v: v + 1.0)
    first = ag.Variable(1.0)
    f(first)
    traces.clear()
    del first
    f(b)
    f(ag.Variable(5.0))
    assert len(traces) <= 1


def test_calls_that_come_again_stay_with_their_variable(a, b):
    f, traces = counting(increase)
    for turn in range(200):
        f(a if turn % 3 else b, ag.constant(1.0))
    assert (float(a), float(b), len(traces)) == (1.0 + 133, 2.0 + 67, 1)


def test_a_random_order_of_many_variables_needs_one_trace():
    many = [ag.Variable(float(number)) for number in range(20)]
    f, traces = counting(lambda v, w: v.assign_add(w * 0.5))
    expected = np.arange(20, dtype=np.float32)
    order = np.random.default_rng(0).permuted(np.tile(np.arange(20), (30, 1)), axis=1)
    for i, j, *_ in order:
        f(many[i], many[j])
        expected[i] += expected[j] * np.float32(0.5)
    assert [float(v) for v in many] == expected.tolist()
    assert len(traces) == 1


def test_a_variable_that_no_longer_exists_has_left_its_trace():
    f, traces = counting(increase)
    assert [float(f(ag.Variable(one), 1.0)) for one in (1.0, 2.0, 5.0)] == [4.0, 6.0, 12.0]
    assert len(traces) == 1


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (lambda rows, v: rows.reduce(0.0, lambda s, x: s + x) * v, 1),
        (lambda rows, v: v.assign_add(rows.reduce(0.0, lambda s, x: s + x)), 1),
        (lambda rows, v: rows.map(lambda x: x * v).reduce(0.0, lambda s, x: s + x), 2),
        (lambda rows, v: rows.reduce(0.0, lambda s, x: s + x * v), 2),
    ],
)
def test_datasets_and_variables_of_one_type_share_a_trace(function, count):
    f, traces = counting(function)
    rows = [ag.data.Dataset.from_tensor_slices(ag.constant(one)) for one in ([1.0, 2.0], [4.0])]
    found = [float(f(one, ag.Variable(by))) for one, by in zip(rows, (2.0, 3.0), strict=True)]
    expected = [
        float(function(one, ag.Variable(by))) for one, by in zip(rows, (2.0, 3.0), strict=True)
    ]
    assert found == expected
    assert len(traces) == count


def test_a_dataset_keeps_the_variable_that_its_function_reads(a, b):
    rows = ag.data.Dataset.range(3).map(lambda x: ag.cast(x, ag.float32) * a)
    f, _ = counting(lambda rows, v: rows.reduce(0.0, lambda s, x: s + x) + v)
    g, _ = counting(lambda v: rows.reduce(0.0, lambda s, x: s + x) + v)
    assert [float(f(rows, v)) for v in (a, b, a)] == [4.0, 5.0, 4.0]
    assert [float(g(v)) for v in (a, b, a)] == [4.0, 5.0, 4.0]
