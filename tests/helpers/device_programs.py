"""Programs that a GPU is for: loops that depend on data, stencils, sums, random numbers."""

import numpy as np

import allograph as ag


def mandelbrot(out, real, imaginary, most):
    for i in ag.prange(len(out)):
        x = y = 0.0
        n = 0
        while x * x + y * y <= 4.0 and n < most:
            x, y = x * x - y * y + real[i], 2.0 * x * y + imaginary[i]
            n += 1
        out[i] = n


def collatz(out, starts):
    for i in ag.prange(len(out)):
        x = starts[i]
        n = 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            n += 1
        out[i] = n


def newton(out, numbers):
    for i in ag.prange(len(out)):
        a = numbers[i]
        x = a
        n = 0
        while abs(x * x * x - a) > 1e-12 * a and n < 200:
            x = x - (x * x * x - a) / (3.0 * x * x)
            n += 1
        out[i] = x


def tanh_loop(x):
    n = 0
    while ag.reduce_sum(x) > 1.0:
        x = ag.tanh(x)
        n += 1
    return x, n


def heat_in_place(a, steps):
    for _ in range(steps):
        a[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    return a


def quadratic_map(x, steps):
    for _ in range(steps):
        x = 3.7 * x * (1.0 - x)
    return x


def sine_loop(x, steps):
    for _ in range(steps):
        x = np.sin(x) + 1.0
    return x


def gelu(x):
    return ag.nn.gelu(x)


def monte_carlo(seed):
    points = ag.random.stateless_uniform([2, 1 << 20], seed=seed)
    return ag.reduce_mean(ag.cast(ag.reduce_sum(points * points, axis=0) < 1.0, ag.float32)) * 4.0


NUMBERS = np.linspace(0.5, 2.0, 4096)


def convolution_step(x, filters):
    """The result of a small network, and its gradients."""
    with ag.GradientTape() as tape:
        tape.watch((x, filters))
        y = ag.nn.max_pool2d(ag.nn.relu(ag.nn.conv2d(x, filters, 1, "SAME")), 2, 2, "SAME")
        total = ag.reduce_sum(y * y)
    return y, tape.gradient(total, (x, filters))


def in_order(x):
    """Sorted elements, their numbers, the largest and their place, running sums, look-ups."""
    order = ag.argsort(x)
    ranks = ag.tensor_scatter_nd_update(ag.zeros_like(order), order[:, None], ag.range(len(x)))
    rows = ag.sort(x)
    return rows, ranks, ag.math.top_k(x, 9), ag.argmax(x), ag.cumsum(x), ag.searchsorted(rows, x)


WAVES = np.sin(np.arange(2 * 8 * 8 * 4 + 3 * 3 * 4 * 8, dtype=np.float32))

# of functions of arrays, each with arguments
OF_ARRAYS = {
    mandelbrot: (np.zeros(4096, np.int64), NUMBERS, NUMBERS, 100),
    collatz: (np.zeros(4096, np.int64), np.arange(1, 4097)),
    newton: (np.zeros(4096), NUMBERS),
    heat_in_place: (np.zeros((64, 64), np.float32), 3),
    quadratic_map: (0.3, 100),
    sine_loop: (0.3, 100),
}
# of functions of tensors
OF_TENSORS = {
    tanh_loop: (np.abs(np.sin(np.arange(4096, dtype=np.float32))),),
    gelu: (NUMBERS.astype(np.float32),),
    monte_carlo: (np.array([1, 2], np.int32),),
    in_order: (np.sin(np.arange(4096, dtype=np.float32)),),
    convolution_step: (
        WAVES[:512].reshape(2, 8, 8, 4),
        WAVES[512:].reshape(3, 3, 4, 8),
    ),
}
