"""`jit` takes arrays that are on the device already, as other libraries have them there."""

from collections import OrderedDict

import numpy as np
import pytest

import allograph as ag


class OfOthers:
    """An array in the memory of a device, as another library has it."""

    def __init__(self, device, array, is_read_only=False, **more):
        self.device, self.like = device, array
        self.memory = device.allocate(array.nbytes)
        device.copy_in(self.memory, np.ascontiguousarray(array))
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "version": 3,
            "data": (device.address(self.memory), is_read_only), **more,
        }  # fmt: skip

    def numpy(self):
        result = np.empty_like(self.like)
        self.device.copy_out(self.memory, result)
        return result


@pytest.fixture
def a(gpu):
    return OfOthers(gpu, np.arange(6.0))


def test_arrays_are_read_and_changed_without_a_copy_to_the_host(gpu, a):
    @ag.jit(device="gpu")
    def double(a, by):
        a[:] = a * by

    moved = gpu.copied_out
    assert double(a, 2.0) is None
    assert gpu.copied_out == moved
    assert a.numpy().tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert "native code on GPU:0" in double.inspect()


def test_new_arrays_are_tensors_on_the_device_and_numbers_are_of_the_host(gpu, a):
    f = ag.jit(lambda a: (a + 1.0, a.sum(), a), device="gpu")
    for _ in range(2):
        y, total, same = f(a)
        assert y.device.endswith("GPU:0") and hasattr(y, "__cuda_array_interface__")
        assert y.numpy().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        assert (total, type(total)) == (15.0, np.float64)
        assert same is a


def test_a_block_places_them_too(gpu, a):
    double = ag.jit(lambda a: a * 2.0)
    with ag.device("GPU:0"):
        assert double(a).numpy().tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_results_are_arguments_again(gpu, a):
    double = ag.jit(lambda a: a * 2.0, device="gpu")
    assert double(double(a)).numpy().tolist() == [0.0, 4.0, 8.0, 12.0, 16.0, 20.0]


def test_arrays_of_the_host_may_be_beside_them(gpu, a):
    @ag.jit(device="gpu")
    def add(a, b):
        b += a
        return a * b

    b = np.ones(6)
    product = add(a, b)
    assert b.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert product.numpy().tolist() == [0.0, 2.0, 6.0, 12.0, 20.0, 30.0]


def test_one_array_may_come_twice(gpu, a):
    f = ag.jit(lambda a, b: a * b, device="gpu")
    assert f(a, a).numpy().tolist() == [0.0, 1.0, 4.0, 9.0, 16.0, 25.0]


