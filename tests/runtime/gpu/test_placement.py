"""Functions run where they are placed, and their results stay there."""

import copy
import gc
import pickle
import re

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.jit import backends


@pytest.fixture
def x():
    return ag.constant([1.0, 2.0, 3.0])


def make():
    return ag.function(lambda x: x * 2.0)


def sorted_by_python(x):
    return ag.py_function(np.sort, [x], ag.float32) * 2.0


def where(tensor):
    return tensor.device.rpartition("device:")[2]


# ---- where functions run -------------------------------------------------------------------------


def test_a_block_places_the_functions_that_are_called_inside(gpu, x):
    f = make()
    before = f(x)
    with ag.device("GPU:0"):
        inside = f(x)
    places = [where(one) for one in (before, inside, f(x))]
    assert places == ["CPU:0", "GPU:0", "CPU:0"]
    assert inside.numpy().tolist() == [2.0, 4.0, 6.0]


def test_calls_that_came_often_are_placed_too(gpu, x):
    f = make()
    for _ in range(100):
        f(x)
    with ag.device("/gpu:0"):
        assert where(f(x)) == "GPU:0"


def test_frequent_calls_of_a_function_on_a_device_take_a_short_way(gpu, x):
    f = ag.function(lambda x, y: (x * y, {"sum": ag.reduce_sum(x)}), device="GPU:0")
    for _ in range(100):
        product, more = f(x, x)
    assert f.fast_paths
    assert where(product) == where(more["sum"]) == "GPU:0"
    product, more = f(product, y=product)
    assert product.numpy().tolist() == [1.0, 16.0, 81.0]
    assert float(more["sum"]) == 14.0
    assert f(x[:2], x[:2])[0].numpy().tolist() == [1.0, 4.0]
    with ag.device("CPU:0"):
        assert where(f(x, x)[0]) == "GPU:0"


def test_the_short_way_of_a_block_is_not_taken_outside(gpu, x):
    f = make()
    with ag.device("GPU:0"):
        for _ in range(100):
            assert where(f(x)) == "GPU:0"
    assert where(f(x)) == "CPU:0"


def test_the_short_way_reads_captured_tensors_and_raises_at_the_line(gpu, x):
    held = ag.constant([2.0, 3.0, 4.0])
    f = ag.function(lambda x, i: (x * held)[i], device="GPU:0")
    for _ in range(100):
        assert float(f(x, ag.constant(1))) == 6.0
    with pytest.raises(IndexError, match="index 7 is out of range"):
        f(x, ag.constant(7))
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x, ag.constant(2))
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 0.0, 4.0]


def test_a_function_has_a_device_wherever_it_is_called(gpu, x):
    f = ag.function(lambda x: x * 2.0, device="gpu")
    with ag.device("CPU:0"):
        assert where(f(x)) == "GPU:0"


def test_a_block_inside_a_function_places_the_function(gpu, x):
    @ag.function
    def f(x):
        with ag.device("GPU:0"):
            return x * 2.0

    assert where(f(x)) == "GPU:0"


def test_the_cpu_may_be_named_inside(gpu, x):
    f = make()
    with ag.device("GPU:0"), ag.device("CPU:0"):
        assert where(f(x)) == "CPU:0"


def test_where_the_environment_says_so_all_functions_run_on_the_device(gpu, x, monkeypatch):
    monkeypatch.setattr(backends, "_CHOSEN", [])
    f = make()
    assert where(f(x)) == "GPU:0"
    with ag.device("CPU:0"):
        assert where(f(x)) == "CPU:0"


def test_jit_copies_arrays_in_and_changed_ones_back(gpu):
    @ag.jit(device="gpu")
    def double(a):
        a[:] = a * np.float32(2.0)

    a = np.array([1, 2, 3], np.float32)
    before = gpu.copied_in
    assert double(a) is None
    assert a.tolist() == [2.0, 4.0, 6.0]
    assert gpu.copied_in > before


def test_a_block_places_jit_functions_too(gpu):
    double = ag.jit(lambda a: a * np.float32(2.0))
    a = np.array([1, 2, 3], np.float32)
    double(a)
    before = gpu.copied_in
    with ag.device("GPU:0"):
        assert double(a).tolist() == [2.0, 4.0, 6.0]
    assert gpu.copied_in > before


# ---- names ---------------------------------------------------------------------------------------


def test_a_decorator_refuses_a_device_that_does_not_exist(gpu):
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"(?s)'GPU:7'.*There is CPU:0, GPU:0"):
        ag.function(lambda x: x, device="GPU:7")
    with pytest.raises(ag.errors.InvalidArgumentError, match="there is no such device"):
        ag.jit(lambda x: x, device="TPU")


def test_the_cpu_takes_the_place_of_devices_that_do_not_exist(gpu, x):
    with ag.device("GPU:7"):
        assert where(make()(x)) == "CPU:0"


def test_without_soft_placement_they_are_errors(gpu, hard):
    with (
        pytest.raises(ag.errors.InvalidArgumentError, match="There is CPU:0, GPU:0"),
        ag.device("GPU:7"),
    ):
        pass


