"""Random programs that draw from a generator of NumPy: arrays and single numbers, in branches and
loops, between arithmetic.

On an emulated device, threads draw some of the numbers, and the host others, between kernels.
"""

import random

import numpy as np
from device_laws import emulated_device
from numpy_programs import function_of

import allograph as ag

BITS = (np.random.PCG64, np.random.Philox, np.random.SFC64)
ARRAYS = (
    "rng.random({k})", "rng.uniform(-1.0, {c}, {k})", "rng.random(size=({k},))",
    "x * rng.random({k})",
    "rng.uniform(low=x[0], high=x[0] + 1.0, size={k})", "rng.standard_normal({k})",
    "rng.exponential({c}, {k})", "rng.permutation({k}) * 0.5", "rng.integers(0, 9, {k}) + x",
    "rng.random((2, {k})).sum(axis=0)", "np.cumsum(x + rng.uniform(0.0, s * s + 1.0, {k}))",
)  # fmt: skip
NUMBERS = (
    "rng.random()", "rng.uniform(-1.0, s * s)", "rng.integers(0, {n}) * 0.1", "rng.normal(s, 0.5)",
    "x[rng.integers(0, {k})]", "rng.standard_exponential()",
)  # fmt: skip


class DrawingProgram:
    """`source`: `def program(rng, x)`, which changes `x` and returns it with a number."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.size = self.random.choice((1, 3, 5))
        lines = ["def program(rng, x):", "    s = 0.5", *self._block(1, 4)]
        self.source = "\n".join([*lines, "    return x * 2.0, s"])

    def _text(self, forms) -> str:
        choose = self.random
        numbers = {"k": self.size, "n": choose.randint(1, 7), "c": choose.choice((0.5, 2.0))}
        return choose.choice(forms).format(**numbers)

    def _block(self, depth: int, most: int) -> list[str]:
        choose, indent = self.random, "    " * depth
        lines = []
        for _ in range(choose.randint(1, most)):
            way = choose.random()
            if way < 0.4:
                target = choose.choice(("x", "x[:]"))
                lines.append(f"{indent}{target} = {self._text(ARRAYS)}")
            elif way < 0.7 or depth > 2:
                lines.append(f"{indent}s = s * 0.5 + {self._text(NUMBERS)}")
            elif way < 0.85:
                lines.append(f"{indent}if s > {choose.choice((0.0, 0.4, 0.8))}:")
                lines += self._block(depth + 1, 2)
                if choose.random() < 0.5:
                    lines += [f"{indent}else:", *self._block(depth + 1, 2)]
            else:
                lines.append(f"{indent}for t{depth} in range({choose.randint(0, 4)}):")
                lines += self._block(depth + 1, 2)
        return lines


def assert_device_draws_as_numpy(seed: int) -> None:
    """The results of two calls are NumPy's on an emulated device, and so are the states after."""
    program = DrawingProgram(seed)
    function = function_of(program.source, f"drawing {seed}")
    bits = program.random.choice(BITS)
    own, other = (np.random.Generator(bits(seed)) for _ in "ab")
    with emulated_device():
        on_device = ag.jit(function, device="GPU:0")
        for _ in range(2):
            x, y = (np.arange(1.0, program.size + 1) for _ in "ab")
            pairs = zip((*on_device(own, x), x), (*function(other, y), y), strict=True)
            for result, expected in pairs:
                np.testing.assert_allclose(result, expected, 1e-9, err_msg=program.source)
            assert repr(own.bit_generator.state) == repr(other.bit_generator.state), program.source
