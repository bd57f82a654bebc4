"""Whether a kernel may fail after it has changed an argument, as its statements tell.

The arguments of such a kernel are copied or logged, and get their content back where it fails. The
answer follows from the statements themselves: a function that is not known to succeed may fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.array_pool import BufferType, is_large
from ...jit.routines import FAMILIES, NUMBERS
from ...kernel_ir import nodes as ir
from ...kernel_ir.kernels import names_in, names_whole, names_written, statements_in, written_by
from ...kernel_ir.nodes import walk
from .kernel_builder import ParallelRegion

CHECKS = {"wrapped_index", "checked_index"}
ALLOCATING = {"new_array", "zeros", "empty", "full"}
GROWING = {"ensure_capacity", "with_length", "copy_rows", "first_rows"}

READING = {"copy_elements", "first_rows", "len", "reshaped", "size_at", "save_block", "save_blocks"}
SUCCEEDING = READING | {
    "abs", "array_at", "bool", "select", "int", "max", "min", "next_chunk", "one_by_one", "opaque",
    "range", "short", "trip_count",
}  # fmt: skip
FAILING_NUMBERS = {  # of integers
    "floor_divide", "floor_mod", "mean_of", "power", "truncate_divide", "truncate_mod",
}  # fmt: skip


def fails_late(
    block: tuple[ir.Statement, ...], regions: list[ParallelRegion], arguments: set[str]
) -> bool:
    """Whether a statement may fail after one that may have changed one of these arguments."""
    return _Walk(block, regions, arguments).block(block)


def succeeds(function: str) -> bool:
    """Whether a function that kernels call has a result for all operands."""
    family, (name, _, number) = function.partition("_")[0], function.rpartition("_")
    if family in FAMILIES:
        return family in ("sorted", "vector")
    if number in NUMBERS:
        return number[0] != "i" or name not in FAILING_NUMBERS
    return function in SUCCEEDING


class _Walk:
    """One walk over the statements in the order in which they run: whether an argument may have
    changed so far, and the checks of indices that have passed, which pass again.
    """

    def __init__(
        self, block: tuple[ir.Statement, ...], regions: list[ParallelRegion], arguments: set[str]
    ):
        self.regions = [region.statements() for region in regions]
        self.has_changed = False
        self.calls_of: dict[ir.Part, list[ir.Call]] = {}
        self.passed: dict[str, set[str]] = {}  # the names in each check
        self.arrays, count = set(arguments), 0  # the variables that may hold a part of one
        lets = [statement for part in (block, *self.regions) for statement in statements_in(part)
                if isinstance(statement, ir.Let)]  # fmt: skip
        called = {call.name for call in walk(lets) if isinstance(call, ir.Call)}
        self.sizes_differ = not GROWING.isdisjoint(called)  # so that copies may fail
        while count != len(self.arrays):
            count = len(self.arrays)
            self.arrays.update(*map(self.shared_by, lets))

    def shared_by(self, let: ir.Let) -> set[str]:
        """The variables that an assignment gives an array that may be an argument."""
        is_scalar = not isinstance(let.target, ir.Tuple) and _is_scalar(let.value)
        if is_scalar or self.arrays.isdisjoint(names_in([let.value])):
            return set()
        return written_by(let)

    def block(self, statements: Iterable[ir.Part]) -> bool:
        """Whether one of these statements may fail late."""
        return any(map(self.statement, statements))

    def statement(self, statement: Any) -> bool:
        if isinstance(statement, ir.If):
            return self.choice(statement)
        if not getattr(statement, "body", ()):
            return self.line(statement)
        head = statement.iterable if isinstance(statement, ir.For) else statement.test
        return self.loop((head, *statement.body), names_written([statement]))

    def loop(self, body: Iterable[ir.Part], assigned: set[str]) -> bool:
        """Every iteration but the first comes after others, which may have changed an argument."""
        self.forget(assigned)
        before, had_changed = self.passed, None
        while had_changed != self.has_changed:
            self.passed, had_changed = dict(before), self.has_changed
            if self.block(body):
                return True
        self.passed = before
        return False

    def choice(self, choice: ir.If) -> bool:
        if (region := self.region_in(choice.test)) is not None:
            return self.region(region)  # the kernel fails where the region does
        if self.line(choice.test):
            return True
        changed, passed = self.has_changed, self.passed
        self.passed = dict(passed)
        if self.block(choice.body):
            return True
        also_changed, also_passed = self.has_changed, self.passed
        self.has_changed, self.passed = changed, passed
        if self.block(choice.orelse):
            return True
        self.has_changed |= also_changed
        self.passed = {key: self.passed[key] for key in self.passed.keys() & also_passed.keys()}
        return False

    def calls(self, part: ir.Part) -> list[ir.Call]:
        """The calls in a line."""
        if part not in self.calls_of:
            self.calls_of[part] = [call for call in walk([part]) if isinstance(call, ir.Call)]
        return self.calls_of[part]

    def region_in(self, part: ir.Part) -> tuple[ir.Statement, ...] | None:
        """The parallel region that a line runs."""
        for call in self.calls(part):
            if call.name == "run_region":
                assert isinstance(call.arguments[0], ir.Load)
                (number,) = call.arguments[0].indices  # of `regions[number]`
                return self.regions[int(str(number))]
        return None

    def region(self, body: tuple[ir.Statement, ...]) -> bool:
        return self.loop(body, names_written(body))

    def line(self, part: ir.Part) -> bool:
        """Whether a statement of one line may fail late, or an expression."""
        if (region := self.region_in(part)) is not None:  # its failure is kept in a variable
            self.has_changed |= self.region(region)
            return False
        may_fail = not self.succeeds(part)
        if may_fail and self.has_changed:
            return True
        self.has_changed |= not self.arrays.isdisjoint(_stored_into(part))
        values = part.reads() if isinstance(part, ir.Statement) else [part]
        is_call = bool(self.calls(part)) and not all(map(_is_scalar, values))
        is_call = is_call and not _called(values) <= READING
        if is_call and not self.arrays.isdisjoint(names_whole(values)):  # which it may change
            self.has_changed = True
            return may_fail
        if self.passed and isinstance(part, ir.Statement):
            self.forget(written_by(part))
        return False

    def succeeds(self, part: ir.Part) -> bool:
        if isinstance(part, ir.Leave) and part.word == "raise":
            return False
        calls = self.calls(part)
        checks = {str(call): names_in(call.arguments) for call in calls if _is_check(call)}
        all_passed = checks.keys() <= self.passed.keys()
        self.passed |= checks
        for call in calls:
            if call.name in ALLOCATING:  # where little memory is missing, Python ends
                return _is_small(call.arguments[0])
        called = {each.function.id for each in calls
                  if isinstance(each.function, ir.Name) and not _is_check(each)}  # fmt: skip
        if self.sizes_differ and "copy_elements" in called:
            return False
        return all_passed and all(map(succeeds, called))

    def forget(self, assigned: set[str]) -> None:
        """What was checked of variables that are assigned is not known any more."""
        self.passed = {
            key: names for key, names in self.passed.items() if assigned.isdisjoint(names)
        }


def _is_check(call: ir.Call) -> bool:
    """Whether this checks an index, from variables alone."""
    inside = walk(call.arguments)
    return call.name in CHECKS and not any(isinstance(each, (ir.Call, ir.Load)) for each in inside)


def _is_small(shape: ir.Expression) -> bool:
    sizes = shape.items if isinstance(shape, ir.Tuple) else (shape,)
    numbers = tuple(size.value for size in sizes if isinstance(size, ir.Const))
    return len(numbers) == len(sizes) and not is_large(BufferType("float64", numbers))


def _is_scalar(value: ir.Part) -> bool:
    """Whether a call gives no array that is there already."""
    if not isinstance(value, ir.Call):
        return False
    is_numpy = not isinstance(value.function, ir.Name) and names_in([value.function]) == {"np"}
    return is_numpy or value.name in (*CHECKS, "bool", "select", "run_region")


def _called(parts: list[ir.Part]) -> set[str]:
    """The names of the functions that are called, those of modules and arrays left out."""
    calls = (call.function for call in walk(parts) if isinstance(call, ir.Call))
    return {function.id for function in calls if isinstance(function, ir.Name)}


def _stored_into(part: ir.Part) -> set[str]:
    """The names of what a statement stores elements into."""
    if not isinstance(part, ir.Statement):
        return set()
    value = getattr(part, "value", None)
    if isinstance(value, ir.Call) and value.name == "copy_elements":
        return names_in([value.arguments[0]])
    return names_in([target.array for target in part.targets() if isinstance(target, ir.Load)])
