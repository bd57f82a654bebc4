"""Loops over scalars, against the same loops written for Numba by hand."""

import numpy as np
from harness import Workload
from numba import njit

import allograph as ag


@ag.function(jit_compile=True)
def collatz(limit):
    best = ag.constant(0, ag.int64)
    best_start = ag.constant(0, ag.int64)
    start = ag.constant(1, ag.int64)
    while start <= limit:
        x = start
        steps = ag.constant(0, ag.int64)
        while x != 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            steps += 1
        if steps > best:
            best = steps
            best_start = start
        start += 1
    return best, best_start


@njit
def collatz_by_hand(limit):
    best, best_start = 0, 0
    for start in range(1, limit + 1):
        x, steps = start, 0
        while x != 1:
            x = x >> 1 if x & 1 == 0 else 3 * x + 1
            steps += 1
        if steps > best:
            best, best_start = steps, start
    return best, best_start


@ag.function(jit_compile=True)
def newton(number, x, damping, tolerance):
    steps = ag.constant(0)
    while ag.abs(x * x - number) > tolerance:
        x = x - damping * (x * x - number) / (2.0 * x)
        steps += 1
    return x, steps


@njit(error_model="numpy")
def newton_by_hand(number, x, damping, tolerance):
    steps = 0
    half = 0.5 * damping
    rest = x * x - number
    while abs(rest) > tolerance:
        x = x - half * (rest / x)
        rest = x * x - number
        steps += 1
    return x, steps


@ag.function(jit_compile=True)
def mandelbrot(size, most):
    total = ag.constant(0, ag.int64)
    row = ag.constant(0, ag.int64)
    scale = ag.cast(size, ag.float64)
    while row < size:
        column = ag.constant(0, ag.int64)
        while column < size:
            real = ag.cast(column, ag.float64) * 2.6 / scale - 2.0
            imaginary = ag.cast(row, ag.float64) * 2.6 / scale - 1.3
            x = ag.constant(0.0, ag.float64)
            y = ag.constant(0.0, ag.float64)
            steps = ag.constant(0, ag.int64)
            while steps < most:
                if x * x + y * y > 4.0:
                    break
                x, y = x * x - y * y + real, 2.0 * x * y + imaginary
                steps += 1
            total += steps
            column += 1
        row += 1
    return total


@njit(error_model="numpy")
def mandelbrot_by_hand(size, most):
    total = 0
    for row in range(size):
        for column in range(size):
            real = column * 2.6 / size - 2.0
            imaginary = row * 2.6 / size - 1.3
            x = y = 0.0
            steps = 0
            while steps < most:
                xx, yy = x * x, y * y
                if xx + yy > 4.0:
                    break
                y = 2.0 * x * y + imaginary
                x = xx - yy + real
                steps += 1
            total += steps
    return total


@ag.function(jit_compile=True)
def fizzbuzz(limit):
    fizz = buzz = both = neither = ag.constant(0, ag.int64)
    for n in ag.range(limit):
        if n % 15 == 0:
            both += n
        elif n % 3 == 0:
            fizz += n
        elif n % 5 == 0:
            buzz += n
        else:
            neither += n
    return fizz, buzz, both, neither


@njit
def fizzbuzz_by_hand(limit):
    fizz = buzz = both = neither = 0
    for n in range(limit):
        if n % 15 == 0:
            both += n
        elif n % 3 == 0:
            fizz += n
        elif n % 5 == 0:
            buzz += n
        else:
            neither += n
    return fizz, buzz, both, neither


ROWS = (
    ("collatz", collatz, collatz_by_hand, (30_000,)),
    ("newton", newton, newton_by_hand, (2.0, 3.0, 2.6e-5, 1e-10)),
    ("mandelbrot (scalar)", mandelbrot, mandelbrot_by_hand, (250, 200)),
    ("fizzbuzz", fizzbuzz, fizzbuzz_by_hand, (1_000_000,)),
)


def workloads():
    """The pairs, after a check that both sides say the same."""
    for name, ours, by_hand, values in ROWS:
        kinds = [ag.float64 if isinstance(value, float) else ag.int64 for value in values]
        tensors = [ag.constant(value, kind) for value, kind in zip(values, kinds, strict=True)]
        got = [np.asarray(part) for part in _parts(ours(*tensors))]
        np.testing.assert_allclose(got, _parts(by_hand(*values)), rtol=1e-9, err_msg=name)
        yield Workload(
            name,
            {"allograph": _bound(ours, tensors), "numba by hand": _bound(by_hand, values)},
            reference="numba by hand",
            limit=1.3,
        )


def _parts(result):
    return result if isinstance(result, tuple) else (result,)


def _bound(call, arguments):
    return lambda: call(*arguments)
