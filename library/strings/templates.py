"""Templates with the values of tensors in them."""

from __future__ import annotations

import numpy as np

from ... import convert_to_tensor, string
from ...extend.operations import ANY, Spec, apply, hidden_op
from ...extend.registration import public
from ...extend.tensors import filled


@hidden_op
class StringFormat:
    """A template filled with values."""

    accepts = {"values": ANY}
    inputs = ("*values",)

    def kernel(*values, template, summarize):
        return np.array(filled(template, values, summarize, quotes_all=True).encode(), object)

    def result(*values, template, summarize):
        return Spec(string, ())


@public("strings.format")
def format_(template, inputs, placeholder="{}", summarize=3, name=None):
    """The template with each placeholder `{}` replaced by the value of a tensor: a scalar string.

    `inputs` is a tensor or a list of them. `summarize` elements are shown at both ends of each
    axis; -1 shows all.

    >>> ag.strings.format("x is {}", ag.constant([1, 2])).numpy()
    b'x is [1 2]'

    Raises ValueError if the numbers of placeholders and tensors differ.
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    literals = template.split(placeholder)
    if len(literals) != len(values) + 1:
        raise ValueError(
            f"{template!r} has {len(literals) - 1} placeholders for {len(values)} tensors"
        )
    entries = [entry for literal in literals for entry in (None, literal)][1:]
    attrs = {"template": tuple(entries), "summarize": summarize}
    return apply(StringFormat, tuple(map(convert_to_tensor, values)), attrs, name)
