"""The numbers of a kernel that may become numbers which its caller passes: Const -> Param.

Kernels of a function for arrays of other sizes are mostly the same code with other numbers: trip
counts, sizes, offsets, constants that the function computes from sizes. A Param adopts the type of
what it meets, as the literal does whose place it takes. 0 and 1 always stay: an axis of size 1 is
broadcast, and an empty loop is left out. So do steps, which have signs, divisors, whose quotients
would take longer, and what functions take that need constants.
"""

from __future__ import annotations

import math

from ..core.classes import NamedTuple
from ..jit.kernel_types import LEAST_SIZE, MOST_SIZE
from ..jit.loop_facts import Polling, polling_of
from ..kernel_ir import nodes as ir
from ..kernel_ir.kernels import Function, KernelIR, statements_in

DTYPES = {f"{sign}{bits}" for sign in ("int", "uint") for bits in (8, 16, 32, 64)}
DTYPES |= {"float32", "float64"}
# Functions of kernels whose arguments at these positions may be known when they run alone.
NUMBERS = {
    "range": (0, 1), "opaque": (0,), "one_by_one": (0,), "wrapped_index": (0, 1),
    "checked_index": (0, 1), "new_array": (0,), "reshaped": (1,), "array_at": (1,),
    "reshape": (0, 1, 2, 3), "full": (0,),
    "run_region": (2,), "mean_of_f64": (1,), "mean_of_f32": (1,),
    "tiled_blocks_float64": (3, 4, 5), "tiled_blocks_float32": (3, 4, 5),
}  # fmt: skip
LEFT = {"range": (2,)}  # steps
TABLES = {"table", "regions", "control"}  # of parallel regions: their indices have no sizes
ARITHMETIC = ("+", "-", "*")


class Numbers(NamedTuple):
    """A kernel with Params in place of the numbers that may become variables, and these numbers.

    bounds   whether each is a part of the trip count of a loop that does not poll
    polling  how its loops poll
    """

    code: KernelIR
    numbers: tuple[int | float, ...]
    bounds: tuple[bool, ...]
    polling: tuple[Polling, ...]

    @property
    def key(self) -> tuple:
        """What kernels have in common that differ in numbers only."""
        source = self.code.source
        return source.replace("opaque(?)", "?"), self.polling  # it hides constants, for speed alone


def numbers_of(code: KernelIR) -> Numbers:
    """The numbers in a kernel that may become variables."""
    rows: list[tuple[int | float, bool]] = []
    functions = tuple(_Function(function, rows).abstracted() for function in code.functions)
    numbers, bounds = tuple(number for number, _ in rows), tuple(bounds for _, bounds in rows)
    return Numbers(KernelIR(functions), numbers, bounds, polling(code))


def is_size(number: int) -> bool:
    """Whether an integer may become a variable."""
    return LEAST_SIZE <= number <= MOST_SIZE


def polling(code: KernelIR) -> tuple[Polling, ...]:
    """How each loop of a kernel polls for signals."""
    statements = (part for function in code.functions for part in statements_in(function.body))
    return tuple(polling_of(part) for part in statements if isinstance(part, (ir.For, ir.While)))


class _Function:
    """One function of a kernel, with Params for numbers, which it appends to `found`."""

    def __init__(self, function: Function, numbers: list):
        self.function, self.found = function, numbers
        self.in_quiet_range = False

    def abstracted(self) -> Function:
        body = tuple(map(self.statement, self.function.body))
        return Function(self.function.name, self.function.parameters, body)

    def statement(self, node: ir.Statement) -> ir.Statement:
        if isinstance(node, ir.For):
            self.in_quiet_range = polling_of(node) is Polling.NEVER
            iterable = self.look(node.iterable)
            self.in_quiet_range = False
            return ir.For(node.target, iterable, tuple(map(self.statement, node.body)))
        is_named = isinstance(node.target, ir.Name) and getattr(node, "op", "+") in ARITHMETIC

        def change(part: ir.Part) -> ir.Part:
            if isinstance(part, ir.Statement):
                return self.statement(part)
            return self.look(part, is_named)

        return node.with_parts(change)

    def look(self, node, is_number: bool = False):
        """An expression with Params for its numbers. A literal alone is one with `is_number`."""
        if isinstance(node, ir.Const):
            return self.param(node) if is_number and _may_vary(node.value) else node
        if isinstance(node, ir.Binary):
            inner = is_number or not _is_constant(node)
            right = self.look(node.right, inner and node.op in ARITHMETIC)
            return ir.Binary(node.op, self.look(node.left, inner), right)
        if isinstance(node, ir.Compare):
            inner = not all(map(_is_constant, node.children()))
            return node.with_parts(lambda part: self.look(part, inner))
        if isinstance(node, ir.Call):
            return self.call(node, is_number)
        if isinstance(node, ir.Load):
            if getattr(node.array, "id", "") in TABLES:
                return node
            inner = not isinstance(node.array, ir.Attribute)
            indices = tuple(self.look(index, inner) for index in node.indices)
            return ir.Load(self.look(node.array), indices)
        if isinstance(node, ir.Unary) and isinstance(node.operand, ir.Const):
            return node
        inner = is_number and isinstance(node, (ir.Slice, ir.Tuple))
        return node.with_parts(lambda part: self.look(part, inner))

    def call(self, node: ir.Call, is_number: bool) -> ir.Call:
        name, arguments = node.name, node.arguments
        of_numbers = (0,) if name in DTYPES else NUMBERS.get(name, ())
        if name == "min" and (is_number or not all(map(_is_constant, arguments))):
            of_numbers = tuple(range(len(arguments)))
        function = self.look(node.function)
        if not (arguments and getattr(arguments[0], "id", "") == "address"):
            arguments = tuple(
                arg if at in LEFT.get(name, ()) else self.look(arg, at in of_numbers)
                for at, arg in enumerate(arguments)
            )
        return ir.Call(function, arguments)

    def param(self, node: ir.Const) -> ir.Param:
        self.found.append((node.value, self.in_quiet_range))
        return ir.Param(len(self.found) - 1)


def _is_constant(node: ir.Expression) -> bool:
    """Whether an expression consists of literals."""
    return all(isinstance(part, (ir.Const, ir.Binary)) for part in ir.walk([node]))


def _may_vary(number) -> bool:
    """Whether a literal may become a variable."""
    if type(number) is int:
        return is_size(number)
    return type(number) is float and number > 0 and number != 1.0 and math.isfinite(number)
