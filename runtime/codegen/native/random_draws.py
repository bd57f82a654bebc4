"""The native form of random draws: calls of `kernels/random/draws.py`."""

from __future__ import annotations

from ...core.shapes import broadcast
from ...ir.extents import Extent
from ...ir.graph import Node, Value
from ...kernels.random.philox_parameters import group_size
from ...lowering.cost_model import UNIFORM_DRAW
from ...lowering.not_native import NotNativeError
from ...lowering.static_shapes import dims, elements_of
from .elements import own_indices
from .kernel_writer import KernelWriter
from .parallel_loops import parallel_call

FEW = 32  # numbers, at most, whose blocks are computed one by one
DTYPES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64"}


def draw(writer: KernelWriter, node: Node, depth: int) -> None:
    """The call that draws from the stream of a seed, or from a position in one."""
    _, key, *parameters = node.inputs
    output, distribution = node.output, node.attrs["kind"]
    has_each = any(value.shape for value in parameters)
    reason = _lack(output, parameters) if has_each else ""
    if has_each and output.dtype.is_integer:
        reason = " with limits of its own for each element"
    if output.dtype.name not in DTYPES or reason:
        raise NotNativeError(f"random.{distribution} of {output.dtype.name}{reason}", node.where)
    words = _stream(writer, key)
    name, size = drawn_array(writer, output, depth), elements_of(output)
    is_few = size <= FEW and not any(isinstance(one, Extent) for one in dims(output))
    values = [
        _for_each(writer, value, output, depth) if has_each else writer.read(value)
        for value in parameters
    ]
    numbers = ", ".join([*words, *values])
    kind = f"{'few_' * is_few}{'each_' * has_each}{distribution}_{DTYPES[output.dtype.name]}"
    call = f"draw_{kind}({name}.reshape({size}), "
    takes_any_count = kind.startswith(("few", "each")) or not kind.startswith("uniform_f")
    if takes_any_count:  # of words
        writer.line(depth, f"{call}{numbers})")
    else:
        _draw_in_groups(writer, node, call, numbers, depth)
    if not output.shape:
        writer.line(depth, f"{writer.name(output)} = {name}[0]")


def variates(writer: KernelWriter, node: Node, depth: int) -> None:
    """The call that draws numbers of a distribution that has no location and scale."""
    _, key, parameter, other = node.inputs
    output, distribution = node.output, node.attrs["distribution"]
    has_each = bool(parameter.shape)
    reason = _lack(output, [parameter, other]) if has_each else ""
    if distribution not in ("gamma", "poisson") or output.dtype.name not in DTYPES or reason:
        raise NotNativeError(f"random.{distribution} of {output.dtype.name}{reason}", node.where)
    name, size = drawn_array(writer, output, depth), elements_of(output)
    value = _for_each(writer, parameter, output, depth) if has_each else writer.read(parameter)
    kind = f"{'each_' * has_each}{distribution}_{DTYPES[output.dtype.name]}"
    numbers = ", ".join([*_stream(writer, key), value])
    writer.line(depth, f"variate_{kind}({name}.reshape({size}), {numbers})")
    if not output.shape:
        writer.line(depth, f"{writer.name(output)} = {name}[0]")


def _stream(writer: KernelWriter, key: Value) -> list[str]:
    """The key and the counter of a stream, of a seed or of a position in one."""
    words = [f"np.uint64({writer.read(key)}[{index}])" for index in range(dims(key)[0])]
    return [*words, *["np.uint64(0)"] * (3 - len(words))]


def drawn_array(writer: KernelWriter, output: Value, depth: int) -> str:
    """The array in which a draw leaves its numbers; also a single one."""
    if output.shape:
        return writer.buffer(output, depth)
    return writer.private_array((1,), output.dtype.numpy_dtype.name, depth)


def _lack(output: Value, parameters) -> str:
    """Why numbers with parameters of their own have no native form, if so."""
    shape = dims(output)
    return "" if broadcast(shape, *map(dims, parameters)) == shape else " of several shapes"


def _for_each(writer: KernelWriter, value: Value, output: Value, depth: int) -> str:
    """An array with an element of a parameter for each number."""
    shape, size = dims(output), elements_of(output)
    name = writer.private_array(tuple(map(int, shape)), value.dtype.numpy_dtype.name, depth)
    indices = []
    for axis, length in enumerate(shape):
        indices.append(f"{name}_{axis}")
        depth = writer.for_loop(depth, indices[-1], f"range({writer.size(length)})")
    source = writer.element_at(value, own_indices(indices, value))
    writer.line(depth, f"{name}[{', '.join(indices)}] = {source}")
    return f"{name}.reshape({size})"


def _draw_in_groups(writer: KernelWriter, node: Node, call: str, numbers: str, depth: int) -> None:
    """The call for groups of uniform numbers, which threads share."""
    _, key, *parameters = node.inputs
    output, size = node.output, elements_of(node.output)

    def write(at: int, first: str, count: str) -> None:
        writer.line(at, f"{call}{first}, {count}, {numbers})")

    operands = {writer.read(value): value for value in (output, key, *parameters)}
    values = {word: value for word, value in operands.items() if word.isidentifier()}
    parallel_call(
        writer, values, -(-size // group_size(output.dtype.size)), size * UNIFORM_DRAW, write, depth
    )
