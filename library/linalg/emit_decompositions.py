"""Linear systems and decompositions as calls of `lapack.py` and `small_matrices.py`, one for each
matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...extend.graphs import Node, Value, dims
from ...extend.kernels import (
    Expression,
    KernelWriter,
    Name,
    NotNativeError,
    Operand,
    Part,
    as_node,
    cost_model,
    named,
    parallel_call,
    reshape,
    statements,
    thresholds,
    transformed,
)
from ...extend.specs import is_static

if TYPE_CHECKING:
    from ...extend.kernels import GridWriter

Form = Callable[[KernelWriter, Node], None]
OF_A_THREAD = 32  # rows of a matrix that a thread of a device has in memory of its own


class Routine(NamedTuple):
    """A function of matrices.

    name      NAME in `matrix_NAME_by_lapack` of `lapack.py`, `matrix_NAME_by_loops` of loops
    cubes     floating-point operations for a matrix of size n, in n ** 3
    loops     whether the function of loops is for small matrices on the CPU
    on_grid   whether there is one, for the threads of a device
    """

    name: str
    cubes: float
    loops: bool = False
    on_grid: bool = True


def by_lapack(routine: Callable[[Node], Routine] | Routine) -> Form:
    """The form of an operation on matrices [..., m, n], which is computed for each of them."""

    def form(writer: KernelWriter, node: Node) -> None:
        chosen = routine if isinstance(routine, Routine) else routine(node)
        batch, largest = _sizes(node)
        small = chosen.loops and largest <= thresholds.SMALL_SYSTEM
        function = f"matrix_{chosen.name}_by_{'loops' if small else 'lapack'}"
        if writer.share is not None:
            function = _of_a_thread(node, chosen, largest)
        if not batch:
            _one(writer, node, function)
            return
        work = chosen.cubes * largest**3 * cost_model.MATRIX_FLOP
        _several(writer, node, function, cost_model.MATRIX_CALL + work)

    return form


def on_a_grid(routine: Callable[[Node], Routine] | Routine) -> Callable[[GridWriter, Node], None]:
    """The form for the threads of a device, each of which computes some matrices."""

    def form(writer: GridWriter, node: Node) -> None:
        chosen = routine if isinstance(routine, Routine) else routine(node)
        batch, largest = _sizes(node)
        function = _of_a_thread(node, chosen, largest)
        if not any(value.shape for value in node.outputs):  # numbers, which all threads need
            with writer.by("all threads"):
                _one(writer, node, function)
            return
        count = math.prod(batch)
        given, numbers = _of_each(writer, node, count)
        writer.synchronize(writer.position(), writer.accesses(node.inputs, node.outputs))
        with writer.over_threads("t", count):
            block = writer.block
            writer.call(function, *given, results=numbers)
        if writer.guard(block, 0, "t", node):
            writer.leave_if_failed()

    return form


def is_between_kernels(routine: Callable[[Node], Routine] | Routine) -> Callable[[Node], bool]:
    """Whether an operation has no form for a thread of a device, which needs small matrices, some
    at least, and one shape of batches.
    """

    def is_so(node: Node) -> bool:
        chosen = routine if isinstance(routine, Routine) else routine(node)
        try:
            return not chosen.on_grid or _sizes(node)[1] > OF_A_THREAD
        except NotNativeError:
            return True

    return is_so


def _sizes(node: Node) -> tuple[tuple[int, ...], int]:
    """The shape of the batch, and the most rows or columns of a matrix."""
    if any(not is_static(value.shape) for value in (*node.inputs, *node.outputs)):
        raise NotNativeError(f"'{node.op.name}' of matrices of unknown size", node.where)
    batch = dims(node.inputs[0])[:-2]
    if any(dims(value)[:-2] != batch or 0 in dims(value) for value in node.inputs):
        raise NotNativeError(
            f"'{node.op.name}' of nothing, or of batches of two shapes", node.where
        )
    return batch, max(max(dims(value)[-2:]) for value in node.inputs)


def _of_a_thread(node: Node, routine: Routine, largest: int) -> str:
    """The function by which a thread of a device computes a matrix for itself."""
    if not routine.on_grid:
        raise NotNativeError(f"devices have no form of '{node.op.name}'", node.where)
    if largest > OF_A_THREAD:
        reason = f"{largest} rows or columns, where a thread has at most {OF_A_THREAD}"
        raise NotNativeError(f"'{node.op.name}' of {reason}", node.where)
    return f"matrix_{routine.name}_by_loops"


def _one(writer: KernelWriter, node: Node, function: str) -> None:
    given = [*map(writer.read, node.inputs)]
    given += [writer.buffer(value) for value in node.outputs if value.shape]
    numbers = [writer.name(value) for value in node.outputs if not value.shape]
    writer.call(function, *given, results=numbers)


def _of_each(writer: KernelWriter, node: Node, count: int) -> tuple[list[Operand], list[Operand]]:
    """The operands and the results, numbers apart, of matrix `t` of so many."""
    name, rank = writer.unused("s"), len(dims(node.inputs[0])[:-2])
    given, numbers = list[Operand](), list[Operand]()
    for value in node.outputs:
        writer.buffer(value)
    for index, value in enumerate((*node.inputs, *node.outputs)):
        core, array = dims(value)[rank:], name.with_suffix(f"_{index}")
        writer.let(array, reshape(writer.read(value), (count, *core)))
        (given if core else numbers).append(array["t"])
    return given, numbers


def _several(writer: KernelWriter, node: Node, function: str, cost: float) -> None:
    """A loop over the batch, whose iterations threads share where each is small: a large one is
    shared by the threads of the library.
    """
    count = math.prod(dims(node.inputs[0])[:-2])

    def write(first: Expression, length: Expression) -> None:
        given, numbers = _of_each(writer, node, count)
        with writer.loop("t", first, first + length):
            writer.call(function, *given, results=numbers)

    if cost > thresholds.SHARED_MATRIX:
        write(as_node(0), as_node(count))
    else:
        parallel_call(writer, count, cost * count, write)


# ---- small systems ---------------------------------------------------------------------------


def solve(writer: KernelWriter, node: Node) -> None:
    """Elimination with the largest pivot of each column, as LAPACK does it, for small systems."""
    matrix, right = node.inputs
    if len(dims(matrix)) != 2 or len(dims(right)) != 2 or dims(matrix)[0] > thresholds.SMALL_SYSTEM:
        by_lapack(ROUTINES["matrix_solve"])(writer, node)
        return
    work = Value(matrix.dtype, matrix.shape, "work")
    name, out, copy = writer.unused("s"), writer.buffer(node.output), writer.work_array(work)
    writer.call("copy_elements", copy, writer.read(matrix))
    writer.call("copy_elements", out, writer.read(right))
    words = {"A": copy, "X": out, "s": name, "real": named(f"np.{matrix.dtype.numpy_dtype.name}")}
    words |= {"n": as_node(dims(matrix)[0]), "r": as_node(dims(right)[1])}

    def filled(part: Part) -> Part:
        return words.get(part.id, part) if isinstance(part, Name) else part

    for statement in statements(_ELIMINATION):
        writer.append(transformed(statement, filled))
    writer.release(work)


_ELIMINATION = """
for k in range(n):
    p = k
    for i in range(k + 1, n):
        if abs(A[i, k]) > abs(A[p, k]):
            p = i
    if A[p, k] == 0:
        raise ValueError
    if p != k:
        for j in range(k, n):
            A[k, j], A[p, j] = A[p, j], A[k, j]
        for j in range(r):
            X[k, j], X[p, j] = X[p, j], X[k, j]
    for i in range(k + 1, n):
        s = real(A[i, k] / A[k, k])
        for j in range(k + 1, n):
            A[i, j] -= s * A[k, j]
        for j in range(r):
            X[i, j] -= s * X[k, j]
