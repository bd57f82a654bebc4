"""What stands for a number or bool of Python in a graph does as that does, in eager code."""

import functools
import math
import operator

import numpy as np
import pytest
from language_kit import LISTS
from staged_question_programs import assert_graph_answers_as_python

import allograph as ag


def outcome(function, *args):
    """A result as text, or the class of the error."""
    try:
        result = function(*args)
    except Exception as error:  # noqa: BLE001 - the class is compared
        return next(one for one in type(error).__mro__ if one.__module__ == "builtins").__name__
    return str(ag.nest.map_structure(lambda one: np.asarray(one).tolist(), result))


def assert_as_eager(*functions):
    """Functions of a vector give in a graph, to which its length is unknown, what they give in
    eager code.
    """
    for function in functions:
        graph = ag.function(function, input_signature=[ag.TensorSpec([None], ag.int32)])
        for items in ([1, 2, 3], [0], [4, 0]):
            given = ag.constant(items)
            assert outcome(graph, given) == outcome(function, given), (function, items)


def test_it_is_an_instance_of_the_class_of_python():
    assert_as_eager(
        lambda x: isinstance(len(x), int),
        lambda x: isinstance(int(x[0]), (float, int)),
        lambda x: isinstance(float(x[0]), float),
        lambda x: isinstance(float(x[0]), int),
        lambda x: (isinstance(bool(x[0] > 1), bool), isinstance(not x[0], int)),
        lambda x: type(len(x)) is int and type(len(x) / 2) is float,
        lambda x: isinstance(len(x) + 1, int),
        lambda x: (isinstance(x[0], int), isinstance(x[0], ag.Tensor)),
    )


def found_flag(x):
    found = False
    for one in x:
        found = found or bool(one > 2)
    return str(found)


def test_a_bool_is_shown_as_python_shows_it():
    def texts(x):
        return (
            str(bool(x[0] > 1)), str(not x[0]), str(3 in x), str(len(x) == 3), f"{bool(x[0])!r}",
            str(any(v > 2 for v in x)), found_flag(x), "%s" % (len(x) > 1 and x[0] is not None),  # noqa: UP031
        )  # fmt: skip

    graph = ag.function(texts, input_signature=[ag.TensorSpec([None], ag.int32)])
    for items in ([1, 2, 3], [0], [4, 0]):
        given = ag.constant(items)
        assert tuple(one.numpy().decode() for one in graph(given)) == texts(given)


def test_a_bool_counts_as_0_or_1():
    def count(x):
        count = 0
        for one in x:
            count += bool(one > 1)
        return count

    assert_as_eager(
        count,
        lambda x: sum(bool(v > 1) for v in x),
        lambda x: bool(x[0] > 1) + 1,
        lambda x: 2.5 * bool(x[0] > 1),
        lambda x: -(not x[0]),
        lambda x: (len(x) > 1) + len(x),
    )


def test_quotients_and_functions_of_it_adopt_data_types_too():
    def scaled(x):
        y = ag.cast(x, ag.float32)
        middle = 0.0
        for i in range(len(x)):
            middle += (i / len(x)) * y[i]
        root = math.sqrt(len(x))
        return y * (len(x) / 2), y * (1 / len(x)), y / root, y + round(7 / len(x)), middle

    assert_as_eager(scaled, lambda x: isinstance(math.floor(len(x) / 2), int))


def test_sequences_are_not_added_to_it():
    assert_as_eager(
        lambda x: [1] + len(x),
        lambda x: (1, 2) - len(x),
        lambda x: len(x) + [1],
        lambda x: [1] / float(x[0]),
        lambda x: [1, 2] + x[:1],
    )

    @ag.function(input_signature=[ag.TensorSpec([None])])
    def f(x):
        return [1] + len(x)

    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'list' and 'int'"):
        f(ag.constant([1.0]))


def test_a_range_has_no_step_of_0():
    def total(n, step):
        sum_ = 0
        for i in range(0, n, step):
            sum_ += i
        return sum_

    def guarded(n, step):
        sum_ = 0
        if step > 5:
            for i in range(0, n, 0):
                sum_ += i
        return sum_

    for function, rows in ((total, [(3, 0), (3, 1), (5, 2)]), (guarded, [(3, 1), (3, 6)])):
        graph = ag.function(function)
        for row in rows:
            assert outcome(graph, *map(ag.constant, row)) == outcome(function, *row)
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
        ag.function(total)(ag.constant(3), ag.constant(0))


def test_functions_of_numpy_and_c_may_be_decorated():
    x, y = ag.constant([1.0, 2.0]), ag.constant([3.0, 4.0])
    assert ag.function(np.add)(x, y).numpy().tolist() == [4.0, 6.0]
    assert ag.function(np.sum)(ag.stack([x, y]), axis=0).numpy().tolist() == [4.0, 6.0]
    assert ag.function(functools.partial(np.subtract, 3.0))(x).numpy().tolist() == [2.0, 1.0]
    (found,) = ag.function(np.where)(x > 1.0)
    assert found.numpy().tolist() == [1]
    assert float(ag.function(max)(x[0], x[1])) == 2.0
    concrete = ag.function(np.add).get_concrete_function(ag.TensorSpec([None]), 1.0)
    assert concrete(x).numpy().tolist() == [2.0, 3.0]


