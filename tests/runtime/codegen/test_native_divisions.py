"""Integer divisions, remainders and `hypot` in native code of each compiler."""

import numpy as np
import pytest

import allograph as ag

pytestmark = pytest.mark.slow

DIVISIONS = [
    (lambda x, y: x // y, np.floor_divide),
    (lambda x, y: x % y, np.remainder),
    (ag.truncatemod, np.fmod),
]


@pytest.mark.parametrize("compiler", ["allograph", "numba", "python"])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8, np.uint64, np.float64])
def test_divisions_of_the_lowest_number_wrap_as_in_numpy(dtype, compiler):
    if compiler == "numba":
        pytest.importorskip("numba")
    bounds = np.iinfo(dtype) if dtype is not np.float64 else np.finfo(dtype)
    x = np.array([bounds.min, bounds.max, 0, 7, 5], dtype)
    divisors = [one for one in (-3, -1, 1, 2) if bounds.min < 0 or one > 0]

    @ag.function(jit_compile=True, kernel_compiler=compiler)
    def run(x, y):
        return [function(x, y) for function, _ in DIVISIONS]

    for divisor in divisors:
        y = np.full(len(x), divisor, dtype)
        with np.errstate(all="ignore"):
            found, wanted = run(x, y), [numpy(x, y) for _, numpy in DIVISIONS]
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one.numpy(), other)
    if bounds.dtype.kind != "f":
        with pytest.raises(ag.errors.InvalidArgumentError, match="integer division by zero"):
            run(x, np.zeros_like(x))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_hypot_is_native(dtype):
    x = np.array([3, 0, 1e30, -5, np.inf], dtype)
    found = ag.function(ag.math.hypot, jit_compile=True)(x, x[::-1].copy())
    np.testing.assert_array_equal(found.numpy(), np.hypot(x, x[::-1]))


@pytest.mark.parametrize("divisor", [1, 2, 3, 9, 16, 1000, 2**31 + 1, 2**62, 2**63 - 1])
def test_quotients_by_positive_constants_are_rounded_down(divisor):
    ends = [end for near in range(5) for end in (near - 2**63, 2**63 - 1 - near)]
    x = np.array([*range(-20, 20), *ends, divisor, -divisor, divisor - 1, 1 - divisor], np.int64)
    by_constant = ag.function(lambda x: (x // divisor, x % divisor), jit_compile=True)
    quotient, rest = by_constant(ag.constant(x))
    assert quotient.numpy().tolist() == (x // divisor).tolist()
    assert rest.numpy().tolist() == (x % divisor).tolist()
