"""Calls of `jit` functions that native code tests and runs: what they take, and what they leave."""

import pickle
import signal
import sys
import threading
import types
import typing

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag
from allograph.runtime.executors import bound_calls
from allograph.tracing.functions.fronts import MISS

A, B = np.arange(4.0), np.arange(4.0) + 10


def called(function, *args):
    """The function under `jit`, after a call, and the fast call of its only entry."""
    compiled = ag.jit(function)
    compiled(*args)
    assert bound_calls.IS_COMPILED.wait(60)  # a thread compiles them where no other process has
    (entry,) = compiled.jit_table.values()
    assert type(entry.run) is types.BuiltinFunctionType, compiled.inspect()
    return compiled, entry.run


def other_dtype(array):
    """An equal array whose data type is another object, as in each process of a pool."""
    found = pickle.loads(pickle.dumps(array))
    assert found.dtype == array.dtype and found.dtype is not array.dtype
    return found


def add(a, b):
    a[:] += b


def scaled(x, factor=2.0, times=3):
    return x * factor + times


# ---- arguments -----------------------------------------------------------------------------------


def test_an_array_from_a_pickle_is_served_as_any_other():
    _, run = called(lambda x: x + 1, A)
    np.testing.assert_array_equal(run(other_dtype(A)), A + 1)
    _, run = called(add, A.copy(), B)
    changed = other_dtype(A)
    run(changed, other_dtype(B))
    np.testing.assert_array_equal(changed, A + B)


def test_arrays_of_other_types_shapes_and_layouts_are_left_to_others():
    _, run = called(lambda x: x + 1, A)
    longer = np.arange(8.0)
    for other in (A.astype(np.float32), A.astype(">f8"), A[:3], A.reshape(2, 2), longer[::2],
                  A.view(np.matrix), A.tolist(), 1.0, None, A.astype(np.longlong)):  # fmt: skip
        assert run(other) is MISS


def test_arrays_with_strides_are_copied_there_and_back():
    def exchange(a, b, where):
        a[0], b[0] = b[0], a[0]
        a[1] = 7.0
        b[where] = 8.0  # may fail, late
        return a.sum()

    base, expected = np.arange(24.0).reshape(2, 4, 3), np.arange(24.0).reshape(2, 4, 3)
    _, run = called(exchange, base[0, :, 1].copy(), base[1, :, 2].copy(), 3)
    columns = base[0, :, 1], base[1, :, 2], 3
    assert run(*columns) is MISS
    compiled, run = called(exchange, *columns)
    exchange(expected[0, :, 1], expected[1, :, 2], 3)
    assert run(*columns) == exchange(expected[0, :, 1], expected[1, :, 2], 3)
    np.testing.assert_array_equal(base, expected)
    (entry,) = compiled.jit_table.values()
    assert entry.calls_in_python == 1  # the first one
    assert run(base[0, :, 1], base[1, :, 2], 4) is MISS
    np.testing.assert_array_equal(base, expected)
    assert run(base[0, :, 1], base[0, :, 1], 3) is MISS  # which share memory


def test_an_array_of_one_element_beside_numbers_is_served():
    def inserted(items, value, place):
        items[place] = value
        return place

    one = np.array([-1])
    compiled, run = called(inserted, one, 5, 0)
    assert run(one, 6, 0) == 0 and one[0] == 6
    (entry,) = compiled.jit_table.values()
    assert entry.calls_in_python == 1


def test_indices_that_guards_of_a_loop_cover_are_served_until_a_guard_fails():
    def add_up(a, n):
        total = 0.0
        for i in range(n):
            if a[i] < 0:
                break
            total += a[i]
        return total

    numbers = np.array([1.0, 2.0, -3.0])
    compiled, run = called(add_up, numbers, 2)
    assert run(numbers, 3) == 3.0
    (entry,) = compiled.jit_table.values()
    assert entry.traced.executable.native.has_guards and entry.calls_in_python == 1
    assert run(numbers, 9) is MISS  # where the loop ends before
    assert [compiled(numbers, n) for n in (9, 9, 2, 3)] == [3.0, 3.0, 3.0, 3.0]
    assert entry.failures == 0 and entry.run(numbers, 9) == 3.0
    with pytest.raises(IndexError):
        compiled(np.ones(3), 9)


def test_a_branch_that_calls_what_cannot_be_called_is_left_to_python():
    special = object()

    def density(x):
        return 0.0 if x <= 0 else special(x)

    compiled, run = called(density, -1.0)
    assert run(-2.0) == 0.0 and run(2.0) is MISS
    with pytest.raises(TypeError, match="not callable"):
        compiled(2.0)


def test_a_misaligned_array_means_the_same():
    memory = np.zeros(33, np.uint8)
    array = memory[1:].view(np.float64)
    array[:] = A
    compiled, _ = called(lambda x: x + 1, A)
    np.testing.assert_array_equal(compiled(array), A + 1)


