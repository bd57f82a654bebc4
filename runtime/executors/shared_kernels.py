"""Kernels that calls with arrays of several sizes share.

Each shape has a kernel of its own at first. From the third on, kernels that are the same code with
other numbers become one whose numbers are an argument: its machine code is compiled once. The
caller of the kernel passes the numbers of its shape. Numbers that were equal in all shapes so far
are one number, and those that did not change stay constants: a shape that needs more is compiled
for itself, or makes a kernel with more numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core import thresholds
from ..jit.backends import OWN
from ..jit.kernel_types import INT64, ArrayType, RunTimeSize, UntranslatableError
from ..kernel_ir import nodes as ir
from ..kernel_ir.kernels import RECURSIVE, Function, KernelIR, names_in
from ..kernel_ir.nodes import Name, call, named, transformed
from .kernel_numbers import Numbers, is_size, numbers_of, polling

MOST_SHARED = 4  # kernels with run-time numbers that are made of one
NUMBER = "number_"  # the prefix of the variables of numbers
NUMBERS = Name("numbers")


def shared_code(kernels, code: KernelIR, types: tuple, results: tuple, last: int) -> tuple | None:
    """The items of the `Code` that serves a kernel too; None where it is to have its own.

    `kernels` are those of its function (`SharedKernels` in `machine_code.py`).
    """
    general_kernel = general(kernels, code, types, results, last)
    return None if general_kernel is None else _compiled(*general_kernel)


def general(
    kernels, code: KernelIR, types: tuple, results: tuple, last: int
) -> tuple[_General, tuple] | None:
    """The kernel that serves another too, with the numbers of that one; None where it is to have
    machine code of its own. The array of numbers comes behind the `last` parameters.
    """
    stacks = (isinstance(type_, ArrayType) and None in type_.shape for type_ in (*types, *results))
    if any(stacks):
        return None
    numbers = numbers_of(code)
    sizes, shapes = _sizes(types), _sizes(results)
    vector = (*numbers.numbers, *sizes, *shapes)
    classes = tuple(map(type, vector))
    key = (*numbers.key, classes, _pattern(types), _pattern(results), last)
    with kernels.lock:
        alike = kernels.alike.setdefault(key, _Alike())
        new_kernel = functools.partial(_General, numbers, types, results, last)
        return alike.general(new_kernel, vector, kernels.traces + 1)


class _Alike:
    """The kernels that differ in numbers only."""

    def __init__(self) -> None:
        self.own: dict[tuple, int] = {}  # the numbers of those compiled for themselves: the traces
        self.shared: list[_General] = []

    def general(
        self, make: Callable[[list], _General], vector: tuple, trace: int
    ) -> tuple[_General, tuple] | None:
        if vector in self.own or any(code.fails for code in self.shared):
            return None
        for code in self.shared:
            if code.serves(vector):
                return code, vector
        is_first = trace < thresholds.SHARED_FROM or all(
            new_kernel == trace for new_kernel in self.own.values()
        )
        if is_first or len(self.shared) >= MOST_SHARED:
            self.own[vector] = trace
            return None
        known = [*self.own, *(example for code in self.shared for example in code.examples), vector]
        trace_made = make(known)
        self.shared.append(trace_made)
        return trace_made, vector


class _General:
    """A kernel whose numbers are an argument, where they differ in the `examples`."""

    def __init__(
        self, numbers: Numbers, types: tuple, results: tuple, last: int, examples: list[tuple]
    ):
        self.examples = examples
        self.fails = False  # whether a function that it calls needs constants
        self.fixed: dict[int, int | float] = {}  # by position in the vectors
        groups: dict[tuple, list[int]] = {}
        for at, values in enumerate(zip(*examples, strict=True)):
            if len(set(values)) == 1:
                self.fixed[at] = values[0]
            else:
                groups.setdefault((type(values[0]), values), []).append(at)
        self.groups = list(groups.values())  # the positions of each number
        self.below = _distances([values for _, values in groups])
        number_of = {at: k for k, group in enumerate(self.groups) for at in group}
        first = len(numbers.numbers)
        size_of = {at: RunTimeSize(last, k) for at, k in number_of.items()}
        self.results = _with_sizes(results, size_of, first + len(_sizes(types)))
        types = _with_sizes(types, size_of, first)
        self.types = (*types[:last], ArrayType(INT64, (len(self.groups),)), *types[last:])
        self.code = _Writer(number_of, types, last, self._definitions()).written(numbers)

    def serves(self, vector: tuple) -> bool:
        """Whether it computes with these numbers too."""
        numbers = [vector[group[0]] for group in self.groups]
        return (
            all(vector[at] == value for at, value in self.fixed.items())
            and all(vector[at] == numbers[k] for k, group in enumerate(self.groups) for at in group)
            and all(numbers[k] == numbers[base] - n for k, (base, n) in self.below.items())
        )

    def arguments(self, vector: tuple) -> np.ndarray:
        """The numbers as the kernel takes them: floats by their bits."""
        numbers = np.empty(len(self.groups), np.int64)
        for k, group in enumerate(self.groups):
            number = vector[group[0]]
            (numbers.view(np.float64) if type(number) is float else numbers)[k] = number
        return numbers

    def _definitions(self) -> list[ir.Expression]:
        """The value of each number: LLVM is to know by how much one is below another."""
        values: list[ir.Expression] = []
        for k, group in enumerate(self.groups):
            if k in self.below:
                base, offset = self.below[k]
                values.append(_variable(base) - offset)
            elif type(self.examples[0][group[0]]) is float:
                values.append(NUMBERS.dot("view")(named("np.float64"))[k])
            else:
                values.append(call("size_at", NUMBERS, k))
        return values


def _variable(number: int) -> Name:
    return Name(f"{NUMBER}{number}")


def _distances(numbers: list[tuple]) -> dict[int, tuple[int, int]]:
    """Numbers at a constant offset below another in every example: {number: (base, offset)}."""
    alike: dict[tuple, list[int]] = {}
    for k, values in enumerate(numbers):
        if type(values[0]) is int:
            alike.setdefault(tuple(value - values[0] for value in values), []).append(k)
    distances: dict[int, tuple[int, int]] = {}
    for group in alike.values():
        base = max(group, key=lambda k: numbers[k][0])
        distances |= {k: (base, numbers[base][0] - numbers[k][0]) for k in group if k != base}
    return distances


def _compiled(general: _General, vector: tuple) -> tuple | None:
    code, types, results = general.code, general.types, general.results
    try:
        compiled = OWN.compiled(code, types, results)
    except UntranslatableError:
        general.fails = True
        return None
    return compiled, code, types, results, general.arguments(vector)


# ---- types -------------------------------------------------------------------------------------


def _pattern(types: tuple) -> tuple:
    """Types without the sizes that may differ."""
    return tuple(
        type_._replace(shape=tuple(None if is_size(size) else size for size in type_.shape))
        if isinstance(type_, ArrayType)
        else type_
        for type_ in types
    )


def _sizes(types: tuple) -> list[int]:
    """The sizes that may differ."""
    arrays = (array for array in types if isinstance(array, ArrayType))
    return [size for array in arrays for size in array.shape if is_size(size)]


def _with_sizes(types: tuple, size_of: dict[int, RunTimeSize], first: int) -> tuple:
    """Types with the sizes that are numbers of the kernel; the first size is at `first`."""
    types_with_sizes, at = [], first
    for type_ in types:
        if not isinstance(type_, ArrayType):
            types_with_sizes.append(type_)
            continue
        shape: list = []
        for size in type_.shape:
            shape.append(size_of.get(at, size) if is_size(size) else size)
            at += is_size(size)
        types_with_sizes.append(type_._replace(shape=tuple(shape)))
    return tuple(types_with_sizes)


# ---- code --------------------------------------------------------------------------------------


class _Writer:
    """Writes a kernel with variables for numbers.

    number_of    the variable of each number of the kernel that has one
    types        those of the parameters
    last         the number of parameters before that of the numbers
    definitions  the value of each variable
    """

    def __init__(
        self, number_of: dict[int, int], types: tuple, last: int, definitions: list[ir.Expression]
    ):
        self.number_of = number_of
        self.types = types
        self.last = last
        self.definitions = definitions

    def written(self, numbers: Numbers) -> KernelIR:
        """The kernel, whose loops poll as they did."""
        for bounded in (True, False):

            def number(part: ir.Part, bounded: bool = bounded) -> ir.Part:
                if isinstance(part, ir.Call) and part.name.startswith(RECURSIVE):
                    return call(part.name, *part.arguments, NUMBERS)
                if not isinstance(part, ir.Param):
                    return part
                if part.number not in self.number_of:
                    return ir.Const(numbers.numbers[part.number])
                variable = _variable(self.number_of[part.number])
                is_short = bounded and numbers.bounds[part.number]
                return call("short", variable) if is_short else ir.Param(part.number, variable.id)

            functions = (transformed(function, number) for function in numbers.code.functions)
            kernel = KernelIR(tuple(map(self.function, functions)))
            if polling(kernel) == numbers.polling:
                break
        return kernel

    def function(self, function: Function) -> Function:
        """A function that takes the numbers it reads from the array `numbers`, a parameter of the
        kernel. The tables of parallel regions hold its address, and recursive calls pass it on.
        """
        parameters, head = list(function.parameters), tuple[ir.Statement, ...]()
        arrays = self.arrays(parameters) if function.name == "kernel" else ()
        taken = self.taken((*function.body, *arrays))
        if function.name == "kernel":
            parameters.insert(self.last, "numbers")
            head = (*taken, *arrays)
        elif function.name.startswith(RECURSIVE):
            parameters.append("numbers")
            head = taken
        body = self.block(function.body, taken)
        return Function(function.name, tuple(parameters), (*head, *body))

    def block(self, block: tuple[ir.Statement, ...], taken: tuple[ir.Statement, ...]) -> tuple:
        """A block, with the address of the numbers in the tables of parallel regions."""
        lines: list[ir.Statement] = []
        for statement in block:
            if not (isinstance(statement, ir.Let) and str(statement.target) == "table"):
                lines.append(_with_blocks(statement, lambda inner: self.block(inner, taken)))
                continue
            size, is_new = _size_of_table(statement.value)
            lines.append(transformed(statement, functools.partial(_one_more, size)))
            if is_new:
                address = NUMBERS.dot("ctypes.data")
                lines.append(ir.Let(Name("table")[size], address))
            else:
                shape = (len(self.definitions),)
                array = call("array_at", Name("table")[size], shape, named("np.int64"))
                lines += [ir.Let(NUMBERS, array), *taken]
        return tuple(lines)

    def taken(self, block: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        """The definitions of the numbers that a function reads, and of those in definitions."""
        used: dict[int, bool] = {}  # whether the definition reads another number
        waiting = [names_in(block)]
        while waiting:
            for k in {int(name[len(NUMBER) :]) for name in waiting.pop() if NUMBER in name}:
                if k not in used:
                    names = names_in([self.definitions[k]])
                    used[k] = any(NUMBER in name for name in names)
                    waiting.append(names)
        order = sorted(used, key=lambda k: (used[k], k))
        return tuple(ir.Let(_variable(k), self.definitions[k]) for k in order)

    def arrays(self, parameters: list[str]) -> tuple[ir.Statement, ...]:
        """The statements that give arrays the sizes that are numbers: LLVM then knows which are
        equal.
        """
        lines: list[ir.Statement] = []
        for name, type_ in zip(parameters, self.types, strict=True):
            shape = type_.shape if isinstance(type_, ArrayType) else ()
            if any(isinstance(size, RunTimeSize) for size in shape):
                sizes = tuple(
                    _variable(size.position) if isinstance(size, RunTimeSize) else size
                    for size in shape
                )
                lines.append(ir.Let(Name(name), call("reshaped", name, sizes)))
        return tuple(lines)


def _with_blocks(statement: Any, change: Callable[[tuple], tuple]) -> ir.Statement:
    if not statement.body:
        return statement
    fields = {name: getattr(statement, name) for name in type(statement).__slots__}
    blocks = {name: change(fields[name]) for name in ("body", "orelse") if name in fields}
    return type(statement)(**fields | blocks)


def _size_of_table(call: Any) -> tuple[int, bool]:
    """The size of the table of a parallel region, and whether the call makes a new one."""
    is_new = call.name == "zeros"
    return (call.arguments[0] if is_new else call.arguments[1].items[0]).value, is_new


def _one_more(size: int, part: ir.Part) -> ir.Part:
    return ir.Const(size + 1) if isinstance(part, ir.Const) and part.value == size else part