@pytest.mark.parametrize("spec", [None, ag.TensorSpec([None]), ag.TensorSpec(None)])
def test_only_a_scalar_becomes_a_number(spec):
    for convert in (int, float):
        graph = ag.function(
            lambda x, convert=convert: convert(x), input_signature=None if spec is None else [spec]
        )
        with pytest.raises((TypeError, ValueError), match="is no Python number|not \\(\\)"):
            graph(ag.constant([1.5, 2.5]))
    graph = ag.function(lambda x: int(x[0]) + int(x[1]), input_signature=[ag.TensorSpec(None)])
    assert int(graph([1.5, 2.5])) == 3


def test_it_adopts_more_digits_of_an_int():
    def sums(x):
        total = ag.constant(2**40, ag.int64)
        for i in range(len(x)):
            total += i
        return total, total * len(x), len(x) - total, total // int(x[0] + 1)

    assert_as_eager(sums)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_a_random_program_of_questions_gets_the_answers_of_python(seed):
    assert_graph_answers_as_python(seed)


def after_a_loop(n):
    y = None
    for i in range(n):
        y = (i, 2)
    asked = isinstance(y, tuple), y is None, y != None, callable(y)  # noqa: E711
    return *asked, bool(y), not y, 1 if y else 2, all([y, 1]), any([y, 0])


def a_tuple_or_none(n):
    y = None if n > 1 else (1, 2)
    return all([y, 1]), y == (1, 2), y == 2.5, hasattr(y, "count"), [y] == [None]


def numbers(n):
    count, flag = 0, bool(n > 1)
    while count < n:
        count += 1
    return hasattr(count, "shape"), hasattr(count, "real"), count == [1], round(flag), flag < 2


def ranges(n):
    y = range(n + 1)[1:]
    asked = isinstance(y, range), y == n, y == [1], isinstance(y[0], int), type(y) is range
    return *asked, range(9, 2, -2)[n], range(5)[-n], isinstance(range(5)[n], int)


def items_at_tensors(n):
    word = "ab" if n > 1 else "1"
    asked = isinstance([1, 2, 3, 4][n], int), (1.5, 2.5, 3.5, 4.5)[n] in [[2.5]], [word] == [1]
    return *asked, tuple(range(n)) == [], operator.length_hint(reversed(range(n)))


def test_no_handler_catches_what_python_does_with_tuples_of_unknown_length():
    def of_bytes(n):
        try:
            return len(bytes(tuple(range(n))))
        except TypeError:
            return -1

    def of_percent(n):
        try:
            return 1 if "%s" % (None if n > 1 else (1, 2)) == "None" else 2
        except TypeError:
            return -1

    for function in (of_bytes, of_percent):
        with pytest.raises(ag.errors.SymbolicValueError, match="depends on a tensor"):
            ag.function(function)(ag.constant(2))


@pytest.mark.parametrize(
    "function", [after_a_loop, a_tuple_or_none, numbers, ranges, items_at_tensors]
)
def test_what_a_tensor_makes_of_values_of_python_answers_as_they_do(function):
    decorated = ag.function(function, experimental_autograph_options=LISTS)
    for n in (0, 1, 2, 3) if function is after_a_loop else (1, 2, 3):
        found = ag.nest.map_structure(np.asarray, decorated(ag.constant(n)))
        assert tuple(map(int, found)) == tuple(map(int, function(n)))


def test_a_refusal_is_not_handled_by_the_program():
    def f(n):
        flag = bool(n > 1)
        try:
            return {1: 2}.get(flag, 5)
        except TypeError:
            return 11

    with pytest.raises(ag.errors.SymbolicValueError, match="the hash of a number"):
        ag.function(f)(ag.constant(0))


def test_what_python_refuses_of_a_value_is_an_error():
    assert_as_eager(
        lambda x: any(x[0]), lambda x: all(x[0]), lambda x: 1 in x[0],
        lambda x: 1 not in ag.cast(x[0], ag.float32),
        lambda x: -range(len(x)), lambda x: +range(len(x)), lambda x: ~range(len(x)),
        lambda x: range(len(x)) + 1, lambda x: 2 * range(len(x)), lambda x: range(len(x)) < 2,
        lambda x: abs([v for v in range(len(x))]),
        lambda x: math.sqrt(x), lambda x: math.floor(range(len(x))), lambda x: complex(x),
        lambda x: float(ag.complex(ag.cast(x[0], ag.float32), 2.0)),
        lambda x: list(reversed(zip(x, x))), lambda x: sum(enumerate(x)), lambda x: max(x[:0]),
    )  # fmt: skip


def test_what_is_computed_with_a_float_is_a_float():
    def texts(x):
        total, chosen = 0, 1 if x[0] > 1 else 2.5
        for _ in range(len(x)):
            total += 0.5
        return f"{total + 0.5} {total / 2 + 1}", str(-chosen * 2.0), isinstance(chosen - 0.5, int)

    graph = ag.function(texts)
    for items in ([1, 2, 3], [4]):
        given = ag.constant(items)
        assert [part.numpy() for part in graph(given)] == [
            part.encode() if isinstance(part, str) else part for part in texts(given)
        ]


def test_a_pattern_of_a_key_that_only_one_branch_sets_is_refused():
    def matched(x):
        items = {"k": 1}
        if x > 1:
            items["m"] = 2
        match items:
            case {"m": _}:
                return 5
        return 7

    with pytest.raises(UnboundLocalError, match="which may be missing"):
        ag.function(matched)(ag.constant(0))
