"""Gradients for optimizers, from a function, a tape, or the graph being built."""

from __future__ import annotations

from .... import GradientTape, Tensor, Variable, gradients
from ....extend import nest
from ....extend.graphs import BUILDER
from ....extend.tensors import SymbolicTensor


def gradients_of(loss, var_list=None, tape=None) -> tuple[list, list]:
    """The gradients of a loss, and the variables.

    The loss is a function, a tensor recorded by `tape`, or a tensor of the graph being built.
    `var_list` defaults to all trainable variables that the loss reads. Raises ValueError for an
    eager tensor without a tape.
    """
    if not callable(loss) and tape is None:
        if not isinstance(loss, SymbolicTensor) or BUILDER.get() is None:
            raise ValueError(
                "the loss is a function, such as minimize(lambda: loss, variables), or a tensor "
                "together with its GradientTape: minimize(loss, variables, tape=tape)"
            )
        variables = variables_read() if var_list is None else nest.flatten(var_list)
        return gradients(loss, variables), variables
    if callable(loss):
        with tape or GradientTape() as tape:
            loss = loss()
    variables = nest.flatten(var_list() if callable(var_list) else var_list)
    if var_list is None:
        variables = list(tape.watched_variables())
    return list(tape.gradient(loss, variables)), variables


def checked_pairs(grads_and_vars) -> list[tuple]:
    """The pairs of a gradient and a variable, as a list. Raises TypeError for anything else."""
    pairs = [grads_and_vars] if isinstance(grads_and_vars, Tensor) else list(grads_and_vars)
    if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
        raise TypeError(
            "apply_gradients takes pairs of a gradient and a variable: "
            "apply_gradients(zip(gradients, variables))"
        )
    return [(gradient, variable) for gradient, variable in pairs]


def variables_read() -> list[Variable]:
    """The distinct trainable variables that the graph being built reads."""
    builder = BUILDER.get()
    nodes = () if builder is None else builder.nodes
    cells = [node.attrs["cell"] for node in nodes if node.op.variable_access == "read"]
    variables = [cell.owner() for cell in dict.fromkeys(cells)]
    return [variable for variable in variables if variable is not None and variable.trainable]


def assigned_since(start: int) -> list[SymbolicTensor]:
    """The values assigned to variables in the graph being built, from node `start` on."""
    builder = BUILDER.get()
    nodes = () if builder is None else builder.nodes[start:]
    assigned = (node.outputs[0] for node in nodes if node.op.variable_access == "write")
    return [SymbolicTensor(value, builder) for value in assigned]  # type: ignore[arg-type]
