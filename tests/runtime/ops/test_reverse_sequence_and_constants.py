"""`reverse_sequence`, `nextafter`, values that are known while tracing, and tensors as messages."""

import numpy as np
import pytest

import allograph as ag


@pytest.mark.parametrize("way", [lambda f: f, ag.function], ids=["eager", "graph"])
def test_the_first_entries_of_each_row_are_reversed(way):
    cube = np.arange(24).reshape(3, 2, 4)
    found = way(lambda x, n: ag.reverse_sequence(x, n, seq_axis=2, batch_axis=0))(cube, [2, 4, 0])
    for row, count in enumerate([2, 4, 0]):
        expected = np.concatenate([cube[row, :, :count][:, ::-1], cube[row, :, count:]], -1)
        np.testing.assert_array_equal(found[row], expected)
    transposed = way(lambda x, n: ag.reverse_sequence(x, n, seq_axis=0, batch_axis=2))
    np.testing.assert_array_equal(transposed(cube.T, [2, 4, 0]), np.transpose(found, (2, 1, 0)))


def test_one_axis_is_not_both():
    with pytest.raises(ValueError, match="both batch_axis and seq_axis"):
        ag.reverse_sequence([[1]], [1], seq_axis=0)


def test_nextafter_is_that_of_numpy():
    x = np.array([0.0, 1.0, -np.inf, np.nan], np.float32)
    np.testing.assert_array_equal(
        ag.math.nextafter(x, ag.constant(2.0)), np.nextafter(x, np.float32(2))
    )


def test_a_value_is_known_while_tracing_if_it_is_computed_of_constants():
    known = []

    @ag.function
    def f(x):
        known.append(ag.get_static_value(x))
        known.append(ag.get_static_value(ag.constant([1, 2]) + 1))
        return x

    f(ag.constant(5))
    assert known[0] is None and known[1].tolist() == [2, 3]
    assert ag.get_static_value(ag.constant(7)) == 7


@pytest.mark.parametrize("value", [[1, 2], 1.5, [["a", "bc"]], np.zeros((0, 3)), True])
def test_a_tensor_is_a_message_and_back(value):
    array = ag.make_ndarray(ag.make_tensor_proto(value))
    assert array.dtype == ag.constant(value).dtype
    np.testing.assert_array_equal(array, ag.constant(value))


def test_names_of_the_root_are_in_its_mirrors():
    assert ag.compat.v2.newaxis is None and ag.compat.v1.newaxis is None
    assert isinstance(np.ones(2), ag.types.experimental.TensorLike)
    assert ag.version.VERSION.startswith("2.")
