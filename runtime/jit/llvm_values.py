"""LLVM values with Python's operators, so that a formula reads as mathematics.

A formula over `Number`s writes LLVM instructions while it runs. It has no branches, only `where`,
so a loop that uses it can be vectorized. `as_intrinsics` makes intrinsics of kernels from formulas.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..core import thresholds
from ..core.numpy_dtypes import is_bool, is_floating, is_unsigned
from .cpu import has, has_fused_multiply_add, is_arm, vector_registers
from .kernel_types import UntranslatableError
from .llvm_types import (
    dtype_of,
    float_type,
    formatted_constant,
    integer_type,
    is_constant,
    number_type,
    target_bits,
    truncated,
    vector_type,
)
from .loop_hints import intrinsic


def _operator(for_floats: str, for_integers: str) -> Callable[[Number, Any], Number]:
    return lambda self, other: self._with(other, for_floats, for_integers)


def _reflected(operate: Callable[[Any, Any], Any]) -> Callable[[Number, Any], Number]:
    return lambda self, other: operate(self.like(other), self)


def _comparison(sign: str) -> Callable[[Number, Any], Number]:
    return lambda self, other: self._compared(sign, other)


class Number:
    """An LLVM value: a float, an integer or a bool, or a vector of them.

    Operations on a vector apply to each lane. A number that `adopts` has the type of what it meets,
    as a literal has.
    """

    __slots__ = ("adopts", "builder", "unsigned", "value")

    def __init__(self, builder, value, unsigned: bool = False, adopts: bool = False):
        self.builder = builder
        self.value = value
        self.unsigned = unsigned
        self.adopts = adopts

    # ---- what it is ----------------------------------------------------------------------

    @property
    def type(self):
        return self.value.type

    @property
    def length(self) -> int | None:
        """The length of a vector; None for a scalar."""
        return getattr(self.type, "count", None)

    @property
    def element(self):
        """The LLVM type of a scalar or a lane."""
        return self.type.element if self.length else self.type

    @property
    def is_float(self) -> bool:
        return getattr(self.element, "intrinsic_name", "?")[0] == "f"

    @property
    def bits(self) -> int:
        return target_bits(self.element)

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of a scalar or a lane."""
        return dtype_of(self.element.intrinsic_name, self.unsigned)

    @classmethod
    def constant(cls, builder, number, dtype: np.dtype) -> Number:
        plain = float(number) if is_floating(dtype) else int(number)
        return cls(builder, number_type(dtype)(plain), is_unsigned(dtype))

    @property
    def real(self) -> Any:
        """The NumPy type of a float."""
        return {32: np.float32, 64: np.float64}[self.bits]

    def like(self, other) -> Number:
        """`other` with the same length. A literal adopts the type too."""
        if not isinstance(other, Number):
            number = float(self.real(other)) if self.is_float else int(other)
            is_kept = self.is_float and abs(number) > 0 and keeps_constants()
            value = _kept(self.builder, self.element(number)) if is_kept else self.element(number)
            other = self.with_value(value)
        return other.spread(self.length)

    def spread(self, length: int | None) -> Number:
        """A scalar in every lane of a vector (a splat). A vector stays as it is."""
        if length is None or self.length:
            return self
        whole, indices = vector_type(self.type, length), vector_type(integer_type(32), length)
        if is_constant(self.value):
            splat = f"splat ({self.type} {self.value.get_reference()})"
            return self.with_value(formatted_constant(whole, splat))
        nothing = formatted_constant(whole, "undef")
        single = self.builder.insert_element(nothing, self.value, integer_type(32)(0))
        return self.with_value(self.builder.shuffle_vector(single, nothing, indices([0] * length)))

    def with_value(self, value) -> Number:
        return Number(self.builder, value, self.unsigned)

    # ---- arithmetic ----------------------------------------------------------------------

    def _with(self, other, for_floats: str, for_integers: str, flags=()) -> Number:
        name = for_floats if self.is_float else for_integers
        x, y = together(self, other)
        return self.with_value(getattr(self.builder, name)(x.value, y.value, flags=flags))

    __add__, __radd__ = _operator("fadd", "add"), _reflected(operator.add)
    __sub__, __rsub__ = _operator("fsub", "sub"), _reflected(operator.sub)
    __mul__, __rmul__ = _operator("fmul", "mul"), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _operator("fdiv", "fdiv"), _reflected(operator.truediv)
    __and__, __or__, __xor__ = (_operator(name, name) for name in ("and_", "or_", "xor"))
    __lshift__ = _operator("shl", "shl")

    def __neg__(self):
        return (
            self.with_value(self.builder.fneg(self.value)) if self.is_float else self.like(0) - self
        )

    def __rshift__(self, count):
        """An arithmetic shift of signed numbers, a logical one of unsigned."""
        name = "lshr" if self.unsigned else "ashr"
        return self._with(count, name, name)

    def divided(self, other) -> Number:
        """The quotient. Integers are rounded towards zero; `other` must not be 0."""
        return self._with(other, "fdiv", "udiv" if self.unsigned else "sdiv")

    def floor_divided(self, other) -> Number:
        """The quotient of integers rounded down; `other` must not be 0."""
        quotient = self.divided(other)
        if self.unsigned:
            return quotient
        rest = self - quotient * other
        wrong = (rest != 0) & ((rest ^ other) < 0)
        return where(wrong, quotient - 1, quotient)

    def floor_remainder(self, other, known) -> Number:
        """The remainder of integers with the sign of `other`, whose value may be known."""
        rest = self.remainder(other)
        is_positive = not isinstance(known, Number) and known > 0
        wrong = rest < 0 if is_positive else (rest != 0) & ((rest ^ other) < 0)
        return rest if self.unsigned else where(wrong, rest + other, rest)

    def remainder(self, other) -> Number:
        """The remainder, with the sign of this one; an integer `other` must not be 0."""
        return self._with(other, "frem", "urem" if self.unsigned else "srem")

    # ---- comparison ----------------------------------------------------------------------

    def _compared(self, sign: str, other) -> Number:
        x, y = together(self, other)
        if self.is_float:
            write = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
        else:
            unsigned = self.unsigned or self.bits == 1
            write = self.builder.icmp_unsigned if unsigned else self.builder.icmp_signed
        return Number(self.builder, write(sign, x.value, y.value))

    __lt__, __le__, __gt__, __ge__ = map(_comparison, ("<", "<=", ">", ">="))
    __eq__, __ne__ = map(_comparison, ("==", "!="))  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]  # `==` writes an instruction

    def __bool__(self):
        raise UntranslatableError("a choice by a number that is known only when the kernel runs")

    # ---- other types ---------------------------------------------------------------------

    def as_bits(self) -> Number:
        """The integer with the same bits as a float."""
        return Number(self.builder, self._as(self.builder.bitcast, integer_type(self.bits)))

    def as_float(self) -> Number:
        """The float with the same bits as an integer."""
        return Number(self.builder, self._as(self.builder.bitcast, float_type(self.bits)))

    def _as(self, write, type_):
        """The result of a conversion instruction."""
        return write(self.value, vector_type(type_, self.length))

    def cast(self, dtype: np.dtype) -> Number:
        """This number converted to another type, as NumPy does it."""
        mine = self.dtype
        if dtype == mine:
            return self
        if is_bool(dtype):
            return self != 0
        if is_floating(dtype):
            return self._from_bit().to_float(8 * dtype.itemsize)
        type_, unsigned = integer_type(8 * dtype.itemsize), is_unsigned(dtype)
        if self.is_float and unsigned:
            return self._float_to_unsigned(dtype)
        if self.is_float:
            write = partial(truncated, self.builder)
        elif self.bits > 8 * dtype.itemsize:
            write = self.builder.trunc
        elif self.bits == 8 * dtype.itemsize:
            return Number(self.builder, self.value, unsigned)
        else:
            write = self.builder.zext if is_unsigned(mine) or is_bool(mine) else self.builder.sext
        return Number(self.builder, self._as(write, type_), unsigned)

    def _float_to_unsigned(self, dtype: np.dtype) -> Number:
        """As NumPy does it, negative floats wrap: they become signed integers first."""
        signed = np.dtype(np.int64 if dtype.itemsize >= 4 else np.int32)
        if dtype.itemsize < 8:
            return self.cast(signed).cast(dtype)
        is_large = self >= 2.0**63
        low = where(is_large, self - 2.0**63, self).cast(signed)
        return (low ^ (is_large.cast(signed) << 63)).cast(dtype)

    def _from_bit(self) -> Number:
        """A bool as an unsigned number: 1, not -1."""
        return (
            self.with_value(self.value) if self.bits > 1 else Number(self.builder, self.value, True)
        )

    def to_float(self, bits: int | None = None) -> Number:
        """This number as a float of the given width."""
        target = float_type(bits or self.bits)
        if not self.is_float:
            write = self.builder.uitofp if self.unsigned else self.builder.sitofp
        elif target == self.element:
            return self
        else:
            write = self.builder.fpext if self.bits < target_bits(target) else self.builder.fptrunc
        return Number(self.builder, self._as(write, target))


