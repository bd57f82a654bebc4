"""Functions of NumPy on operands of different data types, as NumPy promotes them: as traces decide,
before any machine code.
"""

import numpy as np
import pytest

import allograph as ag

pytestmark = pytest.mark.slow

OPERANDS = {
    "int": 3, "float": 2.5, "complex": 1 + 2j, "bool": True, "float32": np.float32(1.5),
    "int8": np.int8(5), "floats": np.linspace(0.1, 2.0, 4), "complexes": np.arange(4) + 1j,
    "singles": np.linspace(0.1, 2.0, 4).astype(np.float32), "bytes": np.array([1, 200, 3, 7], "u1"),
}  # fmt: skip
FUNCTIONS = {
    "hypot": lambda a, b: np.hypot(a, b),
    "float_power": lambda a, b: np.float_power(a, b),
    "interp": lambda a, b: np.interp(a, [0, 1], [2, 3]),
    "cross": lambda a, b: np.cross(a, b),
    "zeros_like": lambda a, b: np.zeros_like(a),
    "full_like": lambda a, b: np.full_like(a, b),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("a", OPERANDS.values(), ids=OPERANDS)
@pytest.mark.parametrize("b", OPERANDS.values(), ids=OPERANDS)
@pytest.mark.filterwarnings("ignore")
def test_the_result_has_the_type_and_the_values_of_numpy(function, a, b):
    try:
        expected = function(a, b)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            ag.jit(function, kernel_compiler="python")(a, b)
        return
    found = ag.jit(function, kernel_compiler="python")(a, b)
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, 1e-5 if expected.dtype == np.float32 else 1e-9)
