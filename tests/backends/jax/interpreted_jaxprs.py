"""Running a jaxpr step by step, for random programs: to compile one takes seconds."""

import jax
import jax.numpy as jnp
from jax.extend.core import Literal


def interpreted(function, *examples):
    """A function that runs the jaxpr of another one, traced with the types of some arguments."""
    closed, shape = jax.make_jaxpr(function, return_shape=True)(*examples)
    structure = jax.tree.structure(shape)
    return lambda *args: jax.tree.unflatten(structure, _run(closed, map(jnp.asarray, args)))


def _run(closed, args) -> list:
    jaxpr = closed.jaxpr
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*closed.consts, *args], strict=True))

    def read(atom):
        return atom.val if isinstance(atom, Literal) else values[atom]

    for step in jaxpr.eqns:
        run = STEPS.get(step.primitive.name, _bound)
        values |= zip(step.outvars, run(step, *map(read, step.invars)), strict=True)
    return list(map(read, jaxpr.outvars))


def _bound(step, *args) -> list:
    results = step.primitive.bind(*args, **step.params)
    return results if step.primitive.multiple_results else [results]


def _cond(step, index, *args) -> list:
    return _run(step.params["branches"][int(index)], args)


def _while(step, *args) -> list:
    params = step.params
    ends = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    of_test, of_body, state = args[: ends[0]], args[ends[0] : ends[1]], args[ends[1] :]
    while jnp.any(test := _run(params["cond_jaxpr"], (*of_test, *state))[0]):
        after = _run(params["body_jaxpr"], (*of_body, *state))
        state = [_chosen(test, *pair) for pair in zip(after, state, strict=True)]
    return list(state)


def _chosen(test, after, before):
    """The state of those rows of a batch whose loop goes on, or that of all."""
    rest = range(jnp.ndim(test), jnp.ndim(after))
    return jnp.where(jnp.expand_dims(test, tuple(rest)), after, before)


def _scan(step, *args) -> list:
    params, end = step.params, step.params["num_consts"] + step.params["num_carry"]
    constants, state, rows = (
        args[: params["num_consts"]],
        args[params["num_consts"] : end],
        args[end:],
    )
    for index in range(params["length"]):
        state = _run(params["jaxpr"], (*constants, *state, *(row[index] for row in rows)))
    return list(state)


def _call(step, *args) -> list:
    return _run(step.params["jaxpr"], args)


STEPS = {"cond": _cond, "while": _while, "scan": _scan, "jit": _call, "pjit": _call}
