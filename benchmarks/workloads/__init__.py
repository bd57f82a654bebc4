"""Nineteen workloads, each implemented for every engine; see docs/performance.md.

A module of this folder defines one workload:

    SIZES           keyword arguments of `inputs`; "full" is reported, "small" is for tests
    inputs(**size)  the arguments, by name, as NumPy arrays and scalars, in order
    limit(**size)   its hardware limit: bytes, flops (with their dtype) or cycles
    graph(tf, size, **options)     the function, for allograph and TensorFlow alike
    numpy(size), jax(size), torch(size), numba(size, parallel=False)

Builders return a function of the inputs, or such a function and a second one that turns its result
into arrays. `numba` takes `parallel` where two threads are natural. Optional: TOLERANCE, `differ`,
NOTES, X64 (JAX needs 64 bits), and REDUCED with `work`: sizes for engines that take too long.
"""

NAMES = (
    "call_overhead",
    "collatz",
    "newton",
    "mandelbrot_vec",
    "mandelbrot_scalar",
    "black_scholes",
    "gelu_chain",
    "dynamic_rnn",
    "lstm_step_loop",
    "mlp_train_step",
    "while_gradient",
    "conv2d",
    "matmul_chain",
    "reduction",
    "branching",
    "sort_gather",
    "kalman",
    "unrolled_graph",
    "monte_carlo_pi",
)
