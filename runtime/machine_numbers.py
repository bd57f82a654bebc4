"""Numbers of machine code with Python's operators, so that a formula reads as mathematics.

A formula over `Number`s writes LLVM instructions while it runs. It has no branches, only `where`,
so a loop that uses it can be turned into vectors. `for_kernels` makes functions of formulas that
the texts of kernels call.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from . import processor


def has_fused_multiply_add() -> bool:
    """Whether the processor multiplies and adds with one rounding; else that is a slow call."""
    return processor.is_arm() or processor.has("fma")


class Number:
    """A value of a float, integer or truth type in the machine code being written."""

    __slots__ = ("builder", "unsigned", "value")

    def __init__(self, builder, value, unsigned: bool = False):
        self.builder = builder
        self.value = value
        self.unsigned = unsigned

    # ---- what it is ----------------------------------------------------------------------

    @property
    def type(self):
        return self.value.type

    @property
    def is_float(self) -> bool:
        return hasattr(self.type, "intrinsic_name") and self.type.intrinsic_name[0] == "f"

    @property
    def bits(self) -> int:
        return int(self.type.intrinsic_name[1:])

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of a number."""
        if self.is_float:
            return np.dtype(self.real)
        name = "bool" if self.bits == 1 else f"{'u' if self.unsigned else ''}int{self.bits}"
        return np.dtype(name)

    @classmethod
    def constant(cls, builder, number, dtype: np.dtype) -> Number:
        kind = number_type(dtype)
        plain = float(number) if dtype.kind == "f" else int(number)
        return cls(builder, kind(plain), dtype.kind == "u")

    @property
    def real(self) -> type:
        """The NumPy type of a float."""
        return {32: np.float32, 64: np.float64}[self.bits]

    def like(self, other) -> Number:
        """`other` as a number of this type: literals adopt it."""
        if isinstance(other, Number):
            return other
        number = float(self.real(other)) if self.is_float else int(other)
        return self.made(self.type(number))

    def made(self, value) -> Number:
        return Number(self.builder, value, self.unsigned)

    # ---- arithmetic ----------------------------------------------------------------------

    def _with(self, other, for_floats: str, for_integers: str, flags=()) -> Number:
        name = for_floats if self.is_float else for_integers
        write = getattr(self.builder, name)
        return self.made(write(self.value, self.like(other).value, flags=flags))

    def __add__(self, other):
        return self._with(other, "fadd", "add")

    def __sub__(self, other):
        return self._with(other, "fsub", "sub")

    def __mul__(self, other):
        return self._with(other, "fmul", "mul")

    def __truediv__(self, other):
        return self._with(other, "fdiv", "fdiv")

    def __radd__(self, other):
        return self.like(other) + self

    def __rsub__(self, other):
        return self.like(other) - self

    def __rmul__(self, other):
        return self.like(other) * self

    def __rtruediv__(self, other):
        return self.like(other) / self

    def __neg__(self):
        return self.made(
            self.builder.fneg(self.value) if self.is_float else self.builder.neg(self.value)
        )

    def __and__(self, other):
        return self._with(other, "and_", "and_")

    def __or__(self, other):
        return self._with(other, "or_", "or_")

    def __xor__(self, other):
        return self._with(other, "xor", "xor")

    def __lshift__(self, count):
        return self._with(count, "shl", "shl")

    def __rshift__(self, count):
        """The sign is kept, if there is one."""
        name = "lshr" if self.unsigned else "ashr"
        return self._with(count, name, name)

    def divided(self, other) -> Number:
        """Of integers, rounded towards zero; `other` is not 0."""
        return self._with(other, "fdiv", "udiv" if self.unsigned else "sdiv")

    def floor_divided(self, other) -> Number:
        """Of integers, rounded down; `other` is not 0."""
        quotient = self.divided(other)
        if self.unsigned:
            return quotient
        rest = self - quotient * other
        wrong = (rest != 0) & ((rest ^ other) < 0)
        return where(wrong, quotient - 1, quotient)

    def remainder(self, other) -> Number:
        """Of floats, with the sign of this one."""
        return self._with(other, "frem", "srem")

    # ---- comparison ----------------------------------------------------------------------

    def _compared(self, sign: str, other) -> Number:
        other = self.like(other).value
        if self.is_float:
            write = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
        else:
            unsigned = self.unsigned or self.bits == 1
            write = self.builder.icmp_unsigned if unsigned else self.builder.icmp_signed
        return Number(self.builder, write(sign, self.value, other))

    def __lt__(self, other):
        return self._compared("<", other)

    def __le__(self, other):
        return self._compared("<=", other)

    def __gt__(self, other):
        return self._compared(">", other)

    def __ge__(self, other):
        return self._compared(">=", other)

    def __eq__(self, other):
        return self._compared("==", other)

    def __ne__(self, other):
        return self._compared("!=", other)

    __hash__ = None

    # ---- other types ---------------------------------------------------------------------

    def as_bits(self) -> Number:
        """The integer with the same bits as a float."""
        return Number(self.builder, self.builder.bitcast(self.value, _integer(self.bits)))

    def as_float(self) -> Number:
        """The float with the same bits as an integer."""
        return Number(self.builder, self.builder.bitcast(self.value, _float(self.bits)))

    def to_integer(self, bits: int | None = None) -> Number:
        """A float cut to a signed integer, which it has to fit."""
        return Number(self.builder, self.builder.fptosi(self.value, _integer(bits or self.bits)))

    def cast(self, dtype: np.dtype) -> Number:
        """This number as one of another type, as NumPy converts it."""
        mine = self.dtype
        if dtype == mine:
            return self
        if dtype.kind == "b":
            return self != 0
        if dtype.kind == "f":
            return self._from_bit().to_float(8 * dtype.itemsize)
        kind, unsigned = _integer(8 * dtype.itemsize), dtype.kind == "u"
        if self.is_float:
            write = self.builder.fptoui if unsigned else self.builder.fptosi
        elif self.bits > 8 * dtype.itemsize:
            write = self.builder.trunc
        elif self.bits == 8 * dtype.itemsize:
            return Number(self.builder, self.value, unsigned)
        else:
            write = self.builder.zext if mine.kind in "ub" else self.builder.sext
        return Number(self.builder, write(self.value, kind), unsigned)

    def _from_bit(self) -> Number:
        """A truth value as an unsigned number: 1, not -1."""
        return self.made(self.value) if self.bits > 1 else Number(self.builder, self.value, True)

    def to_float(self, bits: int | None = None) -> Number:
        """The float of this value, or of another width."""
        target = _float(bits or self.bits)
        if not self.is_float:
            write = self.builder.uitofp if self.unsigned else self.builder.sitofp
        elif target == self.type:
            return self
        else:
            write = self.builder.fpext if self.bits < target_bits(target) else self.builder.fptrunc
        return Number(self.builder, write(self.value, target))


