"""Transfer functions: what an operation makes of what is known of its operands."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial

import numpy as np

from ...core.dtypes import float64
from ...ir.constant_values import full_constant
from ...ir.graph import Node
from ...ir.op import TABLE
from .linear_facts import FEW_FORMS, Linear, integer
from .scalar_values import Truth, Values, is_integer

LARGEST_FLOAT = 10**300  # of products of integers that are computed as floats
RULES: dict[object, Callable[[Values, Node], None]] = {}


def visit(values: Values, node: Node) -> None:
    """Learn what a node without sub-graphs computes."""
    values.forget(node.outputs)
    rule = RULES.get(node.op)
    if rule is not None and node.output.shape == ():
        rule(values, node)


def _rule(*names: str):
    def register(function):
        RULES.update((TABLE[name], function) for name in names)
        return function

    return register


def _of_integers(function, is_exact: bool = False):
    """A rule for integers alone, which takes their linear forms: exact ones for sums and products,
    which differ by a multiple of a power of 2 where they overflow, as do sums and products of them.
    """

    def rule(values: Values, node: Node) -> None:
        if all(map(is_integer, (*node.inputs, node.output))):
            exact_form = partial(values.exact_form, dtype=node.output.dtype)
            form_of = exact_form if is_exact else values.form
            result = function(values, *map(form_of, node.inputs))
            if result is not None:
                values.bind(node.output, result)

    return rule


for _name, _function in {
    "add": lambda values, a, b: a + b,
    "subtract": lambda values, a, b: a - b,
    "negative": lambda values, a: a * -1,
    "square": lambda values, a: values.product(a, a),
}.items():
    _rule(_name)(_of_integers(_function, is_exact=True))


@_rule("multiply")
def _multiply(values: Values, node: Node) -> None:
    first, second = map(values.as_floats.get, node.inputs)
    if first is not None and second is not None:  # the trace asks whether the product overflows
        product = values.product(first, second)
        if values.is_between(product, -LARGEST_FLOAT, LARGEST_FLOAT):
            values.as_floats[node.output] = product
    else:
        _of_integers(Values.product, is_exact=True)(values, node)


def _extreme(name: str, values: Values, a: Linear, b: Linear) -> Linear:
    """The maximum, or minimum, of two integers."""
    is_largest, facts = name == "maximum", values.facts
    sign, choose = (1, max) if is_largest else (-1, min)
    for first, second in ((a, b), (b, a)):
        if facts.proves((first - second) * sign, FEW_FORMS):
            return second
    key = values.key(name, a, b)
    if key not in values.known:
        extreme = facts.new(*map(choose, facts.interval(a), facts.interval(b)))
        facts.remember(values.known, key, extreme)
        (facts.largest if is_largest else facts.smallest)[extreme.unknown] = a, b
        facts.assume((a - extreme) * sign)
        facts.assume((b - extreme) * sign)
    return values.known[key]


for _name in ("maximum", "minimum"):
    _rule(_name)(_of_integers(partial(_extreme, _name)))


def _quotient(values: Values, a: Linear, b: Linear) -> Linear | None:
    if not values.facts.proves(b * -1 + 1):  # of a divisor that may be negative
        return None
    low, high = values.facts.interval(a)
    least, most = values.facts.interval(b)
    least = max(least, 1)
    most = max(most, least)  # less where the code is never reached
    quotient = values.facts.new(
        low // least if low < 0 else low // most, high // least if high >= 0 else -1
    )
    values.quotients[quotient.unknown] = a, b
    if not b.terms:
        values.assume([quotient * b.constant - a, a - quotient * b.constant - (b.constant - 1)])
    elif values.facts.proves(a * -1):
        values.assume([quotient - a])
    return quotient


_rule("floor_divide")(_of_integers(_quotient))


@_rule("floor_mod")
@_of_integers
def _floor_mod(values: Values, a: Linear, b: Linear) -> Linear | None:
    if not values.facts.proves(b * -1 + 1):
        return None
    is_positive = values.facts.proves(a * -1)
    if is_positive and values.facts.proves(a - b + 1):
        return a
    remainder = values.facts.new(0, values.facts.interval(b)[1] - 1)
    values.assume([remainder - b + 1, *([remainder - a] if is_positive else [])])
    return remainder


@_rule("abs")
def _abs(values: Values, node: Node) -> None:
    if node.inputs[0] in values.as_floats:
        values.as_floats[node.output] = _magnitude(values, values.as_floats[node.inputs[0]])
    else:
        _of_integers(_magnitude)(values, node)


def _magnitude(values: Values, a: Linear) -> Linear:
    if values.facts.proves(a * -1):
        return a
    magnitude = values.facts.new(0, max(map(abs, values.facts.interval(a))))
    values.assume([a - magnitude, a * -1 - magnitude])
    return magnitude


@_rule("bitwise_and")
@_of_integers
def _bitwise_and(values: Values, a: Linear, b: Linear) -> Linear | None:
    ends = values.facts.interval(a), values.facts.interval(b)
    above = [high for low, high in ends if low >= 0]
    return values.facts.new(0, min(above)) if above else None


@_rule("right_shift", "left_shift")
def _shift(values: Values, node: Node) -> None:
    def shifted(values: Values, a: Linear, b: Linear) -> Linear | None:
        is_left, (low, high) = node.op is TABLE["left_shift"], values.facts.interval(b)
        if not 0 <= low <= high < (63 if is_left else 64):
            return None
        if b.terms:
            shift = operator.lshift if is_left else operator.rshift
            ends = list(map(shift, values.facts.interval(a) * 2, (low, low, high, high)))
            return values.facts.new(min(ends), max(ends))
        power = 1 << b.constant
        return a * power if is_left else _quotient(values, a, integer(power))

    _of_integers(shifted)(values, node)


@_rule("cast")
def _cast(values: Values, node: Node) -> None:
    operand, result = node.inputs[0], node.output
    if is_integer(result) and is_integer(operand):
        values.bind(result, values.form(operand))
    elif is_integer(result) and operand.dtype.is_bool:
        values.forms[result] = values.facts.new(0, 1)
    elif is_integer(operand) and result.dtype is float64:
        values.as_floats[result] = values.form(operand)


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
    wrapped = values.facts.new(0, values.facts.interval(size)[1] - 1)
    values.assume([wrapped - size + 1])
    values.forms[node.output] = wrapped


@_rule("strided_slice")
def _item(values: Values, node: Node) -> None:
    """An element of a constant array is between its least and its largest."""
    array = full_constant(node.inputs[0])
    if array is not None and array.size and is_integer(node.output):
        values.forms[node.output] = values.facts.new(int(array.min()), int(array.max()))


# ---- truths ----------------------------------------------------------------------------------


def _comparison(if_true, if_false, values: Values, node: Node) -> None:
    if all(map(is_integer, node.inputs)):
        a, b = map(values.form, node.inputs)
        values.truths[node.output] = Truth(if_true(a, b), if_false(a, b))


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
    _rule(_name)(partial(_comparison, *_pair))


@_rule("less")
def _is_less(values: Values, node: Node) -> None:
    """Of integers, or whether the size of a product of integers, as a float, is below a limit."""
    operand, limit = node.inputs
    constant = full_constant(limit)
    if operand in values.as_floats and constant is not None and np.isfinite(constant):
        exact, size = values.as_floats[operand], float(constant)
        margin = abs(size) * 0.001  # the float is rounded
        is_below = values.facts.proves(exact - (math.ceil(size - margin) - 1))
        values.truths[node.output] = Truth(
            (exact - math.floor(size + margin),), known=True if is_below else None
        )
    else:
        _comparison(_less, lambda a, b: _less_equal(b, a), values, node)


@_rule("logical_and", "logical_or")
def _connective(values: Values, node: Node) -> None:
    """One operand decides where it is True of an `or`, or False of an `and`."""
    deciding, (a, b) = node.op is TABLE["logical_or"], map(values.truth, node.inputs)
    both = {values.decided(value, FEW_FORMS) for value in node.inputs}
    known = deciding if deciding in both else None if None in both else not deciding
    if_true, if_false = ((), a.if_false + b.if_false) if deciding else (a.if_true + b.if_true, ())
    values.truths[node.output] = Truth(if_true, if_false, known)


@_rule("logical_not")
def _logical_not(values: Values, node: Node) -> None:
    (a,) = map(values.truth, node.inputs)
    known = None if a.known is None else not a.known
    values.truths[node.output] = Truth(a.if_false, a.if_true, known)