# ---- functions of numbers --------------------------------------------------------------------


def together(x: Number, *others) -> list[Number]:
    """All operands with the same length. Literals adopt the type of the first."""
    for other in others:
        x = x.spread(other.length) if isinstance(other, Number) else x
    return [x, *map(x.like, others)]


def where(condition: Number, x: Number, y) -> Number:
    """`x` where the condition holds, else `y`. Both are computed."""
    x, y = (operand.spread(condition.length) for operand in together(x, y))
    return x.with_value(x.builder.select(condition.value, x.value, y.value))


@cache
def keeps_constants() -> bool:
    """Whether formulas keep constants in memory as vectors, which instructions read from there.

    LLVM fills a register with the constant before each use, in two instructions, where there are
    fewer registers than constants. It does not know that these are constants. Others it can use
    as they are: AVX-512 reads single numbers for all lanes, and has more registers.
    """
    return not is_arm() and vector_registers()[1] < thresholds.MANY_REGISTERS


def _kept(builder, number):
    """A constant whose value LLVM does not know, from the beginning of the function."""
    from llvmlite import ir

    kept, key = builder.function.__dict__.setdefault("kept_constants", {}), str(number)
    if key not in kept:
        barrier = ir.InlineAsm(ir.FunctionType(number.type, [number.type]), "", "=x,0")
        with builder.goto_entry_block():
            kept[key] = builder.call(barrier, [number])
    return kept[key]