def number_type(dtype: np.dtype):
    """LLVM's type of a number in a register."""
    if dtype.kind == "f":
        return _float(8 * dtype.itemsize)
    return _integer(1 if dtype.kind == "b" else 8 * dtype.itemsize)


def target_bits(kind) -> int:
    return int(kind.intrinsic_name[1:])


def _float(bits: int):
    from llvmlite import ir

    return ir.FloatType() if bits == 32 else ir.DoubleType()


def _integer(bits: int):
    from llvmlite import ir

    return ir.IntType(bits)


# ---- functions of numbers --------------------------------------------------------------------


def where(condition: Number, x: Number, y) -> Number:
    """`x` where the condition holds, else `y`; both are computed."""
    return x.made(x.builder.select(condition.value, x.value, x.like(y).value))


def _instruction(name: str) -> Callable:
    """A function of LLVM's that every processor type has, or LLVM spells out."""

    def call(x: Number, *others) -> Number:
        from llvmlite import ir

        operands = [x, *map(x.like, others)]
        kind = ir.FunctionType(x.type, [x.type] * len(operands))
        function = x.builder.module.declare_intrinsic(f"llvm.{name}", [x.type], kind)
        return x.made(x.builder.call(function, [one.value for one in operands]))

    return call


floor = _instruction("floor")
ceil = _instruction("ceil")
trunc = _instruction("trunc")
rint = _instruction("rint")
sqrt = _instruction("sqrt")
fabs = _instruction("fabs")
copysign = _instruction("copysign")
maximum = _instruction("maximum")  # NaN if either is
minimum = _instruction("minimum")


