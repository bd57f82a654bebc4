"""Translates expressions of kernels. Constants are evaluated in Python."""

from __future__ import annotations

import math
import operator
import types

import numpy as np

from ..core.numpy_dtypes import is_floating, is_unsigned
from ..kernel_ir.nodes import Expression, Load, Logical, Name, Slice, Starred
from . import values
from .function_writer import CONSTANTS, LITERALS, Writer
from .kernel_types import BOOL, INT64, Static, UntranslatableError, VectorType, common_type, join
from .llvm_values import Number, where
from .loop_hints import intrinsic
from .supported_functions import METHODS, SUPPORTED, address_of, least
from .values import Array, type_of

OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
    "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
SIGNS = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
KEEP_BOOLS = ("&", "|", "^", "<", "<=", ">", ">=", "==", "!=")


class ExpressionWriter(Writer):
    """The values of expressions."""

    counters: set[str] = set()  # the variables that are never negative

    def value(self, node: Expression):
        write = getattr(self, f"value_{type(node).__name__.lower()}", None)
        if write is None:
            raise UntranslatableError(f"kernels have no {node}")
        return write(node)

    def value_const(self, node):
        return node.value

    def value_tuple(self, node):
        return tuple(map(self.value, node.items))

    def value_name(self, node):
        type_ = self.types.variables.get(node.id)
        if isinstance(type_, Static):
            return type_.value
        if type_ is not None:
            return self.variable(node.id)
        return self.module.free_name(node.id, self.scope)

    def value_param(self, node):
        return Number(self.builder, self.variable(node.id).value, adopts=True)

    def value_attribute(self, node):
        owner, name = self.value(node.value), node.attr
        if not isinstance(owner, Array):
            return getattr(owner, name)
        if name in METHODS:
            method = METHODS[name]
            return intrinsic(lambda writer, *operands: method(writer, owner, *operands))
        if name == "shape":
            return owner.sizes
        if name == "size":
            return math.prod(owner.sizes)
        if name == "ctypes":
            return types.SimpleNamespace(data=address_of(self, owner))
        if name == "dtype":
            return owner.dtype
        if name == "T":
            strides = values.strides_of(owner)
            return Array(owner.dtype, owner.data, owner.sizes[::-1], strides[::-1])
        raise UntranslatableError(f"arrays of kernels have no {name}")

    # ---- operators -----------------------------------------------------------------------

    def value_unary(self, node):
        value = self.value(node.operand)
        if node.op == "not":
            test = self.truth(value)
            return not test if isinstance(test, bool) else test ^ True
        if isinstance(value, CONSTANTS):
            return SIGNS[node.op](value)
        if node.op == "-":
            return -value
        if node.op == "~":
            return value ^ (True if value.dtype == BOOL else -1)
        return value

    def value_binary(self, node):
        first, second = self.value(node.left), self.value(node.right)
        is_positive = isinstance(second, (int, np.integer)) and second > 0
        if is_positive and isinstance(node.left, Name) and node.left.id in self.counters:
            if node.op == "//":
                return self.quotient(first, int(second))
            if node.op == "%":
                return self.number(first, INT64) - self.quotient(first, int(second)) * int(second)
        return self.combined(node.op, first, second)

    def quotient(self, counter: Number, number: int) -> Number:
        """The quotient of a number that is not negative."""
        wide = self.number(counter, INT64)
        x = Number(self.builder, wide.value, unsigned=True)
        return wide.with_value(x.divided(number).value)

    def rounded_down(self, x: Number, divisor: Number) -> Number:
        """Floor division by a positive integer: q(x) = ~q(~x) for x < 0. LLVM drops the sign test
        where it knows that x >= 0.
        """
        sign = x >> x.bits - 1
        positive = Number(self.builder, (x ^ sign).value, unsigned=True)
        return x.with_value(positive.divided(divisor).value) ^ sign

    def combined(self, op: str, first, second):
        """`first operator second`: constants are folded, other values meet in a common type."""
        if isinstance(first, CONSTANTS) and isinstance(second, CONSTANTS):
            with np.errstate(all="ignore"):
                return OPERATORS[op](first, second)
        if op == "**" or op not in OPERATORS:
            raise UntranslatableError(f"kernels have no operator {op}")
        dtype = self.meeting(op, first, second)
        x, y = self.number(first, dtype), self.number(second, dtype)
        if op == "//":
            is_known = isinstance(second, (int, np.integer)) and second > 0
            is_long = self.number(first).dtype == INT64  # vectors have no quotients of these
            result = self.rounded_down(x, y) if is_known and is_long else x.floor_divided(y)
        elif op == "%":
            result = x.remainder(y) if is_floating(dtype) else x.floor_remainder(y, second)
        else:
            result = OPERATORS[op](x, y)
        result.adopts = is_literal(first) and is_literal(second) and dtype != BOOL
        return result

    def meeting(self, op: str, first, second) -> np.dtype:
        """The type in which an operator computes. A literal adopts that of the other operand."""
        if is_literal(second):
            dtype = self.adopted(self.number(first).dtype, second)
        elif is_literal(first):
            dtype = self.adopted(self.number(second).dtype, first)
        else:
            dtype = common_type(self.number(first).dtype, self.number(second).dtype)
        if dtype == BOOL and op not in KEEP_BOOLS:
            dtype = INT64
        return np.dtype(np.float64) if op == "/" and not is_floating(dtype) else dtype

    def adopted(self, dtype: np.dtype, literal) -> np.dtype:
        if isinstance(literal, bool) or is_floating(dtype):
            return dtype
        if is_floating(self.number(literal).dtype):
            return np.dtype(np.float64)
        may_be_negative = isinstance(literal, Number) or literal < 0
        if is_unsigned(dtype) and may_be_negative and dtype.itemsize == 8:
            raise UntranslatableError(f"{literal} meets an unsigned number")
        return common_type(dtype, np.dtype(np.uint64) if is_unsigned(dtype) else INT64)

    def value_compare(self, node):
        result, left = None, self.value(node.left)
        for op, right in zip(node.ops, map(self.value, node.rights), strict=True):
            comparison = self.combined(op, left, right)
            result = comparison if result is None else self.combined("&", result, comparison)
            left = right
        return result

    def value_logical(self, node):
        """Evaluate the second operand only if the first does not decide."""
        first, *rest = node.items
        value = self.truth(self.value(first))
        is_or = node.op == "or"
        if not rest:
            return value
        following = Logical(node.op, tuple(rest))
        if isinstance(value, bool):
            return value if value is is_or else self.truth(self.value_logical(following))
        test = value ^ True if is_or else value
        return self.choice(test, lambda: self.value_logical(following), lambda: is_or)

    def value_select(self, node):
        test = self.truth(self.value(node.test))
        if isinstance(test, bool):
            return self.value(node.body if test else node.orelse)
        return self.choice(test, lambda: self.value(node.body), lambda: self.value(node.orelse))

    def choice(self, test: Number, then, orelse):
        """The value of `then()` if the test holds, else that of `orelse()`."""
        if test.length:
            return self.chosen(test, then(), orelse())
        yes, no, after = (self.block(name) for name in ("then", "orelse", "chosen"))
        self.builder.cbranch(test.value, yes, no)
        sides = []
        for block, write in ((yes, then), (no, orelse)):
            self.at(block)
            sides.append((write(), self.builder.block))
        type_ = self.meeting_of(*(value for value, _ in sides))
        incoming = []
        for value, block in sides:
            self.at(block)
            incoming.append((values.components_of(self.as_type(value, type_), type_), block))
            self.builder.branch(after)
        self.at(after)
        merged = [self.builder.phi(type_of_part) for type_of_part in values.llvm_types_of(type_)]
        for parts, block in incoming:
            for phi, part in zip(merged, parts, strict=True):
                phi.add_incoming(part, block)
        return values.value_of(self.builder, type_, iter(merged))

    def chosen(self, test: Number, first, second) -> Number:
        """One of two values, both of which are computed: a `select` instruction."""
        type_ = self.meeting_of(first, second)
        return where(test, self.number(first, type_), self.number(second, type_))

    def meeting_of(self, first, second):
        """The type of a choice. A literal adopts that of the other side."""
        for number, other in ((first, second), (second, first)):
            if isinstance(number, Number) and not number.adopts and is_literal(other):
                dtype = number.dtype if number.dtype == BOOL else self.adopted(number.dtype, other)
                return VectorType(dtype, number.length) if number.length else dtype
        return join(type_of(self.typed(first)), type_of(self.typed(second)))

    def as_type(self, value, type_):
        is_number = isinstance(type_, (np.dtype, VectorType))
        return self.number(value, type_) if is_number else self.typed(value)

    # ---- arrays --------------------------------------------------------------------------

    def value_load(self, node):
        owner, indices = self.value(node.array), self.indices(node)
        if isinstance(owner, tuple):
            return self.part(owner, *indices)
        if not isinstance(owner, Array):
            raise UntranslatableError("an index of something that is not an array")
        if len(indices) == len(owner.sizes) and not any(isinstance(key, slice) for key in indices):
            return self.read(owner, indices)
        return self.view(owner, indices)

    def part(self, whole: tuple, index):
        """An element of a tuple. Scalars may have an index that is not a constant."""
        if not isinstance(index, Number):
            return whole[index]
        numbers = list(map(self.number, whole))
        array = self.new_array(numbers[0].dtype, (len(numbers),))
        for at, number in enumerate(numbers):
            self.write(array, (at,), number)
        return self.read(array, (index,))

    def indices(self, node: Load) -> tuple:
        """The indices of an element or a part: numbers and slices."""
        return tuple(map(self.index, node.indices))

    def index(self, node: Expression):
        if not isinstance(node, Slice):
            return self.size(self.value(node))
        ends = (node.lower, node.upper)
        return slice(*(None if end is None else self.size(self.value(end)) for end in ends))

    def view(self, array: Array, indices: tuple) -> Array:
        """A subarray without a copy. Slices end where the array ends."""
        indices += (slice(None),) * (len(array.sizes) - len(indices))
        rows = list(zip(indices, array.sizes, values.strides_of(array), strict=True))
        starts, sizes, kept = [], [], []
        for index, size, step in rows:
            if not isinstance(index, slice):
                starts.append(index + size if isinstance(index, int) and index < 0 else index)
                continue
            start = 0 if index.start is None else index.start
            stop = size if index.stop is None else least(self, index.stop, size)
            starts.append(start)
            sizes.append(stop - start)
            kept.append(step)
        first = next(at for at, index in enumerate(indices) if isinstance(index, slice))
        together = array.strides is None and all(map(_is_whole, indices[first + 1 :]))
        data = self.element(array, starts)
        return Array(array.dtype, data, tuple(sizes), None if together else tuple(kept))

    # ---- calls ---------------------------------------------------------------------------

    def value_call(self, node):
        function = self.value(node.function)
        arguments = [
            value
            for arg in node.arguments
            for value in (self.value(arg.value) if isinstance(arg, Starred) else [self.value(arg)])
        ]
        return self.call(function, arguments)

    def call(self, function, arguments: list):
        if isinstance(function, type) and issubclass(function, np.generic):
            return self.typed_number(function, arguments[0])
        write = SUPPORTED.get(function) if getattr(function, "__hash__", None) else None
        if write is None and getattr(function, "is_intrinsic", False):
            write = function
        if write is not None:
            return write(self, *arguments)
        return self.module.call(self, function, arguments)

    def typed_number(self, type_: type, value):
        if isinstance(value, CONSTANTS):
            return type_(value)
        return self.number(value, np.dtype(type_))


def is_literal(value) -> bool:
    """Whether a value adopts the type of what it meets."""
    return isinstance(value, LITERALS) or (isinstance(value, Number) and value.adopts)


def _is_whole(index) -> bool:
    return isinstance(index, slice) and index.start is None and index.stop is None