def intrinsic_name(name: str, x: Number) -> str:
    """The name of an LLVM intrinsic for this type."""
    prefix = f"v{x.length}" if x.length else ""
    return f"llvm.{name}.{prefix}{x.element.intrinsic_name}"


def _called(name: str, operands: list[Number], result=None, fast: bool = False):
    """Call a function; the result has the type of the first operand. `fast`: in any order."""
    from llvmlite import ir

    x = operands[0]
    function = x.builder.module.globals.get(name)
    if function is None:
        type_ = ir.FunctionType(result or x.type, [arg.type for arg in operands])
        function = ir.Function(x.builder.module, type_, name)
        function.attributes.add("nounwind")
        function.attributes.add("readnone")
    return x.builder.call(function, [arg.value for arg in operands], fastmath=("reassoc",) * fast)


def _instruction(name: str, /, x: Number, *others) -> Number:
    """An intrinsic of LLVM, which every target supports."""
    operands = together(x, *others)
    return operands[0].with_value(_called(intrinsic_name(name, operands[0]), operands))


def target_instruction(name: str) -> Callable:
    """An instruction of some processors, by LLVM's name; it has one type of vector."""

    def call(*operands: Number) -> Number:
        return operands[0].with_value(_called(name, list(operands)))

    return call


floor = partial(_instruction, "floor")
ceil = partial(_instruction, "ceil")
trunc = partial(_instruction, "trunc")
rint = partial(_instruction, "rint")
sqrt = partial(_instruction, "sqrt")
fabs = partial(_instruction, "fabs")
copysign = partial(_instruction, "copysign")


LLVM_WITH_LDEXP = 22


@cache
def has_ldexp() -> bool:
    """Whether LLVM writes `ldexp` as one instruction; older versions call the C library."""
    from llvmlite import binding

    return has("avx512f") and binding.llvm_version_info[0] >= LLVM_WITH_LDEXP


