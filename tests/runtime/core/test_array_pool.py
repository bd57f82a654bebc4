"""The memory of large results is used again, and never while anybody can see it."""

import gc
import threading

import numpy as np
import pytest
from large_paths import set_to

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.core.array_pool import BufferType, KeptMemory, array_at, large_array
from allograph.runtime.core.thresholds import POOLED_FROM

ROWS = 1 << 18


@pytest.fixture(scope="module")
def doubled():
    @ag.function(jit_compile=True)
    def doubled(x):
        return x + x

    doubled(np.ones(ROWS, np.float32))
    return doubled


def address_of(tensor) -> int:
    return np.asarray(tensor).__array_interface__["data"][0]  # `numpy()` would copy


@pytest.mark.slow
def test_memory_of_a_dead_result_is_used_again(doubled):
    x = np.ones(ROWS, np.float32)
    first = address_of(doubled(x))
    gc.collect()
    assert address_of(doubled(x)) == first


def test_a_result_that_lives_is_not_written_to(doubled):
    results = [doubled(np.full(ROWS, number, np.float32)) for number in range(5)]
    for number, result in enumerate(results):
        assert (result.numpy() == 2 * number).all()


def test_a_view_keeps_its_memory(doubled):
    last = np.asarray(doubled(np.full(ROWS, 3, np.float32)))[-4:]
    for _ in range(3):
        doubled(np.zeros(ROWS, np.float32))
    assert (last == 6).all()


def test_a_memoryview_keeps_its_memory(doubled):
    seen = memoryview(np.asarray(doubled(np.full(ROWS, 3, np.float32))))
    for _ in range(3):
        doubled(np.zeros(ROWS, np.float32))
    assert seen[ROWS - 1] == 6


def test_threads_do_not_share_memory(doubled):
    wrong = []

    def work(number):
        x = np.full(ROWS, number, np.float32)
        wrong.extend(number for _ in range(20) if (doubled(x).numpy() != 2 * number).any())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "float64"])
def test_large_arrays_are_as_numpy_makes_them(dtype):
    array = large_array(BufferType(dtype, (POOLED_FROM, 2)))
    assert array.dtype == dtype and array.shape == (POOLED_FROM, 2)
    assert array.flags.c_contiguous and array.flags.writeable and array.flags.aligned


def test_memory_over_the_limit_goes_back_to_the_system():
    kept = KeptMemory(100)
    for _ in range(3):
        kept.keep(np.empty(40, np.uint8))
    assert kept.held == 80 and len(kept.free) == 2


def test_memory_of_another_size_is_not_given():
    kept = KeptMemory(100)
    kept.keep(np.empty(40, np.uint8))
    assert kept.take(41).nbytes == 41
    assert kept.held == 40


def test_comparisons_of_many_strings_make_arrays_of_their_own():
    words = ag.constant(["one", "two"] * 4)
    with set_to({"POOLED_FROM": 1, "REUSE_FROM": 1}):
        differ = ag.function(lambda a, b: ag.logical_not(a == b))
        assert differ(words, words[::-1]).numpy().all()


def test_memory_is_released_with_the_last_view_of_an_array():
    memory, released = np.arange(4.0), []
    array = array_at(memory.ctypes.data, BufferType("<f8", (4,)), lambda: released.append(1))
    view = array[1:]
    del array
    assert view.tolist() == [1.0, 2.0, 3.0] and not released
    del view
    assert released == [1]
