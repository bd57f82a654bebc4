"""The fast way of calls that come again: the same results and errors as the general one."""

import dataclasses
import functools
from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest
from call_programs import assert_traces_serve_no_other_arguments

import allograph as ag

ONE, TWO = ag.constant(1.0), ag.constant([1.0, 2.0])
Pair = namedtuple("Pair", "left right")


def warm(function, *args, **kwargs):
    """The result of a call that has been made often enough to go the fast way."""
    for _ in range(5):
        result = function(*args, **kwargs)
    return result


def is_fast(function, *args, **kwargs):
    """Whether a call no longer goes the general way."""
    warm(function, *args, **kwargs)
    function.was_fast = False
    function(*args, **kwargs)
    return function.was_fast


@ag.function
def told(x, n=2, *rest, key="k", **more):
    """What the trace was made for: the Python values among the arguments."""
    values = (n, *rest, key, *sorted(more.items()))
    text = repr(
        [value if not isinstance(value, ag.Tensor) else value.dtype.name for value in values]
    )
    return ag.constant(text), x


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((ONE,), {}),
        ((ONE, 2), {}),
        ((), {"x": ONE}),
        ((ONE,), {"n": 3}),
        ((ONE, 2.5), {"key": "z"}),
        ((ONE, None), {}),
        ((ONE, True, 1, TWO), {}),
        ((ONE, TWO), {"key": b"k", "other": TWO}),
        ((np.ones(3),), {}),
    ],
)
def test_every_spelling_of_a_call_gets_a_fast_way(args, kwargs):
    fresh = ag.function(told.python_function)
    general = fresh(*args, **kwargs)[0].numpy()
    assert is_fast(told, *args, **kwargs)
    assert told(*args, **kwargs)[0].numpy() == general


@pytest.mark.parametrize("seed", range(12))
def test_arguments_are_told_apart_by_a_function_with_traces(seed):
    assert_traces_serve_no_other_arguments(seed)


def test_structures_go_the_fast_way():
    @ag.function
    def total(pairs, table):
        return pairs[0] + pairs[1][0] + table["a"] * table["n"]

    args = ([ONE, (TWO,)], {"a": ONE, "n": 3})
    assert is_fast(total, *args)
    assert total(*args).numpy().tolist() == [5.0, 6.0]
    assert total([ONE, (TWO,)], {"n": 4, "a": ONE}).numpy().tolist() == [6.0, 7.0]
    with pytest.raises(KeyError):
        total([ONE, (TWO,)], {"a": ONE})


@dataclasses.dataclass
class Record:
    left: ag.Tensor
    right: int


@pytest.mark.parametrize("kind", [Pair, Record], ids=["named tuple", "dataclass"])
def test_named_tuples_and_records_go_the_fast_way(kind):
    f = ag.function(lambda pair: pair.left * pair.right)
    assert is_fast(f, kind(TWO, 3))
    assert f(kind(TWO, 3)).numpy().tolist() == [3.0, 6.0]
    assert f(kind(TWO, 4)).numpy().tolist() == [4.0, 8.0]
    assert f(kind(ONE, 3)).numpy() == 3.0
    assert f(Pair(TWO, ONE)).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("kind", [OrderedDict, functools.partial(defaultdict, float)])
def test_mappings_of_other_classes_go_the_fast_way(kind):
    f = ag.function(lambda table: table["a"] - table["b"])
    assert is_fast(f, kind({"a": TWO, "b": ONE}))
    assert f(kind({"b": TWO, "a": ONE})).numpy().tolist() == [0.0, -1.0]
    assert f({"b": ONE, "a": TWO}).numpy().tolist() == [0.0, 1.0]


def test_methods_and_objects_go_the_fast_way():
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        @ag.function
        def __call__(self, x, power=1):
            return x * self.factor**power

        def __eq__(self, other):
            return isinstance(other, Scale) and self.factor == other.factor

        __hash__ = None

    one, other = Scale(2), Scale(3)
    for _ in range(5):
        assert (float(one(ONE)), float(other(ONE)), float(one(ONE, power=2))) == (2.0, 3.0, 4.0)
    f = ag.function(lambda scale, x: scale.factor * x)
    assert is_fast(f, one, ONE)
    assert [float(f(scale, ONE)) for scale in (one, other, Scale(3))] == [2.0, 3.0, 3.0]
    assert f.experimental_get_tracing_count() == 2