def fma(x: Number, y, z) -> Number:
    """`x * y + z`, rounded once where the processor can."""
    if not has_fused_multiply_add():
        return x * y + z
    builder = x.builder
    return x.made(builder.fma(x.value, x.like(y).value, x.like(z).value))


def residue(x: Number, y: Number, z: Number) -> Number:
    """`x - y * z` where that is small: the error of a product or a quotient, exactly."""
    if has_fused_multiply_add():
        return fma(-y, z, x)
    high, low = _product(y, z)
    return (x - high) - low


def _product(x: Number, y: Number) -> tuple[Number, Number]:
    """`x * y` and what its rounding lost. Source: T. J. Dekker, Numerische Mathematik 18, 1971."""

    def halves(z: Number) -> tuple[Number, Number]:
        spread = z * (2.0 ** {32: 12, 64: 27}[z.bits] + 1)
        high = spread - (spread - z)
        return high, z - high

    made = x * y
    (x_high, x_low), (y_high, y_low) = halves(x), halves(y)
    rest = ((x_high * y_high - made) + x_high * y_low + x_low * y_high) + x_low * y_low
    return made, rest


def polynomial(x: Number, coefficients) -> Number:
    """The sum of `coefficients[k] * x ** k`."""
    total = x.like(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = fma(total, x, coefficient)
    return total


def freely(operation: str, x: Number, y: Number) -> Number:
    """`x + y` or `x * y` as a reduction step whose order is free, so that vectors can do it."""
    flags = ("reassoc",)
    names = {"+": ("fadd", "add"), "*": ("fmul", "mul")}[operation]
    return x._with(y, *names, flags=flags if x.is_float else ())


def larger(x: Number, y: Number) -> Number:
    """The larger one of numbers that are not NaN: one instruction, in any order."""
    return _chosen(">", x, y)


def smaller(x: Number, y: Number) -> Number:
    """The smaller one of numbers that are not NaN."""
    return _chosen("<", x, y)


def _chosen(sign: str, x: Number, y: Number) -> Number:
    flags = ("nnan", "nsz")
    test = x.builder.fcmp_ordered(sign, y.value, x.value, flags=flags)
    return x.made(x.builder.select(test, y.value, x.value, flags=flags))


def library(name: str) -> Callable:
    """A function of the C library."""

    def call(x: Number, *others) -> Number:
        from llvmlite import ir

        operands = [x, *map(x.like, others)]
        own = name if x.bits == 64 else f"{name}f"
        module = x.builder.module
        function = module.globals.get(own)
        if function is None:
            kind = ir.FunctionType(x.type, [x.type] * len(operands))
            function = ir.Function(module, kind, own)
            function.attributes.add("nounwind")
        return x.made(x.builder.call(function, [one.value for one in operands]))

    return call


# ---- for kernels -----------------------------------------------------------------------------


def for_kernels(formulas: dict[str, Callable]) -> dict[str, Callable]:
    """Functions that the texts of kernels call: the first argument decides the type."""
    return {name: _with_values(formula) for name, formula in formulas.items()}


def _with_values(formula: Callable) -> Callable:
    from .codegen.marks import written

    @written
    def call(writer, first, *rest):
        x = writer.number(first)
        return formula(x, *(writer.number(one, x.dtype) for one in rest))

    return call
