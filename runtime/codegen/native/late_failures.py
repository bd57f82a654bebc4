"""Whether a kernel may fail after it has changed an argument, as its loop IR tells.

The arguments of such a kernel are copied or logged, and get their content back where it fails. The
answer follows from the statements themselves: a function that is not known to succeed may fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...core.array_pool import BufferType, is_large
from .kernel_scope import FAMILIES, NUMBERS
from .loop_ir import For, If, ParallelRegion, Simple, Statement, names_of, names_written, walk

NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
CALL = re.compile(r"(?<![\w.])([a-z_]\w*)\(")
CHECK = re.compile(r"(?:wrapped|checked)_index\([^()\[\]]*\)")
WHOLE = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?!\w|\[)")  # not an element
CHANGED = re.compile(r"(\w+)\[|copy_elements\((\w+)")
ALLOCATION = re.compile(r"(?:new_array|np\.(?:zeros|empty|full))\(+([\d, ]*)")
REGION = re.compile(r"run_region\(regions\[(\d+)\]")
GROWING = re.compile(r"\b(?:ensure_capacity|with_length|copy_rows|first_rows)\(")
SCALAR = re.compile(r"(?:np\.\w+|bool|\w+_index|select|run_region)\(")

READING = {"copy_elements", "first_rows", "len", "reshaped", "size_at", "save_block", "save_blocks"}
SUCCEEDING = READING | {
    "abs", "array_at", "bool", "select", "int", "max", "min", "next_chunk", "one_by_one", "opaque",
    "range", "short", "trip_count",
}  # fmt: skip
FAILING_NUMBERS = {  # of integers
    "floor_divide", "floor_mod", "mean_of", "power", "truncate_divide", "truncate_mod",
}  # fmt: skip


def fails_late(block: list[Statement], regions: list[ParallelRegion], arguments: set[str]) -> bool:
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

    def __init__(self, block: list[Statement], regions: list[ParallelRegion], arguments: set[str]):
        self.regions = [
            [*map(Simple, (*one.captures, *one.preamble)), *one.body] for one in regions
        ]
        self.has_changed = False
        self.passed: set[str] = set()
        self.arrays, count = set(arguments), 0  # the variables that may hold a part of one
        lines = [one.source for part in (block, *self.regions) for one in walk(part)
                 if isinstance(one, Simple) and " = " in one.source]  # fmt: skip
        self.sizes_differ = any(map(GROWING.search, lines))  # so that copies may fail
        while count != len(self.arrays):
            count = len(self.arrays)
            self.arrays.update(*map(self.shared_by, lines))

    def shared_by(self, source: str) -> frozenset[str]:
        """The variables that an assignment gives an array that may be an argument."""
        target, _, value = source.partition(" = ")
        is_scalar = "," not in target and SCALAR.match(value)
        if is_scalar or self.arrays.isdisjoint(NAME.findall(value)):
            return frozenset()
        return names_of(source).written

    def block(self, statements: Iterable[Statement]) -> bool:
        """Whether one of these statements may fail late."""
        return any(map(self.statement, statements))

    def statement(self, statement: Statement) -> bool:
        if isinstance(statement, Simple):
            return self.line(statement.source)
        if isinstance(statement, If):
            return self.choice(statement)
        head = statement.iterable if isinstance(statement, For) else statement.test
        return self.loop([Simple(head), *statement.body], names_written([statement]))

    def loop(self, body: list[Statement], assigned: set[str]) -> bool:
        """Every iteration but the first comes after others."""
        self.forget(assigned)
        before = self.passed
        for _ in range(2):
            self.passed = set(before)
            if self.block(body):
                return True
        self.passed = before
        return False

    def choice(self, choice: If) -> bool:
        if REGION.search(choice.test):  # the kernel fails where the region does
            return self.region(choice.test)
        if self.line(choice.test):
            return True
        changed, passed = self.has_changed, self.passed
        self.passed = set(passed)
        if self.block(choice.body):
            return True
        also_changed, also_passed = self.has_changed, self.passed
        self.has_changed, self.passed = changed, passed
        if self.block(choice.orelse):
            return True
        self.has_changed |= also_changed
        self.passed &= also_passed
        return False

    def region(self, source: str) -> bool:
        found = REGION.search(source)
        assert found is not None
        body = self.regions[int(found.group(1))]
        return self.loop(body, names_written(body))

    def line(self, source: str) -> bool:
        """Whether a statement of one line may fail late, or the head of another."""
        if REGION.search(source):  # its failure is kept in a variable
            self.has_changed |= self.region(source)
            return False
        may_fail = not self.succeeds(source)
        if may_fail and self.has_changed:
            return True
        changed = CHANGED.match(source)
        self.has_changed |= changed is not None and not self.arrays.isdisjoint(changed.groups())
        _, _, value = source.rpartition(" = ")
        is_call = not (READING.issuperset(CALL.findall(value)) or SCALAR.match(value))
        if is_call and not self.arrays.isdisjoint(WHOLE.findall(value)):  # which it may change
            self.has_changed = True
            return may_fail
        self.forget(names_of(source).written if self.passed else ())
        return False

    def succeeds(self, source: str) -> bool:
        checks = set(CHECK.findall(source))
        all_passed = checks <= self.passed
        self.passed |= checks
        allocation = ALLOCATION.search(source)
        if allocation is not None:  # where little memory is missing, Python ends
            sizes = tuple(int(one) for one in allocation.group(1).split(",") if one.strip())
            return sizes != () and not is_large(BufferType("float64", sizes))
        calls = set(CALL.findall(CHECK.sub("", source)))
        if self.sizes_differ and "copy_elements" in calls:
            return False
        return all_passed and all(map(succeeds, calls)) and not source.startswith("raise")

    def forget(self, assigned: Iterable[str]) -> None:
        """What was checked of variables that are assigned is not known any more."""
        changed = set(assigned)
        self.passed = {one for one in self.passed if changed.isdisjoint(NAME.findall(one))}