def test_devices_are_listed(gpu):
    assert [one.name for one in ag.config.list_physical_devices("GPU")] == [
        "/physical_device:GPU:0"
    ]
    assert [one.name for one in ag.config.list_logical_devices()] == [
        "/device:CPU:0",
        "/device:GPU:0",
    ]


# ---- what has no form ----------------------------------------------------------------------------


def test_the_cpu_runs_what_has_no_form_for_the_device(gpu):
    f = ag.function(sorted_by_python, device="GPU:0")
    y = f(ag.constant([2.0, 1.0]))
    assert (where(y), y.numpy().tolist()) == ("CPU:0", [2.0, 4.0])


def test_without_soft_placement_it_is_an_error(gpu, hard):
    f = ag.function(sorted_by_python, device="GPU:0")
    with pytest.raises(ag.errors.InvalidArgumentError, match="has no form for GPU:0"):
        f(ag.constant([1.0, 2.0]))


def test_without_soft_placement_jit_raises_where_a_graph_has_no_form(gpu, hard):
    f = ag.jit(lambda a: np.linalg.eigh(a)[0] * 2.0, device="GPU:0")
    with pytest.raises(
        ag.errors.InvalidArgumentError, match=r"has no form for GPU:0: [^:]*'"
    ) as caught:
        f(np.eye(3))
    assert "test_placement.py" in str(caught.value)


def test_without_soft_placement_jit_raises_where_python_would_run_it(gpu, hard):
    f = ag.jit(lambda a: print(a), device="GPU:0")
    with pytest.raises(ag.errors.InvalidArgumentError, match="has no form for GPU:0"):
        f(np.eye(3))


def test_where_the_device_fails_the_error_is_that_of_the_cpu(gpu, x):
    f = ag.function(lambda x, i: x[i], device="GPU:0")
    assert float(f(x, ag.constant(2))) == 3.0
    with pytest.raises(IndexError, match="index 7 is out of range for axis 0 with size 3"):
        f(x, ag.constant(7))


def test_what_fails_has_assigned_what_python_had_by_then(gpu, x):
    v = ag.Variable(1.0)

    @ag.function(device="GPU:0")
    def f(x, i):
        v.assign(v * 2.0)
        return x[i]

    f(x, ag.constant(1))
    with pytest.raises(IndexError):
        f(x, ag.constant(7))
    assert float(v) == 4.0


def test_graphs_of_unknown_sizes_have_a_program_for_each_shape(gpu, x):
    spec = ag.TensorSpec([None], ag.float32)
    f = ag.function(lambda x: x * 2.0, input_signature=[spec], device="GPU:0")
    assert [where(f(one)) for one in (x, ag.constant([1.0]))] == ["GPU:0", "GPU:0"]
    assert f.experimental_get_tracing_count() == 1
    assert len(f.get_concrete_function().kernels()) == 2


def test_gradients_through_counted_loops_are_computed_there(gpu, x):
    def slopes(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in ag.range(5):
                y = ag.tanh(y) * 1.1 + x
            total = ag.reduce_sum(y * y)
        return tape.gradient(total, x)

    there, here = (ag.function(slopes, device=one)(x) for one in ("GPU:0", "CPU:0"))
    assert there.device.endswith("GPU:0")
    np.testing.assert_allclose(there.numpy(), here.numpy(), rtol=1e-5)


# ---- values on the device ------------------------------------------------------------------------


def test_results_stay_on_the_device_until_somebody_asks(gpu, x):
    f = ag.function(lambda x: x * 2.0, device="GPU:0")
    y = f(f(x))
    before = gpu.copied_in, gpu.copied_out
    z = f(f(y))
    assert (gpu.copied_in - before[0], gpu.copied_out - before[1]) == (0, 0)
    assert (z.shape, z.dtype) == ((3,), ag.float32)
    assert z.numpy().tolist() == [16.0, 32.0, 48.0]
    assert gpu.copied_out - before[1] == 12


def test_an_argument_is_copied_once(gpu, x):
    f = ag.function(lambda x: x * 2.0, device="GPU:0")
    f(x)
    before = gpu.copied_in
    f(x)
    assert gpu.copied_in == before


def test_full_memory_is_told_at_the_line_of_the_largest_array(gpu, monkeypatch):
    @ag.function(device="GPU:0")
    def spread(x):
        y = x * 2.0
        return ag.tile(y, [1000])

    def full(size):
        raise ag.errors.ResourceExhaustedError("the memory of the GPU is full")

    x = ag.constant([1.0])
    monkeypatch.setattr(gpu, "_allocated", full)
    with pytest.raises(ag.errors.ResourceExhaustedError, match=r"ag\.tile\(y, \[1000\]\)"):
        spread(x)


def test_memory_is_free_again_when_tensors_are_gone(gpu):
    f = ag.function(lambda x: x * 2.0, device="GPU:0")
    y = f(ag.constant([1.0, 2.0, 3.0]))
    del y
    gc.collect()
    before = gpu.in_use
    y = f(ag.constant([1.0, 2.0, 3.0]))
    del y
    gc.collect()
    assert gpu.in_use <= before  # what other functions left may be freed meanwhile


def test_tensors_on_a_device_are_tensors(gpu, x):
    y = ag.function(lambda x: x * 2.0, device="GPU:0")(x)
    assert (y + 1.0).numpy().tolist() == [3.0, 5.0, 7.0]
    assert len(y) == 3 and float(y[0]) == 2.0 and list(map(float, y)) == [2.0, 4.0, 6.0]
    assert pickle.loads(pickle.dumps(y)).numpy().tolist() == [2.0, 4.0, 6.0]
    assert copy.deepcopy(y).numpy().tolist() == [2.0, 4.0, 6.0]
    assert repr(y) == repr(x * 2.0)
    assert np.sum(y) == 12.0


def test_others_read_tensors_on_a_device_in_place(gpu, x):
    y = ag.function(lambda x: x * 2.0, device="GPU:0")(x)
    about = y.__cuda_array_interface__
    address, is_read_only = about["data"]
    assert (about["shape"], about["typestr"], is_read_only) == ((3,), "<f4", True)
    assert address == gpu.address(y.resident.memory)


class OfOthers:
    """An array in the memory of a device, as another library has it."""

    def __init__(self, device, array, **more):
        self.memory = device.allocate(array.nbytes)
        device.copy_in(self.memory, np.ascontiguousarray(array))
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "version": 3,
            "data": (device.address(self.memory), False), **more,
        }  # fmt: skip


