"""Functions along the first axis: `map_fn`, `vectorized_map`, `scan` and the folds."""

import functools

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

WAYS = pytest.mark.parametrize("way", [lambda f: f, ag.function], ids=["eager", "graph"])


@WAYS
def test_results_may_have_another_type_and_structure(way):
    def halves(pair):
        return {"half": pair[0] / 2, "product": pair[0] * pair[1]}

    signature = {"half": ag.float64, "product": ag.TensorSpec([], ag.int32)}
    run = way(lambda x, y: ag.map_fn(halves, (x, y), fn_output_signature=signature))
    made = run(ag.constant([1, 2]), ag.constant([3, 4]))
    assert made["half"].numpy().tolist() == [0.5, 1.0]
    assert made["product"].numpy().tolist() == [3, 8]


@WAYS
def test_the_structure_has_to_be_the_one_that_was_said(way):
    with pytest.raises(TypeError, match="structures differ"):
        way(lambda x: ag.map_fn(lambda row: (row, row), x))(ag.zeros([2]))


@WAYS
def test_there_have_to_be_tensors(way):
    with pytest.raises(ValueError, match=r"there are none in \[\]"):
        way(lambda x: ag.map_fn(lambda one: x, []))(ag.zeros([2]))


@WAYS
def test_no_elements_have_the_shape_that_a_result_would_have(way):
    assert way(lambda x: ag.map_fn(ag.reduce_sum, x))(ag.zeros([0, 2])).shape == [0]


def test_the_number_of_elements_may_be_unknown():
    squares = ag.function(
        lambda x: ag.map_fn(lambda v: v * v, x), input_signature=[ag.TensorSpec([None])]
    )
    assert squares([1.0, 2.0, 3.0]).numpy().tolist() == [1.0, 4.0, 9.0]


def test_tensors_may_drive_the_mapped_function():
    def size(x):
        if x > 0:
            return x
        return -x

    run = ag.function(lambda x: ag.map_fn(size, x))
    assert run(ag.constant([-1, 2])).numpy().tolist() == [1, 2]


@pytest.mark.slow
@WAYS
@pytest.mark.parametrize("reverse", [False, True])
def test_scan_and_folds_are_those_of_functools(way, reverse):
    @examples(15)
    @given(st.lists(st.integers(-9, 9), min_size=1, max_size=6))
    def check(numbers):
        order = numbers[::-1] if reverse else numbers
        steps = [functools.reduce(mix, order[: n + 1], 1) for n in range(len(order))]
        rows = ag.constant(numbers)
        made = way(lambda x: ag.scan(mix, x, initializer=1, reverse=reverse))(rows)
        assert made.numpy().tolist() == (steps[::-1] if reverse else steps)
        fold = ag.foldr if reverse else ag.foldl
        assert int(way(lambda x: fold(mix, x))(rows)) == functools.reduce(mix, order)

    check()


def mix(a, x):
    return 2 * a - x


def test_a_mapped_matrix_product():
    x = np.arange(12.0).reshape(3, 2, 2)
    made = ag.vectorized_map(lambda one: ag.matmul(one, one), ag.constant(x))
    assert np.array_equal(made.numpy(), x @ x)


def test_a_scan_has_a_gradient():
    x = ag.constant([1.0, 2.0, 3.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.function(lambda x: ag.scan(lambda a, v: a * v, x))(x)
    assert tape.gradient(y, x).numpy().tolist() == [9.0, 4.0, 2.0]


def test_a_scalar_has_no_elements():
    with pytest.raises(ValueError, match="first axis"):
        ag.scan(lambda a, x: a, ag.constant(1))
