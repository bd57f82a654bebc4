"""Names of older programs whose purpose here is small: executors, graphs as files, random draws."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, NamedTuple

from ... import convert_to_tensor, float32
from ...extend.operations import ag
from ...extend.registration import public


class ConjugateGradientState(NamedTuple):
    """Where `conjugate_gradient` ended."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


@public("experimental.async_scope")
@contextlib.contextmanager
def async_scope():
    """A context manager; operations run when they are called, and their errors are raised there."""
    yield


@public("experimental.async_clear_error")
def async_clear_error() -> None:
    """Forget errors of operations that ran later than their call; there are none."""


@public("experimental.function_executor_type")
@contextlib.contextmanager
def function_executor_type(executor_type):
    """A context manager; functions run as they do elsewhere."""
    yield


@public("experimental.enable_strict_mode")
def enable_strict_mode() -> None:
    """Make warnings about deprecated names errors; no name is deprecated."""


@public("train.checkpoints_iterator")
def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """The paths of checkpoints of a directory, each when it appears.

    After `timeout` seconds without a new one it ends, unless `timeout_fn()` is False.

    >>> list(ag.train.checkpoints_iterator("/nowhere", timeout=0))
    []
    """
    last = None
    while True:
        path = _next_checkpoint(checkpoint_dir, last, timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        started, last = time.monotonic(), path
        yield path
        time.sleep(max(0.0, min_interval_secs - (time.monotonic() - started)))


def _next_checkpoint(directory, last, timeout):
    """The newest checkpoint once it is not `last`, None after `timeout` seconds."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        path = ag.train.latest_checkpoint(directory)
        if path is not None and path != last:
            return path
        if end is not None and time.monotonic() >= end:
            return None
        time.sleep(0.1)


@public("io.write_graph")
def write_graph(graph_or_graph_def, logdir, name, as_text=True) -> str:
    """Write the text of a graph to a file; returns its path. Raises ValueError for other forms."""
    if not as_text:
        raise ValueError("io.write_graph writes text; saved_model.save writes functions")
    os.makedirs(logdir, exist_ok=True)
    path = os.path.join(logdir, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{graph_or_graph_def}\n")
    return path


@public("io.match_filenames_once")
def match_filenames_once(pattern, name=None):
    """A variable with the names of the files that match a pattern now."""
    return ag.Variable(ag.io.matching_files(pattern), trainable=False, name=name)


# ---- random draws ----------------------------------------------------------------------------


@public("random.stateless_parameterized_truncated_normal")
def stateless_parameterized_truncated_normal(
    shape, seed, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0, name=None
):
    """Normally distributed numbers between `minvals` and `maxvals`, determined by `seed`.

    >>> draw = ag.random.stateless_parameterized_truncated_normal
    >>> bool(ag.reduce_all(draw([9], [1, 2], minvals=1.0) >= 1.0))
    True
    """
    low, high = ((convert_to_tensor(one) - means) / stddevs for one in (minvals, maxvals))
    start, end = (0.5 * ag.math.erfc(-one * 0.5**0.5) for one in (low, high))
    share = ag.random.stateless_uniform(shape, seed, dtype=start.dtype)
    found = ag.math.ndtri(start + (end - start) * share) * stddevs + means
    return ag.clip_by_value(found, minvals, maxvals)


@public("nn.experimental.stateless_dropout")
def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None):
    """Elements set to 0 with probability `rate`, the others scaled up, determined by `seed`.

    >>> x = ag.ones([64])
    >>> one, other = (ag.nn.experimental.stateless_dropout(x, 0.5, [1, 2]) for _ in range(2))
    >>> bool((one == other).numpy().all())
    True
    """

    def draw(shape, dtype):
        return ag.random.stateless_uniform(shape, seed, dtype=dtype)

    return general_dropout(x, rate, draw, noise_shape)


@public("nn.experimental.general_dropout")
def general_dropout(x, rate, uniform_sampler, noise_shape=None, name=None):
    """Dropout with numbers of `uniform_sampler(shape, dtype)`, from 0 to 1."""
    x = convert_to_tensor(x)
    sizes = ag.shape(x) if noise_shape is None else noise_shape
    dtype = x.dtype if x.dtype.is_floating else float32
    kept = uniform_sampler(shape=sizes, dtype=dtype) >= rate
    scaled = x / convert_to_tensor(1 - rate, x.dtype)
    return ag.where(kept, scaled, ag.zeros_like(x))


@public("linalg.experimental.conjugate_gradient")
def conjugate_gradient(operator, rhs, preconditioner=None, x=None, tol=1e-5, max_iter=20,
                       name="conjugate_gradient"):  # fmt: skip
    """The solution of `operator @ x = rhs` for a positive definite linear operator and a vector.

    The result has the attributes `i` (the steps), `x`, `r` (the residual), `p` and `gamma`. It ends
    when the norm of the residual is `tol` times that of `rhs`, or after `max_iter` steps.

    >>> operator = ag.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [1.0, 3.0]])
    >>> ag.linalg.experimental.conjugate_gradient(operator, [1.0, 2.0]).x.numpy().round(3)
    array([0.091, 0.636], dtype=float32)
    """
    rhs = convert_to_tensor(rhs)
    start = ag.zeros_like(rhs) if x is None else convert_to_tensor(x)
    least = tol * ag.norm(rhs, axis=-1, keepdims=True)

    def solved(r):
        return r if preconditioner is None else preconditioner.matvec(r)

    def dot(a, b):
        return ag.reduce_sum(a * b, -1, keepdims=True)

    def is_open(i, x, r, p, gamma):
        large = ag.norm(r, axis=-1, keepdims=True) > least
        return ag.logical_and(i < max_iter, ag.reduce_any(large))

    def step(i, x, r, p, gamma):
        image = operator.matvec(p)
        alpha = ag.math.divide_no_nan(gamma, dot(p, image))
        x, r = x + alpha * p, r - alpha * image
        q = solved(r)
        new = dot(r, q)
        return i + 1, x, r, q + ag.math.divide_no_nan(new, gamma) * p, new

    r = rhs - operator.matvec(start)
    p = solved(r)
    loop = (ag.constant(0), start, r, p, dot(r, p))
    i, x, r, p, gamma = ag.while_loop(is_open, step, loop)
    return ConjugateGradientState(i, x, r, p, ag.squeeze(gamma, -1))
