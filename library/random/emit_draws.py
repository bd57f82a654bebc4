"""Random draws as calls of `draw_kernels.py`."""

from __future__ import annotations

from ...extend.graphs import Extent, Node, Value, dims, elements_of
from ...extend.kernels import (
    Expression,
    KernelWriter,
    NotNativeError,
    call,
    group_size,
    own_indices,
    parallel_call,
    reshape,
    thresholds,
)
from ...extend.specs import broadcast

UNIFORM_DRAW = 0.6  # nanoseconds for a uniform random number
DRAWN = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64"}


def draw(writer: KernelWriter, node: Node) -> None:
    """The call that draws from the stream of a seed, or from a position in one."""
    _, key, *parameters = node.inputs
    output, distribution = node.output, node.attrs["kind"]
    has_each = any(value.shape for value in parameters)
    reason = lack(output, parameters) if has_each else ""
    if has_each and output.dtype.is_integer:
        reason = " with limits of its own for each element"
    if output.dtype.name not in DRAWN or reason:
        raise NotNativeError(f"random.{distribution} of {output.dtype.name}{reason}", node.where)
    words = stream(writer, key)
    name, size = drawn_array(writer, output), elements_of(output)
    is_few = size <= thresholds.FEW_DRAWS and not any(
        isinstance(one, Extent) for one in dims(output)
    )
    values = [
        for_each(writer, value, output) if has_each else writer.read(value) for value in parameters
    ]
    routine = f"{'few_' * is_few}{'each_' * has_each}{distribution}_{DRAWN[output.dtype.name]}"
    function, array, numbers = f"draw_{routine}", reshape(name, size), [*words, *values]
    takes_any_count = routine.startswith(("few", "each")) or not routine.startswith("uniform_f")
    if takes_any_count:  # of words
        writer.call(function, array, *numbers)
    else:
        _draw_in_groups(writer, node, function, array, numbers)
    if not output.shape:
        writer.let(writer.name(output), name[0])


def stream(writer: KernelWriter, key: Value) -> list[Expression]:
    """The key and the counter of a stream, of a seed or of a position in one."""
    words = [call("np.uint64", writer.read(key)[index]) for index in range(dims(key)[0])]
    return [*words, *[call("np.uint64", 0)] * (3 - len(words))]


def drawn_array(writer: KernelWriter, output: Value) -> Expression:
    """The array in which a draw leaves its numbers; also a single one."""
    if output.shape:
        return writer.buffer(output)
    return writer.private_array((1,), output.dtype.numpy_dtype.name)


def lack(output: Value, parameters) -> str:
    """Why numbers with parameters of their own have no native form, if so."""
    shape = dims(output)
    return "" if broadcast(shape, *map(dims, parameters)) == shape else " of several shapes"


def for_each(writer: KernelWriter, value: Value, output: Value) -> Expression:
    """An array with an element of a parameter for each number."""
    shape, size = dims(output), elements_of(output)
    name = writer.private_array(tuple(map(int, shape)), value.dtype.numpy_dtype.name)
    indices = [name.with_suffix(f"_{axis}") for axis in range(len(shape))]
    with writer.loops(indices, map(writer.size, shape)):
        writer.let(name[tuple(indices)], writer.element_at(value, own_indices(indices, value)))
    return reshape(name, size)


def _draw_in_groups(
    writer: KernelWriter, node: Node, function: str, array: Expression, numbers: list[Expression]
) -> None:
    """The call for groups of uniform numbers, which threads share."""
    output, size = node.output, elements_of(node.output)

    def write(first: Expression, count: Expression) -> None:
        writer.call(function, array, first, count, *numbers)

    groups = -(-size // group_size(output.dtype.size))
    parallel_call(writer, groups, size * UNIFORM_DRAW, write)


FORMS = {"stateless_draw": draw, "counted_draw": draw}
