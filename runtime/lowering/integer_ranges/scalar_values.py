"""What is known about the scalars of a graph: integers as linear forms, truths as facts."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np

from ...core.classes import NamedTuple
from ...core.dtypes import DType
from ...ir.constant_values import full_constant
from ...ir.graph import Value
from ...ir.indexing import Scalar
from .linear_facts import FEW_FORMS, MOST_FORMS, Facts, Linear, integer


class Truth(NamedTuple):
    """Linear forms that are at most 0 where a truth holds, and where it does not; there may be more
    to it. `known` is what it is, where that is known.
    """

    if_true: tuple[Linear, ...] = ()
    if_false: tuple[Linear, ...] = ()
    known: bool | None = None


class Values:
    """The integers and truths of a program, as far as it has been walked.

    An integer is a linear form if no operation overflows that it is made of; else it is an unknown.
    """

    def __init__(self, budget: int) -> None:
        self.facts = Facts(budget)
        self.forms: dict[Value, Linear] = {}
        self.exact: dict[Value, Linear] = {}  # what integers are unless their types overflow
        self.truths: dict[Value, Truth] = {}
        self.as_floats: dict[Value, Linear] = {}  # floats that integers become
        self.known: dict[tuple, Linear] = {}  # products, maxima and minima of two integers
        self.quotients: dict[int, tuple[Linear, Linear]] = {}  # unknowns: dividend and divisor

    def form(self, value: Value) -> Linear:
        """An integer as a linear form."""
        exact = self.exact.get(value)
        if exact is not None and self.fits(exact, value.dtype):
            return exact
        linear = self.forms.get(value)
        if linear is None:
            constant = full_constant(value)
            if constant is not None:
                linear = integer(int(constant))
            else:
                linear = self.facts.new(*limits_of(value.dtype))
            self.forms[value] = linear
        return linear

    def exact_form(self, value: Value, dtype: DType) -> Linear:
        """The form of an integer, as if its type, which is this one, did not overflow."""
        is_known = value.dtype is dtype and value in self.exact
        return self.exact[value] if is_known else self.form(value)

    def form_of(self, scalar: Scalar) -> Linear:
        return self.form(scalar) if isinstance(scalar, Value) else integer(scalar)

    def truth(self, value: Value) -> Truth:
        constant = full_constant(value)
        if constant is not None:
            return Truth(known=bool(constant))
        return self.truths.get(value, Truth())

    def decided(self, value: Value, most: int = MOST_FORMS) -> bool | None:
        """The truth of a condition where it follows from what is known."""
        truth = self.truth(value)
        if truth.known is not None:
            return truth.known
        if any(self.facts.proves(form * -1 + 1, most) for form in truth.if_true):
            return False
        holds = any(self.facts.proves(form * -1 + 1, most) for form in truth.if_false)
        return True if holds else None

    def assume(self, forms: Iterable[Linear]) -> None:
        """All of these forms are at most 0."""
        for form in forms:
            self.facts.assume(form)
            for unknown, factor in form.terms.items():
                if factor == -1 and unknown in self.facts.largest:
                    self._assume_larger(form, unknown)

    def _assume_larger(self, form: Linear, unknown: int) -> None:
        """`x + c <= max(a, b)`, where it does not hold of one of the two, holds of the other."""
        cases = self.facts.largest[unknown]
        for first, second in (cases, cases[::-1]):
            if self.facts.proves(form.replaced({unknown: first}) * -1 + 1, FEW_FORMS):
                self.assume([form.replaced({unknown: second})])
                return

    def bind(self, value: Value, form: Linear) -> None:
        """A value is this integer, if its type holds that."""
        if self.fits(form, value.dtype):
            self.forms[value] = form
        else:
            self.exact[value] = form  # an assertion may exclude that it overflows

    def fits(self, form: Linear, dtype: DType) -> bool:
        low, high = limits_of(dtype)
        return self.is_between(form, low, high)

    def is_between(self, form: Linear, low: int, high: int) -> bool:
        least, most = self.facts.interval(form)
        return (least >= low or self.facts.proves(form * -1 + low)) and (
            most <= high or self.facts.proves(form - high)
        )

    def forget(self, values: Iterable[Value]) -> None:
        """These are computed anew."""
        for value in values:
            for known in (self.forms, self.exact, self.truths, self.as_floats):
                known.pop(value, None)

    def same(self, value: Value, other: Value) -> None:
        """A value of a sub-graph is that operand."""
        self.forget([value])
        if is_integer(value):
            self.forms[value] = self.form(other)
        elif value.shape == () and value.dtype.is_bool:
            self.truths[value] = self.truth(other)
        elif other in self.as_floats:
            self.as_floats[value] = self.as_floats[other]

    def product(self, first: Linear, second: Linear) -> Linear:
        """The exact product of two integers."""
        if not second.terms:
            return first * second.constant
        if not first.terms:
            return second * first.constant
        key = self.key("multiply", first, second)
        if key not in self.known:
            ends = [self.facts.interval(form) for form in (first, second)]
            corners = [a * b for a in ends[0] for b in ends[1]]
            low, high = min(corners), max(corners)
            is_square = first == second
            if is_square:
                low = max(low, 0)
            above = [*self._multiples(first, second), *self._multiples(second, first)]
            high = min(high, *(self.facts.interval(form)[1] for form in above), high)
            product = self.facts.new(low, high)
            self.facts.remember(self.known, key, product)
            self.assume(product - form for form in above)
            if is_square:
                self.assume([first - product])
            elif ends[0][0] > 0 and ends[1][0] > 0:
                self.assume([first - product, second - product])
        return self.known[key]

    def key(self, name: str, first: Linear, second: Linear) -> tuple:
        """The same for two integers in any order."""
        return (name, first, second) if hash(first) <= hash(second) else (name, second, first)

    def _multiples(self, count: Linear, size: Linear) -> list[Linear]:
        """What `count * size` is at most, where `count < whole // size`: `whole - size`."""
        if count.unknown < 0 or not self.facts.proves(size * -1 + 1):
            return []
        forms = []
        for fact in self.facts.about(count.unknown):
            rest = (fact - count - 1) * -1
            whole, divisor = self.quotients.get(rest.unknown, (None, None))
            if divisor == size and whole is not None:
                forms.append(whole - size)
        return forms


def is_integer(value: Value) -> bool:
    return value.shape == () and value.dtype.is_integer


@functools.cache
def limits_of(dtype: DType) -> tuple[int, int]:
    limits = np.iinfo(dtype.numpy_dtype)
    return int(limits.min), int(limits.max)
