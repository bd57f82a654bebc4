"""Measures errors and speed of native mathematics and writes docs/math.md.

    python benchmarks/math_table.py [--points 1000]

Errors are in units in the last place (ulp), against mpmath; speed is that of one thread over arrays
that stay in the cache, NumPy's (or SciPy's) beside it.
"""

from __future__ import annotations

import argparse
import pathlib
import platform
import sys
import time

import mpmath
import numpy as np

ROOT = pathlib.Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from exact_math import (  # noqa: E402
    EXACT,
    REAL,
    SPAN,
    largest_error,
    on_arrays,
    pairs,
    points,
    text_of,
)
from kernel_compilation import compiled  # noqa: E402

from allograph.runtime.kernels.math_functions import functions  # noqa: E402

OF_TWO = {"power": (mpmath.power, np.power), "atan2": (mpmath.atan2, np.arctan2)}
ELEMENTS = 100_000

PAGE = """# Mathematics in native code

Written by `python benchmarks/math_table.py` on {machine}. Do not edit.

## Elementary functions

In native code, elementary functions such as `exp`, `log` and `sin` are branch-free formulas, which
LLVM compiles to instructions on 4 to 16 numbers at once. Errors are in units in the last place
(ulp). None is above 2 ulp; tests check this. Infinities, NaN, signed zeros, subnormal numbers,
overflow and arguments outside a function's domain give the same results as NumPy.

Speed is in million elements per second on one thread. The speed of NumPy (of SciPy for `erf`,
`erfc` and `sigmoid`) is in parentheses.

| function | error, float32 | error, float64 | speed, float32 | speed, float64 |
|---|---|---|---|---|
{rows}

- The polynomials are fitted by `benchmarks/fit_polynomials.py`.
- `sin`, `cos` and `tan` reduce their argument modulo pi / 2, up to 2 ** 18 in float32 and 2 ** 22
  in float64. A loop nest that meets a larger finite number is computed again with the C library.
- `x ** 2`, `x ** 3`, `x ** 4`, `x ** -1`, `x ** -2` and `x ** 0.5` with a constant exponent are
  products, quotients and roots.
- NumPy's float32 functions have errors up to 4 ulp. Where ours compute in float64, they round once
  (an error of 0.5 ulp) and process half as many numbers at once.
- After `ag.config.set_precise_math(True)`, or with `ALLOGRAPH_PRECISE_MATH=1`, newly compiled
  kernels call the C library instead.
- The bound of 2 ulp holds with and without hardware for fused multiply-add.

```python
import allograph as ag

wave = ag.function(lambda x: ag.exp(-x * x) * ag.sin(x), jit_compile=True)
print(wave(ag.range(5.0)).numpy().round(3))
```

## Sums

- Sums and means of float32 are accumulated in float64: the result is the exact sum, rounded.
- Sums of float64 are computed in chunks of at most 2,048 elements, in an order that vectorizes. The
  rounding error of adding the chunks is added at the end, so it does not grow with their number.
- Sums over outer axes are computed column by column, in memory order, as in NumPy.
- `reduce_max` and `reduce_min` propagate NaN.
- Consecutive steps over the same rows (a softmax, a layer normalization) share one loop.
"""


def speeds(*calls) -> tuple[float, ...]:
    """Million elements per second of functions with their arrays, the best of several repeats that
    alternate: another load falls on all of them.
    """
    best = [float("inf")] * len(calls)
    for _ in range(30):
        for index, (run, *arrays) in enumerate(calls):
            start = time.perf_counter()
            run(*arrays)
            best[index] = min(best[index], time.perf_counter() - start)
    return tuple(ELEMENTS / seconds / 1e6 for seconds in best)


def measured(name: str, bits: int, count: int) -> tuple[float, float, float]:
    """The largest error in ulp, and our speed and NumPy's in million elements per second."""
    exact, numpy = {**EXACT, **OF_TWO}[name]
    operands = pairs(name, bits, count) if name in OF_TWO else (points(name, bits, count),)
    function = functions("f", bits)[name]
    with np.errstate(all="ignore"):
        error, _ = largest_error(on_arrays(function, *operands), exact, *operands)
        usual = usual_operands(name, bits, len(operands))
        buffers = [*usual, np.empty_like(usual[0])]
        loop = compiled(text_of(len(usual)), buffers, function=function)
        return error, *speeds((loop, *buffers), (numpy, *usual))


def usual_operands(name: str, bits: int, count: int) -> list[np.ndarray]:
    """Random operands of typical magnitudes."""
    low, high = SPAN[name][bits] if name in SPAN else (0, 10)
    rng = np.random.default_rng(0)
    return [
        rng.uniform(max(low, -10), min(high, 10), ELEMENTS).astype(REAL[bits]) for _ in range(count)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1000, help="per range of arguments")
    count = parser.parse_args().points
    rows = []
    for name in sorted({**EXACT, **OF_TWO}):
        (error32, ours32, numpys32), (error64, ours64, numpys64) = (
            measured(name, bits, count) for bits in REAL
        )
        rows.append(
            f"| `{name}` | {error32:.2f} | {error64:.2f} "
            f"| {ours32:,.0f} ({numpys32:,.0f}) | {ours64:,.0f} ({numpys64:,.0f}) |"
        )
        print(rows[-1], flush=True)
    from llvmlite import binding

    machine = f"{platform.system()} {platform.machine()} ({binding.get_host_cpu_name()})"
    page = PAGE.format(machine=machine, rows="\n".join(rows))
    (ROOT / "docs" / "math.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
