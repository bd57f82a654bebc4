"""The programs as functions of this package, whose arguments and results stay on the device."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import allograph as ag

from . import Sizes, Work

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


def arguments(sizes: Sizes) -> dict[str, tuple[Callable, Callable[[], tuple]]]:
    """Each program, and what gives its arguments."""
    random = np.random.default_rng(0)
    side = sizes.side

    def uniform(*shape):
        return ag.constant(random.random(shape, np.float32))

    def squares():
        return uniform(side, side), ag.constant(sizes.steps)

    def pixels():
        return (
            ag.constant(np.tile(np.linspace(-2, 1, side), side)),
            ag.constant(np.repeat(np.linspace(-1.5, 1.5, side), side)),
        )

    def cells():
        steps, batch, hidden = sizes.steps, sizes.batch, sizes.hidden
        inputs = uniform(steps, batch, hidden)
        return inputs, *(uniform(hidden, hidden) * (1 / hidden) for _ in "wu")

    def filled(size):
        return tanh_loop, lambda: (ag.fill([size], np.float32(100)),)

    scalar = ag.constant(0.1, ag.float64)
    return {
        "mandelbrot": (mandelbrot, pixels),
        "collatz": (collatz, lambda: (ag.range(1, sizes.starts + 1, dtype=ag.int64),)),
        "newton": (newton, lambda: (ag.constant(random.uniform(1, 1000, sizes.roots)),)),
        **{f"tanh loop of {size:,}": filled(size) for size in sizes.tanh},
        "sines of one number": (sines, lambda: (scalar, ag.constant(sizes.sines))),
        "quadratic map": (quadratic_map, lambda: (scalar, ag.constant(sizes.quadratic))),
        "heat": (heat, squares),
        "tanh RNN": (rnn, cells),
        "gelu": (gelu, lambda: (uniform(sizes.gelu),)),
        "matrix product": (product, lambda: tuple(uniform(*[sizes.product] * 2) for _ in "ab")),
        "monte carlo": (monte_carlo, lambda: (ag.constant([1, 2]), sizes.points)),
        "small call": (small_call, lambda: (uniform(sizes.small),)),
    }


def wait(result):
    """Wait until a result is there. One that was not computed on the device is an error."""
    tensors = ag.nest.flatten(result)
    if not all(tensor.device.endswith("GPU:0") for tensor in tensors):
        raise RuntimeError(f"the CPU computed it: {tensors[0].device}")
    tensors[0].resident.device.synchronize()
    return result


def prepare() -> str:
    """Start the device, which the first calls shall not pay for; what it is."""
    from allograph.runtime.gpu.device_arrays import DeviceArray
    from allograph.runtime.gpu.devices.device_list import devices, listed

    if not devices():
        raise RuntimeError(listed())
    device = devices()[0]
    DeviceArray.of(device, np.zeros(4))
    device.synchronize()
    return device.description


def rows(sizes: Sizes) -> dict[str, Callable[[], Work]]:
    """What makes the work of each program."""

    def made(name, program, arguments):
        def work():
            repeated = sizes.repeated if name == "small call" else 1
            function, operands = ag.function(program, device="GPU:0"), arguments()
            return Work(lambda: function(*operands), wait, repeated)

        return work

    return {name: made(name, *row) for name, row in arguments(sizes).items()}


def check(name: str, sizes: Sizes) -> None:
    """Compare the results of a program with those of the CPU."""
    program, operands = arguments(sizes)[name]
    operands = operands()
    results = [
        ag.nest.flatten(ag.function(program, device=device)(*operands))
        for device in ("GPU:0", "CPU:0")
    ]
    for own, other in zip(*results, strict=True):
        np.testing.assert_allclose(own.numpy(), other.numpy(), rtol=1e-5, atol=1e-6)