def test_errors_of_the_call_are_those_of_the_general_way():
    f = ag.function(lambda x, n=1: x * n)
    warm(f, ONE)
    for args, kwargs in (((), {}), ((ONE, 1, 2), {}), ((ONE,), {"m": 1}), ((ONE,), {"x": ONE})):
        with pytest.raises(TypeError, match="lambda"):
            f(*args, **kwargs)


def test_a_type_error_inside_is_not_taken_for_one_of_the_call():
    calls = []

    def fail(x):
        calls.append(1)
        if len(calls) > 6:
            raise TypeError("inside")
        return x

    f = ag.function(lambda x: ag.py_function(fail, [x], ag.float32))
    warm(f, ONE)
    calls.extend([1] * 10)
    count = len(calls)
    with pytest.raises(TypeError, match="inside"):
        f(ONE)
    assert len(calls) == count + 1


def test_parameters_may_have_any_name():
    scope = {}
    names = "builder, executable, MISS, len, type, ACTIVE=1, *native, result=2, **new"
    exec(f"def f({names}): return builder", scope)
    f = ag.function(scope["f"], autograph=False)
    assert float(warm(f, ONE, 1, 2, 3, 4)) == 1.0


@pytest.mark.slow
def test_a_more_special_trace_keeps_its_calls():
    rank = ag.function(lambda x: ag.constant(-1 if x.shape[0] is None else x.shape[0]))
    assert int(warm(rank, TWO)) == 2
    rank.get_concrete_function(ag.TensorSpec([None], ag.float32))
    assert (int(warm(rank, TWO)), int(warm(rank, ag.constant([3.0])))) == (2, -1)
    assert rank.experimental_get_tracing_count() == 2


def test_a_general_trace_beside_a_special_one_is_fast_for_every_shape():
    f = ag.function(lambda x: ag.reduce_sum(x), reduce_retracing=True)
    for size in range(1, 6):
        warm(f, ag.ones([size]))
    for size in range(20, 30):
        f.was_fast = False
        assert float(f(ag.ones([size]))) == size
        assert f.was_fast
    assert f.experimental_get_tracing_count() == 2


def test_a_declared_signature_serves_every_shape_at_once():
    f = ag.function(
        lambda x: ag.reduce_sum(x), input_signature=[ag.TensorSpec([None, 2], ag.float32)]
    )
    warm(f, ag.ones([1, 2]))
    f.was_fast = False
    assert float(f(ag.ones([5, 2]))) == 10.0
    assert f.was_fast
    with pytest.raises(TypeError):
        f(ag.ones([5, 3]))


def test_switches_and_tapes_are_asked_on_every_call():
    seen = []
    f = ag.function(lambda x: (seen.append(1), x * x)[1])
    warm(f, ONE)
    ag.config.run_functions_eagerly(True)
    try:
        f(ONE)
    finally:
        ag.config.run_functions_eagerly(False)
    assert len(seen) == 2
    x = ag.constant(3.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x)) == 6.0


def test_inside_another_function_a_warm_one_is_recorded():
    inner = ag.function(lambda x: x * 2)
    warm(inner, ONE)
    outer = ag.function(lambda x: inner(x) + 1)
    assert float(outer(ONE)) == 3.0
    assert [node.op.name for node in outer.get_concrete_function(ONE).optimized_graph.nodes]


def test_an_array_given_is_not_shared_with_the_result():
    f = ag.function(lambda x: x)
    array = np.array([1.0, 2.0])
    result = warm(f, array)
    array[0] = 9.0
    assert result.numpy().tolist() == [1.0, 2.0]


def test_results_keep_their_structure():
    f = ag.function(lambda x: {"y": (x, [x + 1, None])})
    assert is_fast(f, ONE)
    result = f(ONE)
    assert float(result["y"][1][0]) == 2.0 and result["y"][1][1] is None


@pytest.mark.slow
def test_a_dead_object_does_not_serve_another():
    class Thing:
        def __init__(self, n):
            self.n = n

    f = ag.function(lambda thing, x: x * thing.n)
    for n in range(50):
        thing = Thing(n)
        assert float(warm(f, thing, ONE)) == n
        del thing
