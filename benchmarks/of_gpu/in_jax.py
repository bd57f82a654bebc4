"""The programs as functions of JAX."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from . import Sizes, Work
from .own import GELU

jax.config.update("jax_enable_x64", True)


def prepare() -> str:
    """Start the device; what it is."""
    jax.block_until_ready(jnp.zeros(4) + 1)
    return jax.devices()[0].device_kind


def mandelbrot(cr, ci):
    def count(a, b):
        def goes_on(state):
            x, y, n = state
            return (x * x + y * y <= 4.0) & (n < 1000)

        def step(state):
            x, y, n = state
            return x * x - y * y + a, 2.0 * x * y + b, n + 1

        return lax.while_loop(goes_on, step, (0.0, 0.0, jnp.int64(0)))[2]

    return jax.vmap(count)(cr, ci)


def collatz(starts):
    def length(x):
        def step(state):
            x, n = state
            return jnp.where(x % 2 == 0, x // 2, 3 * x + 1), n + 1

        return lax.while_loop(lambda state: state[0] != 1, step, (x, jnp.int64(0)))[1]

    return jax.vmap(length)(starts)


def newton(numbers):
    def root(a):
        def goes_on(state):
            x, n = state
            return (jnp.abs(x * x * x - a) > 1e-12 * a) & (n < 200)

        def step(state):
            x, n = state
            return x - (x * x * x - a) / (3.0 * x * x), n + 1

        return lax.while_loop(goes_on, step, (a, jnp.int64(0)))[0]

    return jax.vmap(root)(numbers)


def tanh_loop(x):
    def goes_on(state):
        x, n = state
        return (jnp.sum(x) > 1) & (n < 1000)

    return lax.while_loop(goes_on, lambda state: (jnp.tanh(state[0]), state[1] + 1), (x, 0))[0]


def sines(x, steps):
    def step(state):
        return jnp.sin(state[0]) + 1.0, state[1] + 1

    return lax.while_loop(lambda state: state[1] < steps, step, (x, 0))[0]


def quadratic_map(x, steps):
    return lax.fori_loop(0, steps, lambda _, x: 4.0 * x * (1.0 - x), x)


def heat(a, steps):
    def step(_, a):
        inner = 0.25 * (a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1])
        return a.at[1:-1, 1:-1].set(inner)

    return lax.fori_loop(0, steps, step, a)


def rnn(inputs, w, u):
    def step(h, x):
        return jnp.tanh(x @ w + h @ u), None

    return lax.scan(step, jnp.zeros((inputs.shape[1], u.shape[0]), inputs.dtype), inputs)[0]


def gelu(x):
    return 0.5 * x * (1.0 + jnp.tanh(GELU * (x + 0.044715 * x * x * x)))


@partial(jax.jit, static_argnums=1)
def monte_carlo(key, points):
    x, y = jax.random.uniform(key, (2, points), jnp.float32)
    return 4.0 * jnp.mean((x * x + y * y <= 1.0).astype(jnp.float32))


def rows(sizes: Sizes) -> dict[str, Callable[[], Work]]:
    """What makes the work of each program."""
    random = np.random.default_rng(0)
    side, hidden = sizes.side, sizes.hidden

    def uniform(*shape):
        return jnp.asarray(random.random(shape, np.float32))

    def of(function, arguments, repeated=1):
        def work():
            compiled, operands = jax.jit(function), arguments()
            return Work(lambda: compiled(*operands), jax.block_until_ready, repeated)

        return work

    def pixels():
        return (
            jnp.asarray(np.tile(np.linspace(-2, 1, side), side)),
            jnp.asarray(np.repeat(np.linspace(-1.5, 1.5, side), side)),
        )

    def cells():
        inputs = uniform(sizes.steps, sizes.batch, hidden)
        return inputs, *(uniform(hidden, hidden) * (1 / hidden) for _ in "wu")

    def drawn():
        key = jax.random.key(1)
        return Work(lambda: monte_carlo(key, sizes.points), jax.block_until_ready)

    scalar = jnp.float64(0.1)
    starts = partial(jnp.arange, 1, sizes.starts + 1, dtype=jnp.int64)
    roots = partial(random.uniform, 1, 1000, sizes.roots)
    return {
        "mandelbrot": of(mandelbrot, pixels),
        "collatz": of(collatz, lambda: (starts(),)),
        "newton": of(newton, lambda: (jnp.asarray(roots()),)),
        **{
            f"tanh loop of {size:,}": of(
                tanh_loop, partial(lambda size: (jnp.full(size, 100.0, jnp.float32),), size)
            )
            for size in sizes.tanh
        },
        "sines of one number": of(sines, lambda: (scalar, sizes.sines)),
        "quadratic map": of(quadratic_map, lambda: (scalar, sizes.quadratic)),
        "heat": of(heat, lambda: (uniform(side, side), sizes.steps)),
        "tanh RNN": of(rnn, cells),
        "gelu": of(gelu, lambda: (uniform(sizes.gelu),)),
        "matrix product": of(
            jnp.matmul, lambda: tuple(uniform(*[sizes.product] * 2) for _ in "ab")
        ),
        "monte carlo": drawn,
        "small call": of(lambda x: x * 2.0 + 1.0, lambda: (uniform(sizes.small),), sizes.repeated),
    }