def test_arrays_of_others_are_tensors_in_the_same_memory(gpu, x):
    theirs = OfOthers(gpu, np.arange(6.0).reshape(2, 3))
    before = gpu.copied_in
    tensor = ag.experimental.dlpack.from_dlpack(theirs)
    result = ag.function(lambda x: x * 2.0, device="GPU:0")(tensor)
    assert gpu.copied_in == before
    assert where(tensor) == "GPU:0"
    assert tensor.resident.memory.owner is theirs
    assert result.numpy().tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


def test_memory_of_others_is_theirs_to_free(gpu):
    theirs = OfOthers(gpu, np.arange(6.0))
    gc.collect()  # what other tests have left
    before = gpu.in_use
    del ag.experimental.dlpack.from_dlpack(theirs).resident
    gc.collect()
    assert gpu.in_use == before


def test_arrays_of_others_are_contiguous(gpu):
    theirs = OfOthers(gpu, np.arange(6.0).reshape(2, 3), strides=(8, 16))
    with pytest.raises(ag.errors.InvalidArgumentError, match="not contiguous"):
        ag.experimental.dlpack.from_dlpack(theirs)


def test_variables_stay_on_the_device(gpu):
    v = ag.Variable([1.0, 2.0, 3.0])

    @ag.function(device="GPU:0")
    def step():
        v.assign(v * 2.0)

    step()
    before = gpu.copied_in
    step()
    assert gpu.copied_in == before
    assert (where(v), v.numpy().tolist()) == ("GPU:0", [4.0, 8.0, 12.0])


def test_what_the_cpu_assigns_goes_to_the_device_again(gpu):
    v = ag.Variable([1.0, 2.0, 3.0])

    @ag.function(device="GPU:0")
    def step():
        v.assign(v * 2.0)

    step()
    v.assign([5.0, 5.0, 5.0])
    assert where(v) == "CPU:0"
    step()
    assert v.numpy().tolist() == [10.0, 10.0, 10.0]
    assert pickle.loads(pickle.dumps(v)).numpy().tolist() == [10.0, 10.0, 10.0]


def test_kernels_tell_their_launch(gpu, x):
    f = ag.function(lambda x: x * 2.0, device="GPU:0")
    (kernel,) = f.get_concrete_function(x).kernels()
    assert re.fullmatch(r".*: 1 x \d+ threads, \d+ bytes.*", str(kernel))
    assert "thread_index()" in kernel.source


def test_the_cpu_has_the_compiler_of_the_process(gpu, x, monkeypatch):
    monkeypatch.setattr(backends, "_CHOSEN", ["python"])
    f = ag.function(lambda x: x * 2.0, device="CPU:0", jit_compile=True)
    assert f(x).numpy().tolist() == [2.0, 4.0, 6.0]
    assert [one.compiler for one in f.get_concrete_function(x).kernels()] == ["python"]


def test_a_function_whose_blocks_name_the_cpu_runs_there(gpu, x):
    @ag.function
    def f(x):
        with ag.device("/cpu:0"):
            return x * 2.0

    with ag.device("GPU:0"):
        assert where(f(x)) == "CPU:0"


def test_a_tensor_that_is_out_of_scope_is_refused(gpu):
    lost = []

    @ag.function
    def leaks(x):
        lost.append(x * 2.0)
        return x

    leaks(ag.constant(1.0))
    f = ag.function(lambda x: x + 1.0, device="GPU:0")
    with pytest.raises(ag.errors.OutOfScopeError):
        f.get_concrete_function(ag.constant(1.0))(lost[0])
