"""The native form of random draws: calls of the loops in `philox.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.shapes import size_of
from ...ir.graph import Node
from ...kernels.random_philox import GROUP
from ...lowering.cost_model import UNIFORM_DRAW
from ...lowering.not_native import NotNativeError

if TYPE_CHECKING:
    from .loop_nests import NestWriter


def draw(writer: NestWriter, node: Node, depth: int) -> None:
    """The call that draws the numbers of the stream that a seed, or a place in one, stands for."""
    _, key, *parameters = node.inputs
    made, kind = node.output, node.attrs["kind"]
    plain = not any(value.shape for value in parameters) and made.shape
    if made.dtype.name not in ("float32", "float64", "int32", "int64") or not plain:
        raise NotNativeError(f"random.{kind} of this type or shape", node.where)
    words = [f"np.uint64({writer.read(key)}[{place}])" for place in range(key.shape[0])]
    words += ["np.uint64(0)"] * (3 - len(words))
    numbers = ", ".join([*words, *map(writer.read, parameters)])
    name, size = writer.buffer(made, depth), size_of(made.shape)
    call = (
        f"draw_{kind}_{made.dtype.numpy_dtype.kind}{made.dtype.size * 8}({name}.reshape({size}), "
    )
    if kind != "uniform" or made.dtype.is_integer:  # these take as many words as it happens
        writer.line(depth, f"{call}{numbers})")
        return

    def write(at: int, first: str, count: str) -> None:
        writer.line(at, f"{call}{first}, {count}, {numbers})")

    given = {writer.read(value): value for value in (made, key, *parameters)}
    values = {word: value for word, value in given.items() if word.isidentifier()}
    writer.spread(values, -(-size // GROUP[made.dtype.size]), size * UNIFORM_DRAW, write, depth)
