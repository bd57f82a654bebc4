"""Write the table of derivatives at edges: the values of TensorFlow, JAX and torch.

Run it by hand in an environment that has the three: `python tests/helpers/peer_derivatives.py`.
The suite compares allograph with the table, and needs none of them. Each peer runs in a process of
its own, since their native libraries do not go together.
"""

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from derivative_cases import BINARY, CASES, ELEMENTWISE, POINTS
from edge_derivatives import ORDERS, TABLE, by_tapes, derivatives, seeds_of, written
from peer_calls import JAX_CALLS, JAX_NAMES, TORCH_CALLS, TORCH_NAMES

PLAIN = {f"ag.{name}(x)" for name in ELEMENTWISE.split()} | {
    f"ag.{name}(x,y)" for name in BINARY.split()
}


def counterpart(call: str, calls: dict, names: dict, modules: dict):
    """What a library calls a call: as listed, or by a function of the same last name."""
    if call in calls:
        return calls[call]
    if call not in PLAIN:
        raise LookupError("no counterpart")
    name, _, arguments = call.rpartition("(")
    name = names.get(name.rpartition(".")[2], name.rpartition(".")[2])
    for text, module in modules.items():
        if hasattr(module, name):
            return f"{text}.{name}({arguments}"
    raise LookupError("no counterpart")


def by_tensorflow(case):
    import tensorflow

    return by_tapes(tensorflow, case, without_second=LookupError)


def by_jax(case):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    modules = {"jnp": jnp, "nn": jax.nn, "special": jax.scipy.special, "lax": jax.lax, "jax": jax}
    call = counterpart(case.call, JAX_CALLS, JAX_NAMES, modules)
    elementwise = POINTS[case.points].elementwise

    def pulled(arrays, weigh):
        def first(*xs):
            y, pull = jax.vjp(function, *xs)
            return pull(jnp.asarray(weigh(y.size).reshape(y.shape), y.dtype))

        def function(*xs):
            return eval(call, {**modules, **dict(zip("xy", xs, strict=False))})

        xs = tuple(map(jnp.asarray, arrays))
        slopes, pull = jax.vjp(first, *xs)
        seeds = zip(seeds_of(xs, elementwise), xs, strict=True)
        return slopes, pull(tuple(jnp.asarray(seed, x.dtype) for seed, x in seeds))

    return derivatives(case, pulled)


def by_torch(case):
    import torch

    modules = {"torch": torch, "F": torch.nn.functional, "special": torch.special}
    call = counterpart(case.call, TORCH_CALLS, TORCH_NAMES, modules)
    elementwise = POINTS[case.points].elementwise

    def slopes_of(results, xs, seeds):
        kept = [pair for pair in zip(results, seeds, strict=True) if pair[0].requires_grad]
        found = [None] * len(xs)
        if kept:
            ys, weighed = zip(*kept, strict=True)
            found = torch.autograd.grad(ys, xs, weighed, create_graph=True, allow_unused=True)
        return [torch.zeros_like(x) if g is None else g for g, x in zip(found, xs, strict=True)]

    def pulled(arrays, weigh):
        xs = [torch.tensor(array, requires_grad=True) for array in arrays]
        y = eval(call, {**modules, **dict(zip("xy", xs, strict=False))})
        first = slopes_of([y], xs, [torch.tensor(weigh(y.numel()), dtype=y.dtype).reshape(y.shape)])
        pairs = zip(seeds_of(xs, elementwise), xs, strict=True)
        seeds = [torch.tensor(seed, dtype=x.dtype) for seed, x in pairs]
        both = first, slopes_of(first, xs, seeds)
        return [[g.detach().numpy(force=True) for g in slopes] for slopes in both]

    return derivatives(case, pulled)


PEERS = {"tf": by_tensorflow, "jax": by_jax, "torch": by_torch}


def rows_of(peer: str) -> dict[str, dict[str, str]]:
    """The written values of a peer by case and order."""
    np.seterr(all="ignore")
    os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    rows = {}
    for case in CASES:
        try:
            found = PEERS[peer](case)
            rows[str(case)] = {order: written(values) for order, values in found.items()}
        except Exception as error:  # it has no such function, or no gradient of it
            if not isinstance(error, LookupError) or "counterpart" not in str(error):
                print(f"{peer}: {case}: {type(error).__name__}: {str(error)[:120]}", flush=True)
    return rows


def main():
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool:
        tables = dict(zip(PEERS, pool.map(rows_of, PEERS), strict=True))
    lines = []
    for case in map(str, CASES):
        lines.append(case)
        for order in ORDERS:
            by_text: dict[str, list] = {}
            for peer, rows in tables.items():
                if order in rows.get(case, ()):
                    by_text.setdefault(rows[case][order], []).append(peer)
            lines += [f"    {order} of {','.join(by)}: {text}" for text, by in by_text.items()]
    TABLE.write_text("".join(line + "\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