def ldexp(x: Number, k: Number) -> Number:
    """`x * 2.0 ** k`, rounded once."""
    name = f"{intrinsic_name('ldexp', x)}.{intrinsic_name('', k).rpartition('.')[2]}"
    return x.with_value(_called(name, [x, k]))


def any_lane(x: Number) -> Number:
    """Whether a bool is true in any lane."""
    type_ = integer_type(1)
    return Number(x.builder, _called(intrinsic_name("vector.reduce.or", x), [x], type_))


def lane_sum(x: Number) -> Number:
    """The sum of the lanes of a vector of floats, in any order."""
    start = x.with_value(x.element(-0.0))
    return x.with_value(_called(intrinsic_name("vector.reduce.fadd", x), [start, x], fast=True))


_fma = partial(_instruction, "fma")


def fma(x: Number, y, z) -> Number:
    """`x * y + z`, rounded once where the processor has an instruction for it."""
    if not has_fused_multiply_add():
        return x * y + z
    return _fma(x, y, z)


def residue(x: Number, y: Number, z: Number) -> Number:
    """`x - y * z`, exact where it is the rounding error of a product or a quotient."""
    if has_fused_multiply_add():
        return fma(-y, z, x)
    high, low = _product(y, z)
    return (x - high) - low


def _product(x: Number, y: Number) -> tuple[Number, Number]:
    """`x * y` and its rounding error. Source: T. J. Dekker, Numerische Mathematik 18, 1971."""

    def halves(z: Number) -> tuple[Number, Number]:
        spread = z * (2.0 ** {32: 12, 64: 27}[z.bits] + 1)
        high = spread - (spread - z)
        return high, z - high

    product = x * y
    (x_high, x_low), (y_high, y_low) = halves(x), halves(y)
    error = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, error


def polynomial(x: Number, coefficients) -> Number:
    """The sum of `coefficients[k] * x ** k`."""
    total = x.like(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = fma(total, x, coefficient)
    return total


def reassociable(operation: str, x: Number, y: Number) -> Number:
    """`x + y` or `x * y` as a reassociable reduction step, so that LLVM can vectorize it."""
    flags = ("reassoc",)
    names = {"+": ("fadd", "add"), "*": ("fmul", "mul")}[operation]
    return x._with(y, *names, flags=flags if x.is_float else ())


def larger(x: Number, y: Number) -> Number:
    """The larger of two numbers that are not NaN: one instruction, reassociable."""
    return _chosen(">", x, y)


def smaller(x: Number, y: Number) -> Number:
    """The smaller of two numbers that are not NaN."""
    return _chosen("<", x, y)


def _chosen(sign: str, x: Number, y: Number) -> Number:
    flags = ("nnan", "nsz")
    x, y = together(x, y)
    test = x.builder.fcmp_ordered(sign, y.value, x.value, flags=flags)
    return x.with_value(x.builder.select(test, y.value, x.value, flags=flags))


def library(name: str) -> Callable:
    """A function of the C library. On a vector it is called for each lane."""

    def call(x: Number, *others) -> Number:
        operands = together(x, *others)
        own = name if x.bits == 64 else f"{name}f"
        if not operands[0].length:
            return x.with_value(_called(own, operands))
        result = formatted_constant(operands[0].type, "undef")
        for lane in range(operands[0].length):
            index = integer_type(32)(lane)
            parts = [
                arg.with_value(x.builder.extract_element(arg.value, index)) for arg in operands
            ]
            result = x.builder.insert_element(result, _called(own, parts), index)
        return x.with_value(result)

    return call


# ---- for kernels -----------------------------------------------------------------------------


def as_intrinsics(formulas: dict[str, Callable]) -> dict[str, Callable]:
    """Intrinsics of kernels. The first argument determines the type."""
    return {name: _with_values(formula) for name, formula in formulas.items()}


def _with_values(formula: Callable) -> Callable:
    @intrinsic
    def call(writer, first, *rest):
        x = writer.number(first)
        return formula(x, *(writer.number(number, x.dtype) for number in rest))

    return call
