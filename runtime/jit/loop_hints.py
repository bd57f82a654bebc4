"""Decorators for functions that kernels call, and the hints that they give to LLVM."""

from __future__ import annotations

from ..core.classes import NamedTuple
from ..kernel_ir.nodes import Call

# LLVM unrolls loops up to this trip count. A body of more instructions is long, unless those of all
# iterations are few.
SHORT_TRIP_COUNT, LONG_BODY, FEW_INSTRUCTIONS = 64, 40, 1024
# Instructions of a module in which short loops stay loops: unrolled, and then left to the pass for
# straight code, they would take most of LLVM's time, for a few rows beside long loops.
LONG_MODULE = 3500
VECTORS_FROM = 8  # iterations: those of fewer are left as scalars once they are unrolled


def intrinsic(function):
    """An intrinsic of kernels: it is called with the writer of the calling function and the operand
    values, writes instructions, and returns the result.
    """
    function.is_intrinsic = True
    return function


class Hints(NamedTuple):
    """How LLVM compiles a function.

    inline       True: always into its callers. False: never. None: LLVM decides.
    vectors      vectorize its loops
    unrolled     unroll its loops
    long_bodies  unroll loops with long bodies too, which takes most of LLVM's time
    cold         do not optimize it at all
    polls        its long loops poll for signals, as those of kernels do
    """

    inline: bool | None = None
    vectors: bool = True
    unrolled: bool = True
    long_bodies: bool = True
    cold: bool = False
    polls: bool = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """The function attributes of LLVM. Hints on loops are metadata of the loops."""
        if self.cold:
            return "noinline", "optnone"
        return () if self.inline is None else ("alwaysinline" if self.inline else "noinline",)


DEFAULT_HINTS = Hints()
KERNEL_HINTS = Hints(long_bodies=False)  # of the functions in the source of a kernel
PART_HINTS = Hints(inline=False, long_bodies=False)  # of those that its statements share


def kernel_function(function=None, **hints):
    """A function in Python that is translated together with the kernels that call it. The keywords
    are those of `Hints`.
    """
    if function is None:
        return lambda function: kernel_function(function, **hints)
    function.hints = Hints(**hints)
    return function


class LoopHints(NamedTuple):
    """What LLVM is told of one loop. One that `is_short` becomes straight code, then vectors."""

    vectors: bool
    unrolled: bool
    is_short: bool = False


def of_loop(hints: Hints, one_by_one: bool, bound: int, length: int) -> LoopHints:
    """The hints on a loop over a range, of so many instructions; `bound` is that of its trip count,
    or 0 if it is not known.
    """
    is_long = is_short = False
    if bound <= SHORT_TRIP_COUNT:
        is_long = length > LONG_BODY and length * bound > FEW_INSTRUCTIONS
        is_short = hints.vectors and bound >= VECTORS_FROM and not is_long
    unrolled = hints.unrolled and (hints.long_bodies or not is_long)
    return LoopHints(hints.vectors and not one_by_one, unrolled, is_short)


def is_one_by_one(iterable: Call) -> bool:
    """Whether the elements that a loop reads lie far apart: see `one_by_one`."""
    last = iterable.arguments[-1]
    return isinstance(last, Call) and last.name == "one_by_one"