def test_arrays_that_are_not_writeable_are_never_written():
    compiled, run = called(add, A.copy(), B)
    frozen = A.copy()
    frozen.flags.writeable = False
    assert run(frozen, B) is MISS
    with pytest.raises(ValueError, match="read-only"):
        compiled(frozen, B)
    np.testing.assert_array_equal(frozen, A)


def test_arrays_that_share_memory_are_left_to_numpy():
    compiled, run = called(add, A.copy(), B)
    memory = np.arange(8.0)
    assert run(memory[:4], memory[2:6]) is MISS
    assert run(memory[:4], memory[:4]) is MISS
    assert run(memory[:4], memory[4:]) is None
    same = A.copy()
    compiled(same, same)
    np.testing.assert_array_equal(same, A + A)


def test_numbers_of_other_types_are_left_to_others():
    _, run = called(lambda x, n, f: x * n + f, A, 3, 0.5)
    np.testing.assert_array_equal(run(A, -7, 2.0), A * -7 + 2.0)
    for n, f in (
        (True, 0.5),
        (3.0, 0.5),
        (np.int64(3), 0.5),
        (3, 1),
        (3, np.float64(1)),
        (2**70, 0.5),
    ):
        assert run(A, n, f) is MISS


def test_constants_are_compared_by_value_and_floats_by_their_bits():
    compiled, run = called(lambda shape, x: x * shape[0] + shape[1], (1, 0.0), 2.0)
    assert run((1, 0.0), 3.0) == 3.0
    for other in ((1, -0.0), (True, 0.0), (1.0, 0.0), (1,), (1, 0.0, 2), [1, 0.0], (2, 0.0)):
        assert run(other, 3.0) is MISS
    assert str(compiled((1, -0.0), -0.0)) == "-0.0"


def test_items_of_tuples_and_lists_are_arguments_of_the_trace():
    _, run = called(lambda pair, rest: pair[0] + pair[1] * rest[0], (A, B), [2.0])
    np.testing.assert_array_equal(run((B, A), [3.0]), B + A * 3)
    for pair, rest in (
        ((A,), [2.0]),
        ([A, B], [2.0]),
        ((A, B), (2.0,)),
        ((A, 1), [2.0]),
        ((A, B), []),
    ):
        assert run(pair, rest) is MISS


# ---- the state around a call ---------------------------------------------------------------------


def test_calls_with_other_warnings_of_numpy_are_native_and_with_exceptions_are_not():
    _, run = called(lambda x: 1.0 / x, B)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(B), 1 / B)
        np.testing.assert_array_equal(run(B), 1 / B)
    for state in ("raise", "print", "call"):
        with np.errstate(divide=state):
            assert run(B) is MISS
    assert run(B) is not MISS


LEVEL, SHIFT = 1.5, types.SimpleNamespace(by=2.0)


def test_globals_closures_and_attributes_are_compared(monkeypatch):
    inner = 3.0

    def function(x):
        return x * LEVEL + inner + SHIFT.by

    compiled, run = called(function, A)
    np.testing.assert_array_equal(run(A), A * 1.5 + 3 + 2)
    monkeypatch.setitem(globals(), "LEVEL", 2.5)
    assert run(A) is MISS
    np.testing.assert_array_equal(compiled(A), A * 2.5 + 3 + 2)
    inner = 4.0
    np.testing.assert_array_equal(compiled(A), A * 2.5 + 4 + 2)
    monkeypatch.setattr(SHIFT, "by", 5.0)
    np.testing.assert_array_equal(compiled(A), A * 2.5 + 4 + 5)


def test_a_function_that_is_an_argument_may_get_other_code():
    def double(x):
        return x * 2

    compiled = ag.jit(lambda apply, x: apply(x) + 1)
    assert [compiled(double, 3.0) for _ in range(3)] == [7.0] * 3
    double.__code__ = (lambda x: x * 3).__code__
    assert compiled(double, 3.0) == 10.0


def test_a_call_in_a_trace_of_tensors_runs_natively():
    compiled, _ = called(lambda x: x + 1, A)

    @ag.function
    def traced(t):
        return t * compiled(A)[2]

    assert float(traced(ag.constant(2.0, ag.float64))) == 6.0
    assert "2 calls" in compiled.inspect()


# ---- results -------------------------------------------------------------------------------------


def test_results_have_the_types_of_python_and_numpy():
    def function(a, n, f, flag):
        return a, f * 2, a[0], n + 1, n > 2, None, "text", a + n, flag

    result = called(function, A, 3, 0.5, True)[1](A, 3, 0.5, True)
    expected = function(A, 3, 0.5, True)
    assert result[0] is A
    assert list(map(type, result)) == list(map(type, expected))
    np.testing.assert_equal(result, expected)


