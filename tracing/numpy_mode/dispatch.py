"""What numbers and arrays of the graph call, defined in modules that import them."""

from __future__ import annotations

from collections.abc import Callable


class Dispatch:
    """`ufunc(ufunc, method, inputs, options)` and `function(function, args, kwargs)`."""

    ufunc: Callable
    function: Callable


DISPATCH = Dispatch()
