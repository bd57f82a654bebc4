"""What numbers and arrays of the graph call, defined in modules that import them."""

from __future__ import annotations

from collections.abc import Callable


class Dispatch:
    """`ufunc(ufunc, method, inputs, options)`, `function(function, args, kwargs)`, and
    `python(ufunc, inputs)`: an operator of Python's.
    """

    ufunc: Callable
    function: Callable
    python: Callable


DISPATCH = Dispatch()
