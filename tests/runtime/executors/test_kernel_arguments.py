"""A kernel reads no memory but that of the arrays that it was compiled for."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.core.errors import ShapeError
from allograph.runtime.executors.executable import Executable
from allograph.runtime.tensors.graph_builder import Builder

MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture(scope="module")
def native():
    """The native code of `x * y + 1`, as its callers in the package call it."""
    with Builder("kernel") as builder:
        x, y = builder.input(ag.float32, (3, 4), "x"), builder.input(ag.float32, (), "y")
        made = ag.add(ag.multiply(x, y), 1.0)
    return Executable(builder.finish([made]), "native")


def result(native, x, y=np.float32(2)):
    (array,) = native(x, y)
    return array


LAYOUTS = {
    "as it was compiled for": MATRIX,
    "Fortran order": np.asfortranarray(MATRIX),
    "every second column": np.repeat(MATRIX, 2, 1)[:, ::2],
    "reversed": np.ascontiguousarray(MATRIX[::-1])[::-1],
    "swapped bytes": MATRIX.astype(">f4"),
    "not aligned": np.frombuffer(b"-" + MATRIX.tobytes(), np.float32, 12, 1).reshape(3, 4),
    "a subclass": MATRIX.view(np.recarray),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_an_array_does_not_matter(native, layout):
    np.testing.assert_array_equal(result(native, LAYOUTS[layout]), MATRIX * 2 + 1)


@pytest.mark.parametrize("number", [np.float32(3), np.array(3, np.float32), np.array(3, ">f4")])
def test_a_number_may_be_a_scalar_or_an_array_of_rank_0(native, number):
    np.testing.assert_array_equal(result(native, MATRIX, number), MATRIX * 3 + 1)


@pytest.mark.parametrize("shape", [(3,), (3, 3), (3, 0), (), (1, 3, 4), (2**20,)])
def test_a_shape_that_the_graph_does_not_say_is_refused(native, shape):
    with pytest.raises(ShapeError, match=r"has shape .* not \(3, 4\) as the graph says"):
        native(np.zeros(shape, np.float32), np.float32(2))


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32, np.int8, bool, object])
def test_a_data_type_that_the_graph_does_not_say_is_refused(native, dtype):
    with pytest.raises(ag.errors.InvalidArgumentError, match="holds .* not float32"):
        native(MATRIX.astype(dtype), np.float32(2))
    with pytest.raises(ag.errors.InvalidArgumentError, match="holds .* not float32"):
        native(MATRIX, np.ones((), dtype)[()])


@pytest.mark.parametrize("number", [np.zeros(4, np.float32), np.zeros(0, np.float32)])
def test_an_array_is_not_read_as_a_number(native, number):
    with pytest.raises(ShapeError):
        native(MATRIX, number)
