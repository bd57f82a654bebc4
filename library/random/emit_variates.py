"""Draws of gamma and Poisson distributed numbers as calls of `variates.py`."""

from __future__ import annotations

from ...extend.graphs import Node, elements_of
from ...extend.kernels import KernelWriter, NotNativeError, reshape
from .emit_draws import DRAWN, drawn_array, for_each, lack, stream


def variates(writer: KernelWriter, node: Node) -> None:
    """The call that draws numbers of a distribution that has no location and scale."""
    _, key, parameter, other = node.inputs
    output, distribution = node.output, node.attrs["distribution"]
    has_each = bool(parameter.shape)
    reason = lack(output, [parameter, other]) if has_each else ""
    if distribution not in ("gamma", "poisson") or output.dtype.name not in DRAWN or reason:
        raise NotNativeError(f"random.{distribution} of {output.dtype.name}{reason}", node.where)
    name, size = drawn_array(writer, output), elements_of(output)
    value = for_each(writer, parameter, output) if has_each else writer.read(parameter)
    routine = f"{'each_' * has_each}{distribution}_{DRAWN[output.dtype.name]}"
    words = stream(writer, key)
    writer.call(f"variate_{routine}", reshape(name, size), *words, value)
    if not output.shape:
        writer.let(writer.name(output), name[0])


FORMS = {"random_variates": variates}
