"""NumPy arrays that traced code makes and writes to: tensors once something staged goes in."""

import math

import numpy as np
import pytest

import allograph as ag

ONE = ag.constant(1.0, ag.float64)


def test_a_symbolic_item_turns_an_array_into_a_tensor():
    @ag.function
    def f(x):
        made = np.zeros((2, 2))
        made[0, 1] = x
        made[1] = [x, 2 * x]
        return made

    assert f(ONE).numpy().tolist() == [[0.0, 1.0], [1.0, 2.0]]


def test_a_symbolic_value_is_added_to_an_item():
    @ag.function
    def f(x):
        made = np.ones(2)
        made[0] += x
        return made

    assert f(ONE).numpy().tolist() == [2.0, 1.0]


def test_a_symbolic_value_is_added_to_a_row():
    @ag.function
    def f(x):
        made = np.ones((2, 2))
        made[1] += x
        return made

    assert f(ONE).numpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_an_array_is_updated_at_an_index_known_later():
    @ag.function
    def f(i):
        made = np.zeros(3)
        made[i] += 5.0
        return made

    assert f(ag.constant(2)).numpy().tolist() == [0.0, 0.0, 5.0]


@pytest.mark.parametrize("x, expected", [(1.0, [0.0, 7.0]), (-1.0, [3.0, 0.0])])
def test_an_array_changes_only_on_the_side_that_is_taken(x, expected):
    @ag.function
    def f(x):
        made = np.zeros(2)
        if x > 0:
            made[1] = 7
        else:
            made[0] = 3
        return made

    assert f(ag.constant(x)).numpy().tolist() == expected


def test_an_array_in_an_attribute_changes_only_on_the_side_that_is_taken():
    class Grid:
        def __init__(self):
            self.cells = np.zeros(2)

    @ag.function
    def f(x):
        grid = Grid()
        if x > 0:
            grid.cells[0] = 1
        return grid.cells

    assert f(ag.constant(-1.0)).numpy().tolist() == [0.0, 0.0]
    assert f(ag.constant(1.0)).numpy().tolist() == [1.0, 0.0]


def test_an_array_that_neither_side_changes_stays_an_array():
    kinds = []

    @ag.function
    def f(x):
        made = np.zeros(2)
        if x > 0:
            if kinds:
                made = made + 1
            x = x + 1
        kinds.append(type(made))
        return x

    f(ONE)
    assert kinds == [np.ndarray]


def test_plain_items_change_an_array_in_place():
    @ag.function
    def f(x):
        made = np.zeros(2)
        other = made
        made[1] = 4
        return x + other

    assert f(ONE).numpy().tolist() == [1.0, 5.0]


def test_a_symbolic_item_in_a_view_of_another_array_is_refused():
    @ag.function
    def f(x):
        whole = np.zeros((2, 2))
        row = whole[0]
        row[1] = x
        return whole

    with pytest.raises(ag.errors.UnimplementedError, match="view of another"):
        f(ONE)


def test_a_reshaped_array_that_nobody_else_holds_takes_symbolic_items():
    @ag.function
    def f(x):
        made = np.arange(4.0).reshape(2, 2)
        made[0, 0] = x
        return made

    assert f(ONE).numpy().tolist() == [[1.0, 1.0], [2.0, 3.0]]


def test_array_of_symbolic_items():
    made = ag.function(lambda x: np.array([[x, 2 * x], [0.5, 1.0]]))(ONE)
    assert made.dtype == ag.float64
    assert made.numpy().tolist() == [[1.0, 2.0], [0.5, 1.0]]


@pytest.mark.parametrize("make", [np.zeros, np.ones, np.empty])
def test_arrays_of_a_size_known_later(make):
    made = ag.function(lambda n: (make(n), make((n, 2), dtype=np.int32)))(ag.constant(3))
    assert [tuple(one.shape) for one in made] == [(3,), (3, 2)]
    assert [one.dtype for one in made] == [ag.float64, ag.int32]


