"""How functions that kernels call are marked."""

from __future__ import annotations

from typing import NamedTuple


def written(function):
    """A function for kernels that writes its instructions itself: it is called with the writer of
    the function around and the values, and gives the result.
    """
    function.is_written = True
    return function


class Marks(NamedTuple):
    """How LLVM treats a function: whether it becomes a part of its callers, which LLVM decides
    otherwise; whether it looks for vectors in the loops, and writes their turns out one after
    another, `long_turns` too, which takes most of its time. What runs `seldom` stays as it is
    written.
    """

    inline: bool | None = None
    vectors: bool = True
    unrolled: bool = True
    long_turns: bool = True
    seldom: bool = False

    @property
    def attributes(self) -> tuple[str, ...]:
        """LLVM's own words for it, besides those for loops."""
        if self.seldom:
            return "noinline", "optnone"
        return () if self.inline is None else ("alwaysinline" if self.inline else "noinline",)


UNMARKED, TEXT = Marks(), Marks(long_turns=False)  # of helpers, and of the text of a kernel


def helper(function=None, **marks):
    """A function for kernels in Python, translated together with them; its marks are a `Marks`."""
    if function is None:
        return lambda function: helper(function, **marks)
    function.marks = Marks(**marks)
    return function