for k in range(n - 1, -1, -1):
    for j in range(r):
        s = X[k, j]
        for i in range(k + 1, n):
            s = real(s - A[k, i] * X[i, j])
        X[k, j] = real(s / A[k, k])
"""


def _triangular(node: Node) -> Routine:
    side = "lower" if node.attrs["lower"] else "upper"
    return Routine(f"{side}_solved", 1.0, loops=True)


ROUTINES: dict[str, Callable[[Node], Routine] | Routine] = {
    "matrix_solve": Routine("solved", 2.7),
    "triangular_solve": _triangular,
    "complex_matrix_solve": Routine("complex_solved", 10.8, loops=True),
    "inv": Routine("inverse", 2.0),
    "complex_inv": Routine("complex_inverse", 8.0),
    "det": Routine("determinant", 0.7),
    "slogdet": Routine("log_determinant", 0.7),
    "cholesky": Routine("cholesky", 0.3, loops=True),
    "qr": Routine("qr", 4.0, on_grid=False),
    "svd": Routine("svd", 20.0, on_grid=False),
    "eigh": Routine("eigh", 9.0, on_grid=False),
}
FORMS: dict[str, Any] = {
    **{name: by_lapack(routine) for name, routine in ROUTINES.items()},
    **{f"{name} on a grid": on_a_grid(routine) for name, routine in ROUTINES.items()},
    **{f"{name} between kernels": is_between_kernels(row) for name, row in ROUTINES.items()},
    **{
        f"{name} in float64": True for name in ("matrix_solve", "cholesky")
    },  # as NumPy calls LAPACK
    "matrix_solve": solve,
}