def test_full_and_arange_of_a_size_known_later():
    whole, count = ag.function(lambda n: (np.full(n, 2.5), np.arange(n)))(ag.constant(3))
    assert whole.numpy().tolist() == [2.5, 2.5, 2.5]
    assert count.numpy().tolist() == [0, 1, 2]


def test_the_length_of_a_tensor_is_a_size():
    @ag.function
    def f(x):
        return np.zeros((len(x) + 1, 2))

    assert f(ag.constant([1.0, 2.0])).shape == (3, 2)


def test_types_of_numpy_cast():
    made = ag.function(lambda x: (np.int64(x), np.float32(x), np.bool_(x)))(ag.constant(2.7))
    assert [one.dtype for one in made] == [ag.int64, ag.float32, ag.bool]
    assert [one.numpy().tolist() for one in made] == [2, pytest.approx(2.7), True]


@pytest.mark.parametrize("name", ["sqrt", "exp", "log", "sin", "atan", "tanh", "log2", "fabs"])
def test_functions_of_math(name):
    function = getattr(math, name)
    made = ag.function(lambda x: function(x))(ag.constant(0.7, ag.float64))
    assert float(made) == pytest.approx(function(0.7), rel=1e-15)


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc"])
def test_functions_of_math_that_round_give_whole_numbers(name):
    function = getattr(math, name)
    made = ag.function(lambda x: function(x))(ag.constant(-2.5))
    assert made.dtype == ag.int32
    assert int(made) == function(-2.5)


def test_logarithm_to_a_base():
    assert float(ag.function(lambda x: math.log(x, 2))(ag.constant(8.0))) == pytest.approx(3.0)


def test_functions_of_math_on_plain_numbers_are_pythons():
    kinds = []

    @ag.function
    def f(x):
        kinds.append(type(math.sqrt(4)))
        return x

    f(ONE)
    assert kinds == [float]


class TestArraysInABranch:
    """They are NumPy's own there; what the branch does to them counts where it runs."""

    def test_methods_of_arrays_are_there(self):
        @ag.function
        def f(x):
            a = np.arange(4.0)
            if x > 0:
                a[0] = a.sum()
                a += 1
            else:
                a = a.astype(np.float64) * 2
            return a

        assert f(ag.constant(1)).numpy().tolist() == [7.0, 2.0, 3.0, 4.0]
        assert f(ag.constant(-1)).numpy().tolist() == [0.0, 2.0, 4.0, 6.0]

    def test_arrays_in_a_list_are_changed_on_one_side_only(self):
        @ag.function
        def f(x):
            rows = [np.zeros(3), np.ones(3)]
            if x > 0:
                rows[0][1] = 5.0
            assert isinstance(rows[1], np.ndarray)
            return rows[0] + rows[1]

        assert f(ag.constant(1)).numpy().tolist() == [1.0, 6.0, 1.0]
        assert f(ag.constant(-1)).numpy().tolist() == [1.0, 1.0, 1.0]

    def test_an_error_leaves_them_as_they_were(self):
        seen = np.zeros(2)

        @ag.function
        def f(x):
            a = seen
            if x > 0:
                a[0] = 1.0
                a = a.no_such_thing
            return a

        with pytest.raises(AttributeError):
            f(ag.constant(1))
        assert seen.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: np.array(x, ndmin=2),
        lambda x: np.array([x, 1], ndmin=3),
        lambda x: np.asarray(x, np.float32, "C"),
        lambda x: np.ascontiguousarray(x),
        lambda x: np.asfortranarray([x, x]),
        lambda x: np.zeros((x, 2), np.float32, "C"),
        lambda x: np.ones(x, order="F"),
        lambda x: np.full(x, 7.0, order="C"),
    ],
)
def test_functions_that_make_arrays_take_their_options(make):
    expected = make(np.int64(3))
    found = ag.function(make)(ag.constant(3, ag.int64)).numpy()
    np.testing.assert_array_equal(found, expected, strict=True)
