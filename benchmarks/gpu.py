"""Functions on a GPU beside JAX, PyTorch and CuPy: loops that data ends, each in one run.

    python benchmarks/gpu.py                       # on a card; peers that are installed
    python benchmarks/gpu.py --small --json F      # few elements: whether all of it runs
    ALLOGRAPH_DEVICE=emulated python benchmarks/gpu.py --small

Arguments and results stay on the device. A time is the median of some calls, each until its
result is there. The first column is the first call, compilation included.
"""

import argparse
import json
import os
import time

import numpy as np

import allograph as ag

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
GELU = 0.7978845608


def mandelbrot(cr, ci):
    def count(c):
        a, b = c
        x = y = ag.constant(0.0, ag.float64)
        n = ag.constant(0, ag.int64)
        while x * x + y * y <= 4.0 and n < 1000:
            x, y, n = x * x - y * y + a, 2.0 * x * y + b, n + 1
        return n

    return ag.map_fn(count, (cr, ci), fn_output_signature=ag.int64)


def collatz(starts):
    def length(x):
        n = ag.constant(0, ag.int64)
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            n += 1
        return n

    return ag.map_fn(length, starts)


def newton(numbers):
    def root(a):
        x, n = a, 0
        while ag.abs(x * x * x - a) > 1e-12 * a and n < 200:
            x, n = x - (x * x * x - a) / (3.0 * x * x), n + 1
        return x

    return ag.map_fn(root, numbers)


def tanh_loop(x):
    n = 0
    while ag.reduce_sum(x) > 1.0 and n < 1000:
        x, n = ag.tanh(x), n + 1
    return x


def sines(x, steps):
    for _ in ag.range(steps):
        x = ag.sin(x) + 1.0
    return x


def quadratic_map(x, steps):
    for _ in ag.range(steps):
        x = 4.0 * x * (1.0 - x)
    return x


def heat(a, steps):
    for _ in ag.range(steps):
        inner = 0.25 * (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
        middle = ag.concat([a[1:-1, :1], inner, a[1:-1, -1:]], 1)
        a = ag.concat([a[:1], middle, a[-1:]], 0)
    return a


def rnn(inputs, w, u):
    h = ag.zeros([inputs.shape[1], u.shape[0]])
    for i in ag.range(inputs.shape[0]):
        h = ag.tanh(inputs[i] @ w + h @ u)
    return h


def gelu(x):
    return 0.5 * x * (1.0 + ag.tanh(GELU * (x + 0.044715 * x * x * x)))


def product(a, b):
    return a @ b


def small_call(x):
    return x * 2.0 + 1.0


def monte_carlo(seed, points):
    x, y = ag.unstack(ag.random.stateless_uniform([2, points], seed))
    return 4.0 * ag.reduce_mean(ag.cast(x * x + y * y <= 1.0, ag.float32))


def programs(small: bool) -> dict:
    """Each program with its arguments, by what it does."""
    random = np.random.default_rng(0)

    def uniform(*shape):
        return ag.constant(random.random(shape, np.float32))

    def of(few, many):
        return few if small else many

    side, starts, roots = of(4, 4096), of(20, 10_000_001), of(8, 10_000_000)
    cr = ag.constant(np.tile(np.linspace(-2, 1, side), side))
    ci = ag.constant(np.repeat(np.linspace(-1.5, 1.5, side), side))
    hidden = of(4, 256)
    rows = {
        f"mandelbrot {side} x {side}": (mandelbrot, cr, ci),
        f"collatz to {starts - 1:,}": (collatz, ag.range(1, starts, dtype=ag.int64)),
        f"newton roots of {roots:,}": (newton, ag.constant(random.uniform(1, 1000, roots))),
    }
    for size in of((6,), (1_000, 1_000_000, 10_000_000)):
        rows[f"tanh loop of {size:,}"] = tanh_loop, ag.fill([size], np.float32(100))
    scalar = ag.constant(0.1, ag.float64)
    return rows | {
        "sines of one number": (sines, scalar, ag.constant(of(20, 100_000))),
        "quadratic map of one number": (quadratic_map, scalar, ag.constant(of(20, 1_000_000))),
        "heat, 1,000 steps": (heat, uniform(side, side), ag.constant(of(3, 1000))),
        "tanh RNN, 1,000 steps": (
            rnn, uniform(of(3, 1000), of(2, 32), hidden), uniform(hidden, hidden),
            uniform(hidden, hidden),
        ),
        "gelu": (gelu, uniform(of(20, 100_000_000))),
        "matrix product": (product, *(uniform(*[of(6, 8192)] * 2) for _ in "ab")),
        "monte carlo": (monte_carlo, ag.constant([1, 2]), of(1000, 100_000_000)),
        "small call": (small_call, uniform(of(4, 1000))),
    }  # fmt: skip


def waited(result):
    """Wait until a result is there: the last element of one of its arrays is copied out."""
    first = ag.nest.flatten(result)[0]
    if hasattr(first, "resident"):
        first.resident.device.synchronize()
    return result


def seconds(call, rounds: int) -> list[float]:
    """The time of the first call, and the median of the others."""
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return [times[0], sorted(times[1:])[rounds // 2]]


def ours(small: bool, rounds: int) -> dict[str, list[float]]:
    """Our times. A result that is not the CPU's, or was not computed on the device, is an error."""
    rows = {}
    for name, (program, *arguments) in programs(small).items():
        function = ag.function(program, device="GPU:0")
        result = ag.nest.flatten(waited(function(*arguments)))
        assert all(one.device.endswith("GPU:0") for one in result), f"{name} ran on the CPU"
        if small:
            on_the_cpu = ag.nest.flatten(ag.function(program, device="CPU:0")(*arguments))
            for own, other in zip(result, on_the_cpu, strict=True):
                np.testing.assert_allclose(own.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)
        again = ag.function(program, device="GPU:0")
        rows[name] = seconds(lambda: waited(again(*arguments)), rounds)  # noqa: B023 - called here
        print(f"{name:30s} {rows[name][0] * 1e3:12.3f} {rows[name][1] * 1e3:12.3f} ms", flush=True)
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--small", action="store_true")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--json")
    options = options.parse_args()
    rows = {"allograph": ours(options.small, options.rounds)}
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
