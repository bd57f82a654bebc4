"""Gradients for optimizers and training, from the public `GradientTape`."""

from __future__ import annotations

from ...tracing import nest
from ...tracing.gradient_tape import GradientTape


def gradients_of(loss, var_list=None, tape=None) -> tuple[list, list]:
    """Gradients and variables for a loss: a function, or a tensor that `tape` recorded.

    Without `var_list`, the variables are all trainable ones that the loss read. Raises ValueError
    for a tensor without a tape.
    """
    if not callable(loss):
        if tape is None:
            raise ValueError("the loss is a function, or a tensor together with its GradientTape")
    else:
        with tape or GradientTape() as tape:
            loss = loss()
    variables = nest.flatten(var_list() if callable(var_list) else var_list)
    if var_list is None:
        variables = list(tape.watched_variables())
    return list(tape.gradient(loss, variables)), variables