def test_results_share_no_memory_that_they_do_not_share_in_numpy():
    table = np.ones(4)
    table.flags.writeable = False
    _, run = called(lambda x: (x.copy(), x.copy(), x * table), A)
    first, second, product = run(A)
    for one, other in ((first, second), (first, A), (second, A), (product, A)):
        assert not np.shares_memory(one, other)


def test_an_array_of_constants_that_is_given_twice_is_one_array():
    def twice(x):
        twos = np.zeros(3)
        twos.fill(2)
        return twos, x, twos

    _, run = called(twice, np.ones(3))
    first, _, last = run(np.ones(3))
    assert first is last and first.tolist() == [2, 2, 2]


def test_an_array_is_written_after_results_have_its_old_elements():
    def cleared(x):
        before = x.copy()
        x[...] = 0
        return before

    _, run = called(cleared, A.copy())
    array = A.copy()
    np.testing.assert_array_equal(run(array), A)
    assert not array.any()


def test_arguments_that_a_loop_exchanges_get_their_own_elements():
    @ag.jit
    def exchanged(u, v, steps):
        for _ in range(steps):
            v[1:-1] = u[:-2] - v[1:-1]
            u, v = v, u

    for steps in (1, 2, 5):
        ours, theirs = [A.copy(), B.copy()], [A.copy(), B.copy()]
        exchanged(*ours, steps)
        exchanged.python_function(*theirs, steps)
        np.testing.assert_array_equal(ours, theirs)
    assert "native code" in exchanged.inspect()


def test_arrays_are_exchanged_by_way_of_copies():
    def exchange(a, b):
        a[:], b[:] = b.copy(), a.copy()

    def turn(a, b, steps):
        u, v = a, b
        for _ in range(steps):
            v[:] = u * 2 + 1
            u, v = v, u
        a[:], b[:] = u.copy(), v.copy()

    for function, args in ((exchange, ()), (turn, (3,)), (turn, (4,))):
        compiled = ag.jit(function)
        for _ in range(3):
            found, expected = [A.copy(), B.copy()], [A.copy(), B.copy()]
            compiled(*found, *args)
            function(*expected, *args)
            np.testing.assert_array_equal(found, expected)


def test_a_captured_array_is_read_in_each_call():
    weights = np.ones(4)
    _, run = called(lambda x: x * weights, A)
    weights[:] = 5
    np.testing.assert_array_equal(run(A), A * 5)


# ---- calls ---------------------------------------------------------------------------------------


def test_keywords_and_defaults_are_those_of_python():
    compiled, run = called(scaled, A)
    for call in (
        lambda f: f(A),
        lambda f: f(A, 2.0),
        lambda f: f(x=A, times=3),
        lambda f: f(A, times=9),
    ):
        np.testing.assert_array_equal(call(compiled), call(scaled))
    assert compiled.__call__.__self__[0] is run.__self__[0]  # the same table
    assert is_native(compiled)


def test_calls_are_counted():
    compiled, _ = called(scaled, A)
    for _ in range(9):
        compiled(A)
    assert "10 calls" in compiled.inspect()


def test_a_call_that_fails_runs_in_python():
    compiled, run = called(lambda x, i: x[i] * 2, A, 1)
    assert run(A, 3) == 6.0 and run(A, 9) is MISS
    with pytest.raises(IndexError):
        compiled(A, 9)


def test_calls_keep_no_references():
    def function(pair, shape, x, n):
        return pair[0] + x, n * 2, None

    compiled, run = called(function, (A, B), (1, 2.0), B, 3)
    pair, held = (A, B), [A, B, None, (1, 2.0), np.float64, A.dtype]
    before = [sys.getrefcount(one) for one in (*held, pair)]
    for _ in range(1000):
        run(pair, held[3], B, 3)
        run(pair, held[3], A, 3)
        run(pair, (1, -2.0), B, 3)
        run(pair, held[3], A[:2], 3)
        compiled(pair, held[3], B, 3)
    after = [sys.getrefcount(one) for one in (*held, pair)]
    assert np.abs(np.subtract(after, before)).max() < 100


