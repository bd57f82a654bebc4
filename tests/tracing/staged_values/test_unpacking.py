"""Unpacking tensors to names, and Python's sequences at an index known when the graph runs."""

import numpy as np
import pytest
from execution_modes import pinned
from language_kit import LISTS, plain

import allograph as ag

MATRIX = [[1, 2], [3, 4], [5, 6]]


def test_the_rows_of_a_tensor_go_to_names():
    @ag.function
    def f(t):
        a, b, c = t
        first, *rest = t
        (d, e), g = a, b
        return a + b + c, len(rest), first + rest[-1], d, e, g

    results = f(ag.constant(MATRIX))
    assert [np.asarray(one).tolist() for one in results] == [[9, 12], 2, [6, 8], 1, 2, [3, 4]]


def test_nested_names_in_a_loop_over_a_tensor():
    @ag.function
    def f(t):
        total = 0
        for i, (a, b) in enumerate(t):
            total += i * a + b
        for a, b in t:
            total += a - b
        return total

    assert int(f(ag.constant(MATRIX))) == 3 + 10 + 12 - 3


def test_in_the_target_of_a_comprehension():
    @ag.function
    def f(t):
        sums = ag.stack([a * b for a, b in t])
        return sums, ag.stack([i + b for i, (_, b) in enumerate(t) if b > 2])

    products, large = f(ag.constant(MATRIX))
    assert products.numpy().tolist() == [2, 12, 30]
    assert large.numpy().tolist() == [5, 8]


@pytest.mark.parametrize("rows, few", [(2, "not enough"), (4, "too many")])
def test_another_number_of_rows_names_both_numbers(rows, few):
    @ag.function
    def f(t):
        a, b, c = t
        return a

    with pytest.raises(ValueError, match=f"{few} values to unpack.* {rows} rows.* 3 are expected"):
        f(ag.zeros((rows,)))


def test_an_unknown_length_is_checked_when_the_graph_runs():
    @ag.function(input_signature=[ag.TensorSpec([None])])
    def f(t):
        a, b = t
        return a * b

    assert float(f(ag.constant([3.0, 4.0]))) == 12.0
    with pytest.raises(ValueError, match=r"\(3,\)"):
        f(ag.zeros((3,)))


def test_iterators_are_unpacked_by_python():
    @ag.function
    def f(x):
        a, b = (x + i for i in range(2))
        (c, d), *e = [iter((1, 2)), x]
        return a + b + c + d + e[0]

    assert int(f(ag.constant(1))) == 1 + 2 + 1 + 2 + 1


@pytest.mark.parametrize("jit", [False, True])
def test_a_list_at_an_index_known_later(jit):
    weights = [np.float32([1, 2]), ag.constant([3.0, 4.0])]
    scales = np.float32([10, 100])

    @ag.function(**pinned(jit))
    def f(i):
        total = weights[i] * scales[i] * (1.0, 2.0)[i]
        for j in ag.range(2):
            total += weights[j]
        return total + weights[-i]

    assert f(ag.constant(1)).numpy().tolist() == [607.0, 810.0]


def test_structures_at_an_index_known_later():
    layers = [{"w": ag.ones(2), "b": 1.0}, {"w": ag.zeros(2), "b": 2.0}]

    @ag.function
    def f(i):
        layer = layers[i]
        return layer["w"] * 3.0 + layer["b"]

    assert f(ag.constant(0)).numpy().tolist() == [4.0, 4.0]
    assert f(ag.constant(1)).numpy().tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "items, told",
    [
        ([1.0, np.float32([1, 2])], r"item 0 is float32 with shape \(\), item 1 is"),
        ([1, 2.5], "item 0 is int32 .*item 1 is float32"),
        ([ag.int32, ag.int64], "item 0 is the DType ag.int32"),
        ([(1, 2), 3], "different structures"),
        ({0: 1}, "a dictionary"),
    ],
)
def test_items_that_are_no_rows_of_one_tensor_are_named(items, told):
    @ag.function
    def f(i):
        return items[i]

    with pytest.raises((ValueError, NotImplementedError), match=told):
        f(ag.constant(0))


def test_a_scalar_has_no_items_to_unpack():
    def f(x):
        a, b = x
        return a

    with pytest.raises(TypeError, match="is a scalar, so it has no items to unpack"):
        ag.function(f)(ag.constant(1))


def starred(x):
    first, *rest = x
    rows = [one + 1 for one in x if one > 0]
    *before, last = rows
    (start, *middle, _), *others = rows, 5
    for one in x:
        before.append(one)
    return first, rest, len(rest), before, last, start, middle, others


def consumed(x):
    rest, total = list(x), 0
    while rest:
        first, *rest = rest
        total = total * 3 + first
    return total


@pytest.mark.parametrize("function", [starred, consumed])
def test_a_starred_name_gets_a_list_of_what_remains(function):
    unknown = ag.function(
        function,
        input_signature=[ag.TensorSpec([None], ag.int32)],
        experimental_autograph_options=LISTS,
    )
    for row in ([1, 2, 3], [4, 0, 5], [2, 2]):
        assert plain(unknown(row)) == function(row)


def test_a_starred_target_that_is_no_name_is_refused_for_unknown_lengths():
    class Holder:
        pass

    @ag.function(input_signature=[ag.TensorSpec([None])])
    def f(x):
        holder = Holder()
        first, *holder.rest = [2.0 * one for one in x]
        return first

    with pytest.raises(ag.errors.UnimplementedError, match="is unpacked with `\\*`"):
        f([1.0, 2.0])


def test_too_few_items_for_the_names_are_an_error_of_python():
    @ag.function(input_signature=[ag.TensorSpec([None])])
    def f(x):
        a, b, *rest = x
        return a + b, rest

    with pytest.raises(ValueError, match="not enough values to unpack .expected at least 2"):
        f([1.0])
