"""One function run in every way: eagerly, as graphs of known and unknown shapes, natively."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.tensors.tensor import Tensor


def _listed(results):
    return [results] if isinstance(results, Tensor) else list(results)


def _specs(arrays, shape_of):
    return [ag.TensorSpec(shape_of(array), array.dtype) for array in arrays]


def _check(results, expected, how):
    for result, wanted in zip(_listed(results), expected, strict=True):
        assert result.dtype == wanted.dtype, how
        np.testing.assert_array_equal(result.numpy(), wanted.numpy(), err_msg=how)


def run_everywhere(function, *arrays, ranks=True, native=True):
    """The results of `function` on tensors of `arrays`, once they are the same in every way.

    What a graph declares of its results, their types and shapes, must be true of them. `ranks`:
    also with arguments of unknown rank. `native`: also compiled as a whole.
    """
    arrays = [np.asarray(array) for array in arrays]
    tensors = [ag.constant(array) for array in arrays]
    expected = _listed(function(*tensors))
    ways = {
        "shapes known": lambda array: array.shape,
        "sizes unknown": lambda array: [None] * array.ndim,
        "ranks unknown": lambda array: None,
    }
    for how, shape_of in ways.items():
        if how == "ranks unknown" and not ranks:
            continue
        traced = ag.function(function, autograph=False, kernel_compiler="none")
        concrete = traced.get_concrete_function(*_specs(arrays, shape_of))
        for declared, wanted in zip(_listed_specs(concrete), expected, strict=True):
            assert declared.dtype == wanted.dtype, how
            assert declared.shape.is_compatible_with(wanted.shape), (how, declared, wanted.shape)
            if how == "shapes known" and native:
                assert declared.shape == wanted.shape, (how, declared, wanted.shape)
        _check(concrete(*tensors), expected, how)
    if native:
        compiled = ag.function(function, autograph=False, jit_compile=True)
        _check(compiled(*tensors), expected, "native")
    return [wanted.numpy() for wanted in expected]


def _listed_specs(concrete):
    specs = concrete.structured_outputs
    return list(specs) if isinstance(specs, (list, tuple)) else [specs]


@pytest.fixture(scope="session")
def everywhere():
    """`run_everywhere`, as a fixture."""
    return run_everywhere