@pytest.mark.parametrize("form", [list, tuple, lambda pair: dict(zip("xy", pair, strict=True))])
def test_arrays_in_structures_are_taken_in_place(gpu, a, form):
    @ag.jit(device="gpu")
    def add(state, by):
        x, y = state.values() if isinstance(state, dict) else state
        x += y * by
        return x * 2.0

    b = OfOthers(gpu, np.ones(6))
    moved = gpu.copied_out
    y = add(form([a, b]), 3.0)
    assert gpu.copied_out == moved
    assert a.numpy().tolist() == [3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    assert y.numpy().tolist() == [6.0, 8.0, 10.0, 12.0, 14.0, 16.0]


def test_structures_in_structures_are_searched(gpu, a):
    f = ag.jit(lambda rows, by: rows[0]["x"] * by + rows[1], device="gpu")
    assert f([{"x": a}, 1.0], 2.0).numpy().tolist() == [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]


def test_an_array_that_changes_in_a_list_may_not_come_twice(gpu, a):
    @ag.jit(device="gpu")
    def shift(rows):
        rows[0][1:] = rows[1][:-1]

    with pytest.raises(ag.errors.InvalidArgumentError, match="share memory"):
        shift([a, a])


def test_lists_that_python_changes_are_those_of_the_caller(gpu, a):
    @ag.jit(device="gpu")
    def grow(rows):
        rows[0][:] = np.array(sorted(rows[0].tolist(), key=str))[::-1]
        rows.append(rows[0] + 1.0)
        return rows

    rows = [a]
    assert grow(rows) is rows
    assert rows[0] is a
    assert a.numpy().tolist() == [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    assert rows[1].numpy().tolist() == [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]


def test_one_that_changes_may_not(gpu, a):
    @ag.jit(device="gpu")
    def shift(a, b):
        a[1:] = b[:-1]

    with pytest.raises(ag.errors.InvalidArgumentError, match="share memory"):
        shift(a, a)


def test_errors_are_those_of_python_and_nothing_has_changed(gpu, a):
    @ag.jit(device="gpu")
    def f(a, i):
        a[0] = 7.0
        return a[i]

    assert f(a, 2) == 2.0
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        f(a, 9)
    assert a.numpy().tolist() == [7.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_what_has_no_form_runs_on_copies_which_go_back(gpu, a):
    @ag.jit(device="gpu")
    def f(a):
        a[:] = np.array(sorted(a.tolist(), key=str))[::-1]
        return [a, a.copy()]

    same, copy = f(a)
    assert same is a
    assert a.numpy().tolist() == copy.numpy().tolist() == [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]


def test_an_array_that_is_read_only_is_not_changed(gpu):
    a = OfOthers(gpu, np.arange(3.0), is_read_only=True)

    @ag.jit(device="gpu")
    def double(a):
        a *= 2.0

    with pytest.raises(TypeError, match="OfOthers that the function changes is read-only"):
        double(a)
    assert a.numpy().tolist() == [0.0, 1.0, 2.0]


class ByCapsule:
    """An array on a device of a library that has DLPack alone."""

    def __init__(self, array):
        self.array, self.streams = array, []

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return 2, 0


@pytest.fixture
def emulated(gpu):
    if gpu.description != "emulated by the CPU":
        pytest.skip("its arrays are in the memory of the host")


@pytest.mark.usefixtures("emulated")
def test_arrays_that_have_dlpack_alone_are_taken_in_place(gpu):
    a = ByCapsule(np.arange(6.0))

    @ag.jit(device="gpu")
    def double(a, by):
        a[:] = a * by
        return a + 1.0

    moved = gpu.copied_out
    y = double(a, 2.0)
    assert gpu.copied_out == moved
    assert a.array.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    assert y.numpy().tolist() == [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]
    assert set(a.streams) == {1}


@pytest.mark.usefixtures("emulated")
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float32, np.complex128, np.bool_])
def test_a_tensor_of_a_capsule_is_in_the_same_memory(dtype):
    array = np.ones((2, 1, 3), dtype)
    tensor = ag.experimental.dlpack.from_dlpack(ByCapsule(array))
    assert tensor.device.endswith("GPU:0")
    array[0, 0, 1] = 0
    np.testing.assert_array_equal(tensor.numpy(), array)


@pytest.mark.usefixtures("emulated")
def test_a_capsule_of_a_transposed_array_is_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="contiguous"):
        ag.experimental.dlpack.from_dlpack(ByCapsule(np.ones((2, 3)).T))


def test_what_python_changes_before_it_raises_is_changed(gpu, a):
    @ag.jit(device="gpu")
    def fails(items):
        items[0][0] = 7.0
        items.append(1)
        raise ValueError(str(len(items)))

    items = [a]
    with pytest.raises(ValueError, match="2"):
        fails(items)
    assert (a.numpy()[0], items) == (7.0, [a, 1])


class Named(list):
    """A list that takes more than its items."""

    def __init__(self, items, name):
        super().__init__(items)
        self.name = name


def test_structures_of_other_classes_are_of_their_class(gpu, a):
    f = ag.jit(lambda items, more: (items[0] * 2.0, items.name, more["x"] + 1.0), device="gpu")
    y, name, z = f(Named([a], "it"), OrderedDict(x=OfOthers(gpu, np.ones(2))))
    assert (y.numpy()[1], name, z.numpy()[1]) == (2.0, "it", 2.0)


def test_values_without_arrays_on_the_device_are_passed_as_they_are(gpu, a):
    items = Named([1.0], "it")
    f = ag.jit(lambda a, more: (str(a.size), more), device="gpu")
    size, same = f(a, items)
    assert size == "6" and same is items
