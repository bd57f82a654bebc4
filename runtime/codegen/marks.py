"""How functions that kernels call are marked."""

from __future__ import annotations


def written(function):
    """A function for kernels that writes its instructions itself: it is called with the writer of
    the function around and the values, and gives the result.
    """
    function.is_written = True
    return function


def helper(function=None, *, inline: bool | None = None):
    """A function for kernels in Python, translated together with them; `inline` says whether it
    becomes a part of its callers, which LLVM decides otherwise.
    """
    if function is None:
        return lambda function: helper(function, inline=inline)
    function.inline = inline
    return function
