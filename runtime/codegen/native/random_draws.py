"""The native form of random draws: calls of `kernels/random_philox.py`."""

from __future__ import annotations

from ...ir.graph import Node
from ...kernels.random.philox_parameters import group_size
from ...lowering.cost_model import UNIFORM_DRAW
from ...lowering.not_native import NotNativeError
from ...lowering.static_shapes import dims, elements_of
from .kernel_writer import KernelWriter
from .parallel_loops import parallel_call


def draw(writer: KernelWriter, node: Node, depth: int) -> None:
    """The call that draws from the stream of a seed, or from a position in one."""
    _, key, *parameters = node.inputs
    output, distribution = node.output, node.attrs["kind"]
    is_plain = not any(value.shape for value in parameters) and output.shape
    if output.dtype.name not in ("float32", "float64", "int32", "int64") or not is_plain:
        raise NotNativeError(f"random.{distribution} of this type or shape", node.where)
    key_words = [f"np.uint64({writer.read(key)}[{index}])" for index in range(dims(key)[0])]
    key_words += ["np.uint64(0)"] * (3 - len(key_words))
    numbers = ", ".join([*key_words, *map(writer.read, parameters)])
    name, size = writer.buffer(output, depth), elements_of(output)
    suffix = f"{output.dtype.numpy_dtype.kind}{output.dtype.size * 8}"
    call = f"draw_{distribution}_{suffix}({name}.reshape({size}), "
    takes_any_count = distribution != "uniform" or output.dtype.is_integer  # of words
    if takes_any_count:
        writer.line(depth, f"{call}{numbers})")
        return

    def write(at: int, first: str, count: str) -> None:
        writer.line(at, f"{call}{first}, {count}, {numbers})")

    operands = {writer.read(value): value for value in (output, key, *parameters)}
    values = {word: value for word, value in operands.items() if word.isidentifier()}
    parallel_call(
        writer, values, -(-size // group_size(output.dtype.size)), size * UNIFORM_DRAW, write, depth
    )
