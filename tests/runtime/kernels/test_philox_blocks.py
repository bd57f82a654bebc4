"""Blocks of the Philox generator: the same for every vector width."""

import ctypes

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from allograph.runtime.jit import cpu
from allograph.runtime.jit.loader import llvm_backend
from allograph.runtime.jit.loader.load import addresses
from allograph.runtime.kernels.random import philox_blocks, philox_parameters

U64 = np.uint64


def blocks_function():
    """The function of the library, compiled for the vectors that the module chooses now."""
    code = llvm_backend.object_code(philox_blocks.written(), is_library=True)
    integers = [ctypes.c_int64] * philox_blocks.PARAMETERS
    address = addresses(code, is_new=True)(philox_blocks.SYMBOL)
    return ctypes.CFUNCTYPE(ctypes.c_bool, *integers)(address)


@pytest.mark.parametrize(
    "vector_bytes, features, step",
    [(16, (), 14), (32, (), 20), (64, (), 32), (64, ("avx512ifma",), 32)],
)
def test_every_vector_width_gives_the_blocks_of_numpy(monkeypatch, vector_bytes, features, step):
    if not all(map(cpu.has, features)):
        pytest.skip("the processor lacks an instruction")
    monkeypatch.setattr(philox_parameters, "vector_registers", lambda: (vector_bytes, 16))
    monkeypatch.setattr(philox_blocks, "has", lambda feature: feature in features)
    assert philox_parameters.step_blocks() == step
    words = np.zeros(4 * 3 * step, U64)
    key, first, counter = (2**64 - 3, 0xD2E7470EE14C6C93), 2**64 - 30, 2**63 + 11
    numbers = np.array([*key, first, counter], U64).view(np.int64).tolist()
    assert not blocks_function()(words.ctypes.data, 2 * step + 1, *numbers)
    blocks = []
    for index in range(3 * step):
        start = [(first + index - 1) % 2**64, 0, 0, counter]
        bits = np.random.Philox(key=np.array(key, U64), counter=np.array(start, U64))
        carried = (first + index - 1) % 2**64 == 2**64 - 1  # NumPy carries into the next word
        blocks.append(np.zeros(4, U64) if carried else bits.random_raw(4))
    found = words.reshape(-1, 4)
    kept = [index for index, block in enumerate(blocks) if block.any()]
    assert len(kept) >= 3 * step - 1
    np.testing.assert_array_equal(found[kept], np.array(blocks)[kept])
