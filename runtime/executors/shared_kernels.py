"""Kernels that calls with arrays of several sizes share.

Each shape has a kernel of its own at first. From the third on, kernels that are the same source
with other numbers become one whose numbers are an argument: its machine code is compiled once. The
caller of the kernel passes the numbers of its shape. Numbers that were equal in all shapes so far
are one number, and those that did not change stay constants: a shape that needs more is compiled
for itself, or makes a kernel with more numbers.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

import numpy as np

from ..codegen.native.kernel_scope import scope_of
from ..core import thresholds
from ..core.parsing import parsed
from ..core.tracebacks import is_from_handler
from ..jit.backends import OWN
from ..jit.kernel_types import INT64, ArrayType, RunTimeSize, UntranslatableError
from .source_numbers import Numbers, is_size, numbers_of, polling, replaced

MOST_SHARED = 4  # kernels with run-time numbers that are made of one source
_HEAD = re.compile(r"def (\w+)\((.*)\):$")
_TABLE = re.compile(r"( +)table = (?:np\.zeros\((\d+)|array_at\(address, \((\d+),\)), np\.int64\)$")
_NUMBER = re.compile(r"\bnumber_(\d+)\b")


def shared_code(kernels, source: str, types: tuple, results: tuple, last: int) -> tuple | None:
    """The items of the `Code` that serves a source too; None where it is to have its own.

    `kernels` are those of its function (`SharedKernels` in `machine_code.py`).
    """
    found = general(kernels, source, types, results, last)
    return None if found is None else _compiled(*found)


def general(
    kernels, source: str, types: tuple, results: tuple, last: int
) -> tuple[_General, tuple] | None:
    """The kernel that serves a source too, with the numbers of the source; None where it is to
    have a kernel of its own. The array of numbers comes behind the `last` parameters.
    """
    stacks = (isinstance(one, ArrayType) and None in one.shape for one in (*types, *results))
    if any(stacks) or not source.isascii():
        return None
    numbers = numbers_of(source)
    sizes, shapes = _sizes(types), _sizes(results)
    vector = (*(one.number for one in numbers.positions), *sizes, *shapes)
    classes = tuple(map(type, vector))
    key = (*numbers[::2], classes, _pattern(types), _pattern(results), last)
    with kernels.lock:
        alike = kernels.alike.setdefault(key, _Alike())
        made = functools.partial(_General, source, numbers, types, results, last)
        return alike.general(made, vector, kernels.traces + 1)


class _Alike:
    """The kernels that differ in numbers only."""

    def __init__(self) -> None:
        self.own: dict[tuple, int] = {}  # the numbers of those compiled for themselves: the traces
        self.shared: list[_General] = []

    def general(
        self, make: Callable[[list], _General], vector: tuple, trace: int
    ) -> tuple[_General, tuple] | None:
        if vector in self.own or any(one.fails for one in self.shared):
            return None
        for one in self.shared:
            if one.serves(vector):
                return one, vector
        is_first = trace < thresholds.SHARED_FROM or all(
            made == trace for made in self.own.values()
        )
        if is_first or len(self.shared) >= MOST_SHARED:
            self.own[vector] = trace
            return None
        known = [*self.own, *(example for one in self.shared for example in one.examples), vector]
        made = make(known)
        self.shared.append(made)
        return made, vector


class _General:
    """A kernel whose numbers are an argument, where they differ in the `examples`."""

    def __init__(
        self,
        source: str,
        numbers: Numbers,
        types: tuple,
        results: tuple,
        last: int,
        examples: list[tuple],
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
        first = len(numbers.positions)
        size_of = {at: RunTimeSize(last, k) for at, k in number_of.items()}
        self.results = _with_sizes(results, size_of, first + len(_sizes(types)))
        types = _with_sizes(types, size_of, first)
        self.types = (*types[:last], ArrayType(INT64, (len(self.groups),)), *types[last:])
        self.source = _Writer(number_of, types, last, self._definitions()).written(source, numbers)

    def serves(self, vector: tuple) -> bool:
        """Whether it computes with these numbers too."""
        given = [vector[group[0]] for group in self.groups]
        return (
            all(vector[at] == value for at, value in self.fixed.items())
            and all(vector[at] == given[k] for k, group in enumerate(self.groups) for at in group)
            and all(given[k] == given[base] - n for k, (base, n) in self.below.items())
        )

    def arguments(self, vector: tuple) -> np.ndarray:
        """The numbers as the kernel takes them: floats by their bits."""
        numbers = np.empty(len(self.groups), np.int64)
        for k, group in enumerate(self.groups):
            number = vector[group[0]]
            (numbers.view(np.float64) if type(number) is float else numbers)[k] = number
        return numbers

    def _definitions(self) -> list[str]:
        """The source of each number: LLVM is to know by how much one is below another."""
        made = []
        for k, group in enumerate(self.groups):
            if k in self.below:
                made.append("number_{} - {}".format(*self.below[k]))
            elif type(self.examples[0][group[0]]) is float:
                made.append(f"numbers.view(np.float64)[{k}]")
            else:
                made.append(f"size_at(numbers, {k})")
        return made


def _distances(numbers: list[tuple]) -> dict[int, tuple[int, int]]:
    """Numbers at a constant offset below another in every example: {number: (base, offset)}."""
    alike: dict[tuple, list[int]] = {}
    for k, values in enumerate(numbers):
        if type(values[0]) is int:
            alike.setdefault(tuple(one - values[0] for one in values), []).append(k)
    found: dict[int, tuple[int, int]] = {}
    for group in alike.values():
        base = max(group, key=lambda k: numbers[k][0])
        found |= {k: (base, numbers[base][0] - numbers[k][0]) for k in group if k != base}
    return found


def _compiled(general: _General, vector: tuple) -> tuple | None:
    source, types, results = general.source, general.types, general.results
    try:
        code = OWN.compiled(source, types, results, functools.partial(scope_of, source))
    except (UntranslatableError, TypeError, AssertionError) as error:
        if is_from_handler(error):
            raise
        general.fails = True
        return None
    return code, source, types, results, general.arguments(vector)


# ---- types -------------------------------------------------------------------------------------


def _pattern(types: tuple) -> tuple:
    """Types without the sizes that may differ."""
    return tuple(
        one._replace(shape=tuple(None if is_size(size) else size for size in one.shape))
        if isinstance(one, ArrayType)
        else one
        for one in types
    )


def _sizes(types: tuple) -> list[int]:
    """The sizes that may differ."""
    arrays = (one for one in types if isinstance(one, ArrayType))
    return [size for one in arrays for size in one.shape if is_size(size)]


def _with_sizes(types: tuple, size_of: dict[int, RunTimeSize], first: int) -> tuple:
    """Types with the sizes that are numbers of the kernel; the first size is at `first`."""
    made, at = [], first
    for one in types:
        if not isinstance(one, ArrayType):
            made.append(one)
            continue
        shape: list = []
        for size in one.shape:
            shape.append(size_of.get(at, size) if is_size(size) else size)
            at += is_size(size)
        made.append(one._replace(shape=tuple(shape)))
    return tuple(made)


# ---- source ------------------------------------------------------------------------------------


class _Writer:
    """Writes a source with variables for numbers.

    number_of    the variable of each number of the source that has one
    types        those of the parameters
    last         the number of parameters before that of the numbers
    definitions  the source of each variable
    """

    def __init__(self, number_of: dict[int, int], types: tuple, last: int, definitions: list[str]):
        self.number_of = number_of
        self.types = types
        self.last = last
        self.definitions = definitions

    def written(self, source: str, numbers: Numbers) -> str:
        """The source, whose loops poll as they did."""
        for bounded in (True, False):
            words = {}
            for at, one in enumerate(numbers.positions):
                if at in self.number_of:
                    name = f"number_{self.number_of[at]}"
                    is_short = bounded and one.bounds_loop
                    words[one.line, one.start] = f"short({name})" if is_short else name
            made = replaced(source, words, numbers.positions)
            functions = re.split(r"^(?=def )", made, flags=re.MULTILINE)[1:]
            made = "".join(map(self.function, functions))
            if polling(parsed(made)) == numbers.polling:
                break
        return made

    def function(self, source: str) -> str:
        """A function that takes the numbers it reads from the array `numbers`, a parameter of the
        kernel. The tables of parallel regions hold its address.
        """
        lines = source.splitlines()
        head = _HEAD.match(lines[0])
        assert head is not None
        is_kernel = head[1] == "kernel"
        parameters = head[2].split(", ") if head[2] else []
        arrays = self.arrays(parameters) if is_kernel else []
        taken = self.taken("\n".join([*lines, *arrays]))
        made = [lines[0]]
        if is_kernel:
            parameters.insert(self.last, "numbers")
            made = [f"def kernel({', '.join(parameters)}):", *taken, *arrays]
        for line in lines[1:]:
            table = _TABLE.match(line)
            if table is None:
                made.append(line)
                continue
            size = int(table[2] or table[3])
            made.append(line.replace(str(size), str(size + 1), 1))
            if table[2]:
                made.append(f"{table[1]}table[{size}] = numbers.ctypes.data")
            else:
                shape = f"({len(self.definitions)},)"
                made += [f"    numbers = array_at(table[{size}], {shape}, np.int64)", *taken]
        return "\n".join(made) + "\n"

    def taken(self, source: str) -> list[str]:
        """The definitions of the numbers that a function reads, and of those in definitions."""
        used: dict[int, str] = {}
        waiting = [source]
        while waiting:
            for k in {int(found[1]) for found in _NUMBER.finditer(waiting.pop())} - used.keys():
                used[k] = self.definitions[k]
                waiting.append(used[k])
        order = sorted(used, key=lambda k: (bool(_NUMBER.search(used[k])), k))
        return [f"    number_{k} = {used[k]}" for k in order]

    def arrays(self, parameters: list[str]) -> list[str]:
        """The statements that give arrays the sizes that are numbers: LLVM then knows which are
        equal.
        """
        made = []
        for name, type_ in zip(parameters, self.types, strict=True):
            shape = type_.shape if isinstance(type_, ArrayType) else ()
            if any(isinstance(size, RunTimeSize) for size in shape):
                sizes = "".join(
                    f"number_{size.position}, " if isinstance(size, RunTimeSize) else f"{size}, "
                    for size in shape
                )
                made.append(f"    {name} = reshaped({name}, ({sizes}))")
        return made
