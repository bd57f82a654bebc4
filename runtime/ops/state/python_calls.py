"""Operations that assert, or call Python, when the program runs."""

from __future__ import annotations

import functools

import numpy as np

from ...core.dtypes import ANY, BOOLS, as_dtype
from ...core.errors import AssertionFailedError, InvalidArgumentError
from ...core.public_names import public
from ...core.shapes import as_shape, is_compatible, show
from ...ir.op import PURE, WRITES, Spec
from ...tensors.apply import BUILDER, apply, convert_to_tensor
from ...tensors.operation import hidden_op
from ...tensors.tensor import EagerTensor
from .printing import collect_item, filled
from .recorded_calls import Recorded, pull_back


@hidden_op
class Assert:
    """Raise an error if a condition is false."""

    effect = WRITES
    accepts = {"condition": BOOLS, "data": ANY}
    inputs = ("condition", "*data")
    is_check = True

    def kernel(condition, *data, template, summarize, kind):
        if not np.all(condition):
            raise kind(filled(template, data, summarize) or "assertion failed")
        return ()

    def result(condition, *data, template, summarize, kind):
        return ()


@public("Assert", "debugging.Assert")
def assert_(condition, data=(), summarize=3, name=None, kind=AssertionFailedError):
    """Raise AssertionFailedError with `data` if `condition` is false when the program runs.

    `condition` is a bool tensor, of which all elements have to be true. `data` is a list of strings
    and tensors. `summarize` elements are shown at both ends of each axis; -1 shows all.

    >>> ag.debugging.Assert(ag.constant(1) < 2, ["one is not less than two"])
    """
    spaced = [part for item in data for part in (" ", item)]
    check(condition, spaced[1:], summarize, kind)


def check(condition, message, summarize=3, kind=AssertionFailedError) -> None:
    """`assert_` with a message whose strings and tensors follow each other without a space."""
    template: list = []
    values: list = []
    for item in message:
        collect_item(item, template, values)
    attrs = {
        "template": tuple(template),
        "summarize": 3 if summarize is None else summarize,
        "kind": kind,
    }
    apply(Assert, (condition, *values), attrs)  # type: ignore[arg-type]


# ---- Python code in graphs -------------------------------------------------------------------


@hidden_op
class PyFunction:
    """Call a Python function when the graph runs."""

    several = True
    accepts = {"operands": ANY}
    inputs = ("*operands",)
    runs_python = True  # its errors are the user's: they propagate unchanged

    def effect(attrs):
        return WRITES if attrs["stateful"] else PURE

    def kernel(*operands, function, specs, eager, stateful):
        token = BUILDER.set(None)
        try:
            returned = function(
                *(EagerTensor(operand) if eager else np.asarray(operand) for operand in operands)
            )
            return _as_declared(returned, specs)
        finally:
            BUILDER.reset(token)

    def result(*operands, function, specs, eager, stateful):
        return specs

    def gradient(dy, y, *operands, function, specs, eager, stateful):
        if not eager:
            raise LookupError(
                "numpy_function has no gradient: use ag.py_function, or wrap its input in "
                "ag.stop_gradient"
            )
        return pull_back(dy, operands, function)


def _as_declared(returned, specs) -> tuple:
    """The values that a Python function returned, as arrays of the dtypes and shapes in Tout."""
    results = (
        [] if not specs else list(returned) if isinstance(returned, (list, tuple)) else [returned]
    )
    if len(results) != len(specs):
        raise InvalidArgumentError(
            f"py_function: {len(results)} results, but {len(specs)} types in Tout"
        )
    arrays = tuple(
        convert_to_tensor(result, spec.dtype).array
        for result, spec in zip(results, specs, strict=True)
    )
    for array, spec in zip(arrays, specs, strict=True):
        if not is_compatible(array.shape, spec.shape):
            raise InvalidArgumentError(
                f"py_function: a result has the shape {array.shape}, Tout says {show(spec.shape)}"
            )
    return arrays


def _declared(item) -> Spec:
    """One entry of Tout: a dtype, or a TensorSpec with a shape."""
    if hasattr(item, "is_compatible_with") and hasattr(item, "shape"):
        return Spec(as_dtype(item.dtype), as_shape(item.shape))
    return Spec(as_dtype(item), None)


def _python_call(function, inputs, types, eager: bool, stateful: bool = True):
    several = types is None or isinstance(types, (list, tuple))
    specs = tuple(map(_declared, (types or ()) if several else (types,)))
    if eager:
        function = Recorded(function, specs)
    attrs = {"function": function, "specs": specs, "eager": eager, "stateful": stateful}
    results = apply(PyFunction, tuple(inputs or ()), attrs)  # type: ignore[arg-type]
    return list(results) if several else results[0]


def _calling(function, types, eager: bool, stateful: bool = True):
    """The decorator form."""

    @functools.wraps(function)
    def call(*inputs):
        return _python_call(function, inputs, types, eager, stateful)

    return call


@public("py_function")
def py_function(func=None, inp=None, Tout=None, name=None):  # noqa: N803
    """Call a Python function with eager tensors whenever the graph runs.

    `func` is called with the tensors in `inp`. `Tout` is the dtype or TensorSpec of its result, or
    a list of them if it returns several. Without `func` this is a decorator. Exceptions of the
    function propagate unchanged. The call can be differentiated.

    >>> @ag.py_function(Tout=ag.float32)
    ... def half(x):
    ...     return x / 2
    >>> float(half(3.0))
    1.5
    >>> int(ag.py_function(lambda x: x + 1, inp=[1], Tout=ag.int32))
    2

    Raises InvalidArgumentError if the results do not fit `Tout`.
    """
    if func is None:
        return lambda function: _calling(function, Tout, eager=True)
    return _python_call(func, inp, Tout, eager=True)


@public("numpy_function")
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):  # noqa: N803
    """Call a Python function with NumPy arrays whenever the graph runs.

    `func` is called with the values of the tensors in `inp`. `Tout` is the dtype or TensorSpec of
    its result, or a list of them if it returns several. Without `func` this is a decorator. With
    `stateful=False` the function has no side effects, and unused calls are removed. The call has no
    gradient.

    >>> import numpy as np
    >>> ag.numpy_function(np.sort, inp=[[3, 1, 2]], Tout=ag.int32).numpy()
    array([1, 2, 3], dtype=int32)
    """
    if func is None:
        return lambda function: _calling(function, Tout, False, stateful)
    return _python_call(func, inp, Tout, False, stateful)
