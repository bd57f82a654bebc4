"""Comparisons of tuples and of lists whose items may be staged: by the first items that differ."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from .operators.logical import not_


class SequenceOrder(NamedTuple):
    """How sequences compare, in terms of functions of their items that a mode gives. Where no item
    is staged, these give what Python gives.

    equal(left, right)           whether items are equal, at most one of which is a sequence
    order(compare, left, right)  `compare(left, right)` of items, for `operator.lt` and the like
    chosen(test, then, orelse)   `then if test else orelse`, of truths, for a staged `test`
    """

    equal: Callable
    order: Callable
    chosen: Callable

    def compared(self, compare: Callable, left, right) -> Any:
        """`compare(left, right)`, of two items or two sequences."""
        if compare in (operator.eq, operator.ne):
            same = self.same(left, right)
            return same if compare is operator.eq else not_(same)
        if not _are_sequences(left, right):
            return self.order(compare, left, right)
        rows = []
        result: Any = compare(len(left), len(right))
        for first, second in zip(left, right, strict=False):
            same = self.same(first, second)
            if same is not True:
                rows.append((same, self.compared(compare, first, second)))
            if same is False:
                break
        for same, inner in reversed(rows):
            result = inner if same is False else self.chosen(same, result, inner)
        return result

    def same(self, left, right) -> Any:
        """`left == right`, where an object is equal to itself, as in containers."""
        if left is right:
            return True
        if not _are_sequences(left, right):
            are_both = isinstance(left, (tuple, list)) and isinstance(right, (tuple, list))
            return False if are_both else self.equal(left, right)  # a list is no tuple
        are_as_long = len(left) == len(right)
        if not are_as_long and isinstance(left, list):  # of tuples, Python compares the first items
            return False
        result = True
        for test in map(self.same, left, right):
            if test is False:
                return False
            result = test if result is True else result if test is True else result & test
        return are_as_long and result


def _are_sequences(left, right) -> bool:
    return any(isinstance(left, cls) and isinstance(right, cls) for cls in (tuple, list))
