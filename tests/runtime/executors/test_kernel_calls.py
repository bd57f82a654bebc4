"""Calls of kernels: what goes in, what comes out, and that no reference is lost or kept."""

import gc
import sys

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.executors import bound_calls
from allograph.runtime.tensors.tensor import EagerTensor

VECTOR = np.arange(4, dtype=np.float32)
TABLE = np.arange(4, dtype=np.float32) + 10


def compiled(function, *arguments):
    """The function as native code, called often enough for its dispatcher, and its executable."""
    traced = ag.function(function, jit_compile=True)
    for _ in range(3):
        traced(*arguments)
    assert bound_calls.IS_COMPILED.wait(60)  # a thread compiles them where no other process has
    return traced, traced.get_concrete_function(*arguments).executable


@pytest.fixture(scope="module")
def sums():
    """x + y with a constant, an executable with a call for tensors."""
    return compiled(lambda x, y: x + y * TABLE, ag.constant(VECTOR), ag.constant(VECTOR))


def on_tensors(executable, *tensors):
    """What native code gives for tensors; NotImplemented where it leaves them to others."""
    table = bound_calls.CallTable(len(executable.graph.inputs))
    words = executable.on_tensors(table, range(table.given))
    return bound_calls.bound(words, lambda *_: NotImplemented, table)(*tensors)


def test_tensors_give_a_tensor(sums):
    result = on_tensors(sums[1], ag.constant(VECTOR), ag.constant(VECTOR), *captured(sums))
    assert type(result) is EagerTensor
    np.testing.assert_array_equal(result, VECTOR + VECTOR * TABLE)


def captured(sums):
    return sums[0].get_concrete_function(ag.constant(VECTOR), ag.constant(VECTOR)).captured_tensors


@pytest.mark.parametrize(
    "other",
    [1.0, None, ag.constant(VECTOR[:3]), ag.constant(VECTOR.astype(np.float64)), VECTOR[::2]],
    ids=["number", "None", "another shape", "another dtype", "strided array"],
)
def test_anything_but_tensors_of_its_types_is_left_to_others(sums, other):
    for arguments in ((other, ag.constant(VECTOR)), (ag.constant(VECTOR), other)):
        assert on_tensors(sums[1], *arguments, *captured(sums)) is NotImplemented


def test_an_array_stands_for_a_tensor_and_is_never_the_result():
    array = VECTOR.copy()
    function, executable = compiled(lambda x: ag.maximum(x, x), ag.constant(VECTOR))
    for result in (on_tensors(executable, array), function(array), function(array)):
        np.testing.assert_array_equal(result, VECTOR)
        assert not np.shares_memory(result.array, array)


def test_another_number_of_tensors_is_left_to_others(sums):
    assert on_tensors(sums[1]) is NotImplemented
    assert on_tensors(sums[1], *[ag.constant(VECTOR)] * 9) is NotImplemented


@pytest.mark.parametrize(
    "array",
    [VECTOR[::-1], np.repeat(VECTOR, 2)[::2]],
    ids=["reversed", "strided"],
)
def test_the_layout_of_an_argument_does_not_matter(sums, array):
    expected = array + VECTOR * TABLE
    np.testing.assert_array_equal(sums[0](array, ag.constant(VECTOR)), expected)
    np.testing.assert_array_equal(sums[0](EagerTensor(array), ag.constant(VECTOR)), expected)


def test_a_number_has_the_type_of_numpy():
    function, executable = compiled(lambda x: ag.reduce_sum(x), ag.constant(VECTOR))
    result = on_tensors(executable, ag.constant(VECTOR))
    assert type(result.array) is np.float32 and result.array == 6
    assert function(ag.constant(VECTOR)).dtype is ag.float32


def test_a_function_of_several_results_has_no_call_for_tensors():
    function, executable = compiled(lambda x: (x + 1, x + 2), ag.constant(VECTOR))
    assert executable.on_tensors is None
    assert [one.numpy().tolist()[0] for one in function(ag.constant(VECTOR))] == [1.0, 2.0]


def test_a_variable_is_read_at_each_call():
    variable = ag.Variable(VECTOR)
    variable.assign(VECTOR)  # its first value may wait for a checkpoint of another test
    function, executable = compiled(lambda x: x + variable, ag.constant(VECTOR))
    assert on_tensors(executable, ag.constant(VECTOR)).numpy().tolist() == [0.0, 2.0, 4.0, 6.0]
    variable.assign(TABLE)
    assert function(ag.constant(VECTOR)).numpy().tolist() == (VECTOR + TABLE).tolist()


def test_a_variable_without_a_value_is_an_error_of_the_variable():
    variable = ag.Variable(VECTOR)
    function, _ = compiled(lambda x: x + variable, ag.constant(VECTOR))
    variable._cell.release()
    with pytest.raises(ag.errors.FailedPreconditionError, match="no longer exists"):
        function(ag.constant(VECTOR))


def test_calls_keep_no_references():
    function, _ = compiled(lambda x: x * 2 + TABLE, ag.constant(VECTOR))
    tensor, array = ag.constant(VECTOR), VECTOR.copy()
    counted = [tensor, tensor.array, array, TABLE, np.dtype(np.float32), EagerTensor, "array"]

    def counts():
        return [sys.getrefcount(one) for one in counted]

    function(tensor)
    gc.collect()  # what earlier tests left has references too
    before = counts()
    for _ in range(500):
        result = function(tensor)
        function(array)
        function(tensor[:4])
    del result
    assert np.abs(np.subtract(counts(), before)).max() < 50
    kept = sys.getrefcount(function(tensor).array)
    assert kept <= 2  # that of the tensor, if it is still there, and that of the call


def test_a_failing_kernel_keeps_no_references():
    table, index = ag.constant(VECTOR), ag.constant([0, 9])
    function, _ = compiled(lambda x, at: ag.gather(x, at), table, ag.constant([0, 1]))
    before = sys.getrefcount(table), sys.getrefcount(index.array)
    for _ in range(100):
        with pytest.raises(ag.errors.InvalidArgumentError):
            function(table, index)
    after = sys.getrefcount(table), sys.getrefcount(index.array)
    assert np.subtract(after, before).max() < 20


def test_without_memory_for_results_the_error_has_the_users_line():
    def huge(x):
        return ag.broadcast_to(x, (1 << 20, 1 << 20, 1 << 10)) + 1.0  # here

    function = ag.function(huge, jit_compile=True)
    with pytest.raises(MemoryError) as caught:
        function(ag.constant(1.0))
    assert "# here" in "".join(caught.value.__notes__)


class Measured(np.ndarray):
    """Arrays of a class of the user's."""


def test_an_array_of_another_class_shares_no_memory_with_the_result_that_it_is():
    array = ag.constant(VECTOR)
    _, executable = compiled(lambda x, y: (x, x + y), array, array)
    result, total = executable(VECTOR.view(Measured), VECTOR)
    np.testing.assert_array_equal(result, VECTOR)
    np.testing.assert_array_equal(total, VECTOR + VECTOR)
    assert not np.shares_memory(result, VECTOR)
