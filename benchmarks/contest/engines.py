"""The engines: how each is imported, set up, given its inputs and waited for."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field


class MissingError(Exception):
    """The engine cannot express this workload; the message says why."""


@dataclass(frozen=True)
class Engine:
    """`builder` names a workload's builder function, `options` its keyword arguments.

    `settle` is how many seconds the function is called before it is timed. An engine that compiles
    in the background needs them. `compiler` compiles the kernels of allograph.
    """

    title: str
    module: str
    builder: str
    options: dict = field(default_factory=dict)
    settle: float = 0.3
    compiler: str = "allograph"


ENGINES = {
    "allograph": Engine("allograph", "allograph", "graph", settle=8.0),
    "allograph_jit": Engine("allograph, jit", "allograph", "graph", {"jit_compile": True}),
    "allograph_numba": Engine(
        "allograph on Numba's compiler", "allograph", "graph", {"jit_compile": True},
        compiler="numba",
    ),
    "allograph_plan": Engine("allograph, plan", "allograph", "graph", compiler="none"),
    "tensorflow": Engine("TensorFlow", "tensorflow", "graph", {"jit_compile": False}),
    "xla": Engine("TensorFlow XLA", "tensorflow", "graph", {"jit_compile": True}),
    "jax": Engine("JAX", "jax", "jax"),
    "torch": Engine("torch.compile", "torch", "torch"),
    "numba": Engine("Numba by hand", "numba", "numba"),
    "numba_threads": Engine("Numba, threads", "numba", "numba", {"parallel": True}),
    "numpy": Engine("NumPy", "numpy", "numpy"),
}  # fmt: skip
OURS = tuple(name for name in ENGINES if name.startswith("allograph"))
PEERS = ("tensorflow", "xla", "jax", "torch")
USUAL = tuple(name for name in ENGINES if name != "allograph_plan")


def load(engine: Engine):
    """Import the engine, including names that it loads lazily."""
    module = importlib.import_module(engine.module)
    if engine.module == "allograph":
        module.function  # noqa: B018
    return module


def prepare(engine: Engine, module, workload, threads: int) -> None:
    """Apply settings that have no environment variable."""
    if engine.builder == "graph":
        module.config.threading.set_intra_op_parallelism_threads(threads)
        module.config.threading.set_inter_op_parallelism_threads(threads)
        if engine.module == "allograph":
            module.config.set_kernel_compiler(engine.compiler)
    elif engine.module == "jax":
        module.config.update("jax_enable_x64", getattr(workload, "X64", False))
    elif engine.module == "torch":
        module.set_num_threads(threads)


def build(engine: Engine, module, workload, size: dict) -> tuple[Callable, Callable]:
    """Returns a call without arguments that waits for its result, and a function that converts this
    result to arrays.
    """
    build_function = getattr(workload, engine.builder, None)
    if build_function is None:
        raise MissingError(f"no {engine.builder} version")
    if (
        "parallel" in engine.options
        and "parallel" not in inspect.signature(build_function).parameters
    ):
        raise MissingError("nothing to share between threads")
    first = (module,) if engine.builder == "graph" else ()
    built = build_function(*first, size, **engine.options)
    function, read = built if isinstance(built, tuple) else (built, lambda result: result)
    convert = CONVERT[engine.builder]
    arguments = [convert(module, value) for value in workload.inputs(**size).values()]
    call = functools.partial(function, *arguments)
    if engine.module == "jax":
        wait = module.block_until_ready
        return (lambda: wait(call())), lambda result: arrays(read(result))
    return call, lambda result: arrays(read(result))


def _plain(module, value):
    """Scalars as Python's own numbers, which NumPy's loops and Numba take best."""
    return value if value.ndim else value.item()


CONVERT = {
    "graph": lambda tf, value: tf.constant(value),
    "jax": lambda jax, value: jax.numpy.asarray(value),
    "torch": lambda torch, value: torch.as_tensor(value),
    "numba": _plain,
    "numpy": _plain,
}


def arrays(result) -> list:
    """Every engine's results as a flat list of float64 arrays."""
    import numpy as np

    if isinstance(result, (list, tuple)):
        return [array for item in result for array in arrays(item)]
    if hasattr(result, "detach"):
        result = result.detach()
    if hasattr(result, "numpy"):
        result = result.numpy()
    return [np.asarray(result).astype(np.float64)]


def difference(workload, results: list, expected: list) -> float:
    """The largest difference relative to the largest value, or the workload's own measure."""
    import numpy as np

    if hasattr(workload, "differ"):
        return workload.differ(results, expected)
    if [a.size for a in results] != [b.size for b in expected]:
        return float("inf")
    pairs = [
        (a.reshape(-1), b.reshape(-1)) for a, b in zip(results, expected, strict=True) if b.size
    ]
    return max(
        float(np.max(np.abs(a - b))) / max(float(np.max(np.abs(b))), 1e-30) for a, b in pairs
    )


def expected(workload, size: dict) -> list:
    """NumPy's result: what every other is compared with."""
    import numpy

    call, read = build(ENGINES["numpy"], numpy, workload, size)
    return read(call())