def test_threads_call_at_once():
    compiled, _ = called(add, A.copy(), B)
    arrays = [np.zeros(4) for _ in range(4)]

    def work(array):
        for _ in range(500):
            compiled(array, B)

    threads = [threading.Thread(target=work, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for array in arrays:
        np.testing.assert_array_equal(array, B * 500)


def test_the_exception_of_a_handler_of_a_signal_ends_a_native_call():
    class AlarmError(ArithmeticError):
        """What the handler raises."""

    def raises(*_):
        raise AlarmError

    def count(x, n):
        for i in range(n):
            x[i % 4] += x[(i + 1) % 4] * 0.5 + 1.0

    compiled, _ = called(count, A.copy(), 10)
    before = signal.signal(signal.SIGALRM, raises)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(AlarmError):
            compiled(A.copy(), 10**10)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_arrays_of_rank_0_change_in_each_call():
    @ag.jit
    def assigned(a, value):
        a[...] = value

    @ag.jit
    def at(a, value):
        a.flat[0] = value

    for function in (assigned, at):
        for value in (5, 7, 9):
            for dtype in (int, float, np.float32, bool):
                array = np.array(1, dtype)
                function(array, value)
                assert array == dtype(value)
        assert function.inspect().count("native code") == 4


# ---- numbers as results ----------------------------------------------------------------------


def test_numbers_of_each_data_type_have_the_class_and_the_bits_of_numpys():
    for char in "?bBhHiIlLfdFD":
        array = np.array([0, 1, -1, 77, 1 / 3], np.float64).astype(
            np.int64 if char in "BHIL" else char
        )
        array = array.astype(char)
        _, run = called(lambda x, i: x[i], array, 0)
        for i, expected in enumerate(array):
            result = run(array, i)
            assert type(result) is type(expected) and result.tobytes() == expected.tobytes(), char
    nan = np.array([np.nan, -np.nan, np.inf, -0.0], np.float32)
    _, run = called(lambda x, i: x[i], nan, 0)
    assert [str(run(nan, i)) for i in range(4)] == ["nan", "nan", "inf", "-0.0"]


def highest(x):
    result = 0.0
    for item in x:
        result = max(result, item)
    return result


def position(x, wanted):
    for i in range(len(x)):
        if x[i] == wanted:
            return i
    return None


def either(x, y, first):
    return x if first else y


def two_or_one(x, n):
    best = 0 if n > 2 else 1.5
    return best, None if n > 5 else x[n], n


def test_numbers_of_one_of_two_types_or_none_are_chosen_natively():
    single = np.array([-1, 3, 2], np.float32)
    _, run = called(highest, single)
    for array in (single, -np.abs(single)):
        assert [type(run(array)), run(array)] == [type(highest(array)), highest(array)]
    assert bound_calls.number_of_results(run) == 4  # by the function of C alone
    _, run = called(position, A, 2.0)
    assert run(A, 2.0) == 2 and run(A, 9.0) is None
    _, run = called(either, A, B, True)
    assert run(A, B, True) is A and run(A, B, False) is B
    array = np.arange(8, dtype=np.float32)
    _, run = called(two_or_one, array, 2)
    for n in (0, 2, 3, 6):
        assert [*map(repr, run(array, n))] == [*map(repr, two_or_one(array, n))]
    assert bound_calls.number_of_results(run) >= 4


# ---- calls that fail -------------------------------------------------------------------------


def scattered(x, y, places):
    for k in range(len(places)):
        x[places[k]] += 1.0
        y[places[k]] *= 2


@pytest.mark.parametrize("size", [6, 900])
def test_arrays_that_a_failing_call_has_changed_are_restored(size):
    x, y = np.arange(float(size)), np.arange(size, dtype=np.int16)
    places = np.array([1, 2, 3, 1])
    _, run = called(scattered, x.copy(), y.copy(), places)
    changed = x.copy(), y.copy()
    assert run(*changed, places) is None and number_served(run) == 1
    assert [changed[0][1], changed[1][3]] == [3, 6]
    failing = x.copy(), y.copy()
    assert run(*failing, np.array([1, 2, 3, size])) is MISS
    np.testing.assert_array_equal(failing[0], x)
    np.testing.assert_array_equal(failing[1], y)
    assert run(*failing, places) is None and number_served(run) == 2


def number_served(run) -> int:
    return bound_calls.number_of_results(run)


# ---- results that Python makes ---------------------------------------------------------------


class Ends(typing.NamedTuple):
    first: np.ndarray
    rest: tuple
    count: int


def ends(x, n):
    inner = x[1:-1]
    inner[0] += n
    return Ends(inner, (x.T, {"sum": x.sum(), "half": x[: len(x) // 2]}), n)


def large(x):
    return x[x > 1.0], [x.max(), -x]


def test_views_named_tuples_and_containers_are_made_behind_the_function_of_c():
    for function, args in ((ends, (A, 2)), (large, (A,)), (large, (A - 10,))):
        _, run = called(function, *[value * 1 for value in args])
        copies = [value * 1 for value in args]
        result, expected = run(*copies), function(*args)
        assert number_served(run) == 1
        assert repr(result) == repr(expected) and type(result) is type(expected)
    array = A.copy()
    _, run = called(ends, array, 1)
    result = run(array, 1)
    result.first[0] = 77.0
    assert array[1] == result.rest[0][1] == 77.0
    assert result.first.base is array
