"""Decorators for functions that kernels call, and the hints that they give to LLVM."""

from __future__ import annotations

from typing import NamedTuple


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


def kernel_function(function=None, **hints):
    """A function in Python that is translated together with the kernels that call it. The keywords
    are those of `Hints`.
    """
    if function is None:
        return lambda function: kernel_function(function, **hints)
    function.hints = Hints(**hints)
    return function
