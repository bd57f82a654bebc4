"""The operation that raises an exception when the graph runs."""

from __future__ import annotations

from ..dtypes import ANY
from ..op import WRITES, op
from ..quotes import fill
from ..tensor import EagerTensor


@op
class RaiseError:
    """Raise an exception; `form` tells which, with holes for the values of `data`."""

    hidden = True
    effect = WRITES
    accepts = {"data": ANY}
    inputs = ("*data",)
    runs_python = True  # the error is the user's own: it passes as it is
    raises = True

    def kernel(*data, form):
        raise fill(form, [EagerTensor(one) for one in data])

    def result(*data, form):
        return ()


def never_ends(graph) -> bool:
    """Whether a graph always raises: what follows it need not be right."""
    if "never_ends" not in graph.cache:
        graph.cache["never_ends"] = any(map(_never_ends, graph.nodes))
    return graph.cache["never_ends"]


def _never_ends(node) -> bool:
    if node.op.name == "if":
        return never_ends(node.attrs["then"]) and never_ends(node.attrs["orelse"])
    return "raises" in node.op.extra or (node.op.name == "call" and never_ends(node.attrs["graph"]))
