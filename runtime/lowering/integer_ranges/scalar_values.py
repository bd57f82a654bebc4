"""What is known about the scalars of a graph: integers as linear forms, truths as facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from ...core.classes import NamedTuple
from ...core.dtypes import DType, float64
from ...ir.constant_values import full_constant
from ...ir.graph import Node, Value
from ...ir.indexing import Scalar
from ...ir.op import TABLE
from .linear_facts import FEW_FORMS, MOST_FORMS, Facts, Linear, integer

LARGEST_FLOAT = 10**300


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
        found = self.forms.get(value)
        if found is None:
            constant = full_constant(value)
            if constant is not None:
                found = integer(int(constant))
            else:
                found = self.facts.new(*limits_of(value.dtype))
            self.forms[value] = found
        return found

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
        if any(self.facts.proves(one * -1 + 1, most) for one in truth.if_true):
            return False
        holds = any(self.facts.proves(one * -1 + 1, most) for one in truth.if_false)
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
        for one, other in (cases, cases[::-1]):
            if self.facts.proves(form.replaced({unknown: one}) * -1 + 1, FEW_FORMS):
                self.assume([form.replaced({unknown: other})])
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

    def visit(self, node: Node) -> None:
        """Learn what a node without sub-graphs computes."""
        self.forget(node.outputs)
        rule = RULES.get(node.op)
        if rule is not None and node.output.shape == ():
            rule(self, node)

    def product(self, one: Linear, other: Linear) -> Linear:
        """The exact product of two integers."""
        if not other.terms:
            return one * other.constant
        if not one.terms:
            return other * one.constant
        key = self.key("multiply", one, other)
        if key not in self.known:
            ends = [self.facts.interval(form) for form in (one, other)]
            corners = [a * b for a in ends[0] for b in ends[1]]
            low, high = min(corners), max(corners)
            is_square = one == other
            if is_square:
                low = max(low, 0)
            above = [*self._multiples(one, other), *self._multiples(other, one)]
            high = min(high, *(self.facts.interval(form)[1] for form in above), high)
            made = self.facts.new(low, high)
            self.facts.remember(self.known, key, made)
            self.assume(made - form for form in above)
            if is_square:
                self.assume([one - made])
            elif ends[0][0] > 0 and ends[1][0] > 0:
                self.assume([one - made, other - made])
        return self.known[key]

    def key(self, name: str, one: Linear, other: Linear) -> tuple:
        """The same for two integers in any order."""
        return (name, one, other) if hash(one) <= hash(other) else (name, other, one)

    def _multiples(self, count: Linear, size: Linear) -> list[Linear]:
        """What `count * size` is at most, where `count < whole // size`: `whole - size`."""
        if count.unknown < 0 or not self.facts.proves(size * -1 + 1):
            return []
        found = []
        for fact in self.facts.forms.get(count.unknown, ()):
            rest = (fact - count - 1) * -1
            whole, divisor = self.quotients.get(rest.unknown, (None, None))
            if divisor == size and whole is not None:
                found.append(whole - size)
        return found


def is_integer(value: Value) -> bool:
    return value.shape == () and value.dtype.is_integer


def limits_of(dtype: DType) -> tuple[int, int]:
    limits = np.iinfo(dtype.numpy_dtype)
    return int(limits.min), int(limits.max)


# ---- operations ------------------------------------------------------------------------------

RULES: dict[object, Callable[[Values, Node], None]] = {}


def _rule(*names: str):
    def register(function):
        RULES.update((TABLE[name], function) for name in names)
        return function

    return register


def _of_integers(function):
    """A rule for integers alone, which takes their linear forms."""

    def rule(values: Values, node: Node) -> None:
        if all(map(is_integer, (*node.inputs, node.output))):
            made = function(values, *map(values.form, node.inputs))
            if made is not None:
                values.bind(node.output, made)

    return rule


def _of_exact_integers(function):
    """A rule for sums and products. Where these overflow, they differ from the exact ones by a
    multiple of a power of 2, and so do sums and products of them.
    """

    def rule(values: Values, node: Node) -> None:
        if all(map(is_integer, (*node.inputs, node.output))):
            forms = (values.exact_form(value, node.output.dtype) for value in node.inputs)
            values.bind(node.output, function(values, *forms))

    return rule


for _name, _function in {
    "add": lambda values, a, b: a + b,
    "subtract": lambda values, a, b: a - b,
    "negative": lambda values, a: a * -1,
    "square": lambda values, a: values.product(a, a),
}.items():
    _rule(_name)(_of_exact_integers(_function))


@_rule("multiply")
def _multiply(values: Values, node: Node) -> None:
    one, other = map(values.as_floats.get, node.inputs)
    if one is not None and other is not None:  # the trace asks whether the product overflows
        made = values.product(one, other)
        if values.is_between(made, -LARGEST_FLOAT, LARGEST_FLOAT):
            values.as_floats[node.output] = made
    else:
        _of_exact_integers(Values.product)(values, node)


def _extreme(name: str):
    """The rule for the maximum, or minimum, of two integers."""
    is_largest = name == "maximum"
    sign, choose = (1, max) if is_largest else (-1, min)

    def rule(values: Values, a: Linear, b: Linear) -> Linear:
        facts = values.facts
        for one, other in ((a, b), (b, a)):
            if facts.proves((one - other) * sign, FEW_FORMS):
                return other
        key = values.key(name, a, b)
        if key not in values.known:
            made = facts.new(*map(choose, facts.interval(a), facts.interval(b)))
            facts.remember(values.known, key, made)
            (facts.largest if is_largest else facts.smallest)[made.unknown] = a, b
            facts.assume((a - made) * sign)
            facts.assume((b - made) * sign)
        return values.known[key]

    return rule


for _name in ("maximum", "minimum"):
    _rule(_name)(_of_integers(_extreme(_name)))


def _quotient(values: Values, a: Linear, b: Linear) -> Linear | None:
    if not values.facts.proves(b * -1 + 1):  # of a divisor that may be negative
        return None
    low, high = values.facts.interval(a)
    least, most = values.facts.interval(b)
    least = max(least, 1)
    most = max(most, least)  # less where the code is never reached
    made = values.facts.new(
        low // least if low < 0 else low // most, high // least if high >= 0 else -1
    )
    values.quotients[made.unknown] = a, b
    if not b.terms:
        values.assume([made * b.constant - a, a - made * b.constant - (b.constant - 1)])
    elif values.facts.proves(a * -1):
        values.assume([made - a])
    return made


_rule("floor_divide")(_of_integers(_quotient))


@_rule("floor_mod")
@_of_integers
def _floor_mod(values: Values, a: Linear, b: Linear) -> Linear | None:
    if not values.facts.proves(b * -1 + 1):
        return None
    is_positive = values.facts.proves(a * -1)
    if is_positive and values.facts.proves(a - b + 1):
        return a
    made = values.facts.new(0, values.facts.interval(b)[1] - 1)
    values.assume([made - b + 1, *([made - a] if is_positive else [])])
    return made


@_rule("abs")
def _abs(values: Values, node: Node) -> None:
    if node.inputs[0] in values.as_floats:
        values.as_floats[node.output] = _magnitude(values, values.as_floats[node.inputs[0]])
    else:
        _of_integers(_magnitude)(values, node)


def _magnitude(values: Values, a: Linear) -> Linear:
    if values.facts.proves(a * -1):
        return a
    made = values.facts.new(0, max(map(abs, values.facts.interval(a))))
    values.assume([a - made, a * -1 - made])
    return made


@_rule("bitwise_and")
@_of_integers
def _bitwise_and(values: Values, a: Linear, b: Linear) -> Linear | None:
    ends = values.facts.interval(a), values.facts.interval(b)
    above = [high for low, high in ends if low >= 0]
    return values.facts.new(0, min(above)) if above else None


@_rule("right_shift", "left_shift")
def _shift(values: Values, node: Node) -> None:
    def shifted(values: Values, a: Linear, b: Linear) -> Linear | None:
        if b.terms or not 0 <= b.constant < 63:
            return None
        power = integer(1 << b.constant)
        if node.op is TABLE["left_shift"]:
            return a * power.constant
        return _quotient(values, a, power)

    _of_integers(shifted)(values, node)


@_rule("cast")
def _cast(values: Values, node: Node) -> None:
    given, made = node.inputs[0], node.output
    if is_integer(made) and is_integer(given):
        values.bind(made, values.form(given))
    elif is_integer(made) and given.dtype.is_bool:
        values.forms[made] = values.facts.new(0, 1)
    elif is_integer(given) and made.dtype is float64:
        values.as_floats[made] = values.form(given)


@_rule("wrapped_index")
def _wrapped_index(values: Values, node: Node) -> None:
    """It fails for an index out of range, so what comes after it may rely on that."""
    if not all(map(is_integer, (*node.inputs, node.output))):
        return
    index, size = map(values.form, node.inputs)
    values.assume([index - size + 1, size * -1 - index])
    if values.facts.proves(index * -1):
        values.bind(node.output, index)
        return
    made = values.facts.new(0, values.facts.interval(size)[1] - 1)
    values.assume([made - size + 1])
    values.forms[node.output] = made


@_rule("strided_slice")
def _item(values: Values, node: Node) -> None:
    """An element of a constant array is between its least and its largest."""
    array = full_constant(node.inputs[0])
    if array is not None and array.size and is_integer(node.output):
        values.forms[node.output] = values.facts.new(int(array.min()), int(array.max()))


# ---- truths ----------------------------------------------------------------------------------


def _comparison(if_true, if_false):
    def rule(values: Values, node: Node) -> None:
        if all(map(is_integer, node.inputs)):
            a, b = map(values.form, node.inputs)
            values.truths[node.output] = Truth(if_true(a, b), if_false(a, b))

    return rule


def _less(a: Linear, b: Linear) -> tuple[Linear, ...]:
    return (a - b + 1,)


def _less_equal(a: Linear, b: Linear) -> tuple[Linear, ...]:
    return (a - b,)


def _equal(a: Linear, b: Linear) -> tuple[Linear, ...]:
    return a - b, b - a


for _name, _pair in {
    "less_equal": (_less_equal, lambda a, b: _less(b, a)),
    "greater": (lambda a, b: _less(b, a), _less_equal),
    "greater_equal": (lambda a, b: _less_equal(b, a), _less),
    "equal": (_equal, lambda a, b: ()),
    "not_equal": (lambda a, b: (), _equal),
}.items():
    _rule(_name)(_comparison(*_pair))


@_rule("less")
def _is_less(values: Values, node: Node) -> None:
    """Of integers, or whether the size of a product of integers, as a float, is below a limit."""
    given, limit = node.inputs
    constant = full_constant(limit)
    if given in values.as_floats and constant is not None and np.isfinite(constant):
        exact, size = values.as_floats[given], float(constant)
        margin = abs(size) * 0.001  # the float is rounded
        is_below = values.facts.proves(exact - (math.ceil(size - margin) - 1))
        values.truths[node.output] = Truth(
            (exact - math.floor(size + margin),), known=True if is_below else None
        )
    else:
        _comparison(_less, lambda a, b: _less_equal(b, a))(values, node)


@_rule("logical_and")
def _logical_and(values: Values, node: Node) -> None:
    a, b = map(values.truth, node.inputs)
    both = {values.decided(value, FEW_FORMS) for value in node.inputs}
    known = False if False in both else None if None in both else True
    values.truths[node.output] = Truth(a.if_true + b.if_true, known=known)


@_rule("logical_or")
def _logical_or(values: Values, node: Node) -> None:
    a, b = map(values.truth, node.inputs)
    both = {values.decided(value, FEW_FORMS) for value in node.inputs}
    known = True if True in both else None if None in both else False
    values.truths[node.output] = Truth((), a.if_false + b.if_false, known)


@_rule("logical_not")
def _logical_not(values: Values, node: Node) -> None:
    (a,) = map(values.truth, node.inputs)
    known = None if a.known is None else not a.known
    values.truths[node.output] = Truth(a.if_false, a.if_true, known)
