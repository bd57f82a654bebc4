"""Functions of NumPy and SciPy without a form in graphs: the graph calls them where the program
does, and the rest of the function stays native.

The types and shapes of their results are those that samples of the arguments give. Where the graph
runs and they are others, or the function raises or changes an argument, Python runs the whole call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ....runtime.core.classes import NamedTuple
from ....runtime.core.dtypes import FROM_NUMPY
from ....runtime.core.source_locations import SourceLocation
from ....runtime.ir.graph import Graph
from ....runtime.ir.op import Spec
from ....runtime.numpy_protocol.samples import sample_array, without_warnings
from ....runtime.ops.state.host_calls import HostCall
from ....runtime.tensors.apply import apply, constant_of
from ..refusal import RefusedError, noun
from ..traced_array import TracedArray, fresh
from ..traced_scalar import LARGE, NATIVE, PYTHON_DTYPES, TracedScalar
from .samples import in_layout, sample_number

PACKAGES = ("numpy", "scipy")
# They change arguments or settings, read or write files, call functions, or return strings.
_REFUSED = {
    "add_docstring", "add_newdoc", "apply_along_axis", "apply_over_axes", "array2string",
    "array_repr", "array_str", "asmatrix", "base_repr", "binary_repr", "block", "bmat",
    "broadcast_arrays", "copyto", "fill_diagonal", "from_dlpack", "frombuffer", "fromfile",
    "fromfunction", "fromiter", "frompyfunc", "fromregex", "fromstring", "genfromtxt", "getbufsize",
    "geterr", "geterrcall", "info", "load", "loadtxt", "matrix", "memmap", "nditer", "ndenumerate",
    "ndindex", "piecewise", "place", "printoptions", "put", "put_along_axis", "putmask",
    "require", "save", "savetxt", "savez", "savez_compressed", "set_printoptions", "setbufsize",
    "seterr", "seterrcall", "show_config", "show_runtime", "test", "vectorize", "may_share_memory",
    "shares_memory", "iterable", "array_equiv", "from_iter",
}  # fmt: skip
CONSTANTS = (bool, int, float, complex, str, type(None), np.generic, np.dtype, slice)


def is_callable_on_host(function) -> bool:
    """Whether a function of NumPy's or SciPy's only computes its results."""
    if isinstance(function, np.ufunc):
        return True
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", "")
    if isinstance(function, type) or module.startswith("numpy.random"):
        return False
    return module.split(".")[0] in PACKAGES and name not in _REFUSED and not name.startswith("_")


class Form(NamedTuple):
    """The type of a result: an array of this rank, a scalar of NumPy's, or a number of Python's."""

    cls: type
    dtype: np.dtype
    shape: tuple[int | None, ...]


def call_on_host(function, args, kwargs, sampled: Callable | None = None):
    """The results of `function(*args, **kwargs)`, as values of the graph.

    `sampled` is called in place of it to find what it returns.
    """
    call = _Call(function, args, kwargs)
    structure, forms = call.forms(sampled or function)
    if not call.operands and sampled is None:
        return _mapped(function(*args, **kwargs), constant)
    specs = tuple(Spec(FROM_NUMPY[form.dtype], form.shape) for form in forms)
    attrs = {"function": _Run(function, call, structure, tuple(forms)), "specs": specs}
    operands = tuple(operand.__tf_tensor__() for operand in call.operands)
    results = apply(HostCall, operands, attrs)  # type: ignore[arg-type]
    values = map(_traced, forms, results)
    return _mapped(structure, lambda _: next(values))


def called_names(graph: Graph) -> list[str]:
    """The functions that a graph calls, in its order."""
    calls = [node.attrs["function"].name for node in graph.walk() if node.op is HostCall]
    return list(dict.fromkeys(calls))


def place_of_call(graph: Graph) -> SourceLocation | None:
    """The line of the first such call."""
    return next((node.where for node in graph.walk() if node.op is HostCall), None)


def _traced(form: Form, tensor):
    if form.cls is np.ndarray:
        return fresh(tensor)
    return TracedScalar(tensor, None if form.cls is np.generic else form.cls, LARGE)


def constant(value):
    """An array of the graph with the elements of one outside; any other value is itself."""
    return fresh(constant_of(value)) if type(value) is np.ndarray else value


class _Call:
    """The arguments of a call: `operands` are those that the graph computes."""

    def __init__(self, function, args, kwargs):
        self.operands: list = []
        kwargs = {name: value for name, value in kwargs.items() if value is not np._NoValue}
        if kwargs.get("out") is not None:
            raise RefusedError(f"a call of {function.__name__} with out=")
        self.args = tuple(map(self._taken, args))
        self.kwargs = {name: self._taken(value) for name, value in kwargs.items()}

    def _taken(self, value):
        """The value with an `_Operand` in place of what the graph computes."""
        if type(value) in (TracedArray, TracedScalar):
            if type(value) is TracedScalar and value.others:
                raise RefusedError("a number of several types as an argument of a called function")
            self.operands.append(value)
            return _Operand(len(self.operands) - 1)
        if type(value) in (list, tuple):
            return type(value)(map(self._taken, value))
        if isinstance(value, CONSTANTS) or value is Ellipsis or _is_dtype(value):
            return value
        if isinstance(value, np.ndarray):
            raise RefusedError("an array from outside the function")
        raise RefusedError(f"{noun(value)} as an argument of a called function")

    def arguments(self, values) -> tuple[tuple, dict]:
        """The arguments with these values of the operands."""

        def filled(value):
            if type(value) is _Operand:
                return values[value.position]
            return type(value)(map(filled, value)) if type(value) in (list, tuple) else value

        return filled(self.args), {key: filled(value) for key, value in self.kwargs.items()}

    def forms(self, function) -> tuple[Any, list[Form]]:
        """The structure of the results, and their forms, by two samples of the arguments."""
        structure, first = self._sampled(function, 2, False)
        try:
            other, second = self._sampled(function, 4, True)
        except RefusedError:  # as of a singular matrix
            other, second = self._sampled(function, 4, False)
        if structure != other or [form[:2] for form in first] != [form[:2] for form in second]:
            raise RefusedError(f"a call of {function.__name__}, whose result is of several types")
        joined = [_common_form(*pair) for pair in zip(first, second, strict=True)]
        if any(None in form.shape for form in joined):
            for operand in self.operands:  # a size that an argument of the function decides
                if type(operand) is TracedScalar and operand.python is int and operand.arguments:
                    operator.index(operand)
        return structure, joined

    def _sampled(self, function, number: int, repeats: bool) -> tuple[Any, list[Form]]:
        """The structure of the results for a sample of the arguments, and their forms."""
        samples = [_sample(operand, number, repeats) for operand in self.operands]
        try:
            result = without_warnings(function, *self.arguments(samples))
        except Exception as error:
            name = type(error).__name__
            raise RefusedError(f"a call of {function.__name__}: a sample raises {name}") from None
        leaves: list = []
        structure = _taken_apart(result, leaves)
        if any(np.may_share_memory(*pair) for pair in product(leaves, samples)):
            raise RefusedError(f"a call of {function.__name__}, which gives a view")
        return structure, [_known_form(leaf) for leaf in leaves]


class _Operand(NamedTuple):
    position: int


def _is_dtype(value) -> bool:
    return isinstance(value, type) and (issubclass(value, np.generic) or value in PYTHON_DTYPES)


def _sample(value, number: int, repeats: bool):
    """A value of the type and shape of one that the graph computes; it does not change."""
    if type(value) is TracedScalar:
        return sample_number(value, number)
    sizes = enumerate(value.template.shape)
    shape = tuple(number + 1 if axis in value.computed else size for axis, size in sizes)
    return in_layout(sample_array(value.dtype, shape, number, repeats), value.template)


def _mapped(value, function):
    """A structure of results, with `function` of each in its place."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)._make(_mapped(part, function) for part in value)
    if type(value) in (tuple, list):
        return type(value)(_mapped(part, function) for part in value)
    return value if value is None else function(value)


def _taken_apart(result, leaves: list):
    """The structure of a result, whose parts are appended to `leaves`."""

    def take(value) -> bool:
        leaves.append(value)
        return True

    return _mapped(result, take)


def _form(value) -> Form | None:
    if type(value) is np.ndarray and value.dtype in NATIVE and value.flags.writeable:
        return Form(np.ndarray, value.dtype, value.shape)
    if isinstance(value, np.generic) and value.dtype in NATIVE:
        return Form(np.generic, value.dtype, ())
    if type(value) in PYTHON_DTYPES:
        return Form(type(value), PYTHON_DTYPES[type(value)], ())
    return None


def _known_form(value) -> Form:
    form = _form(value)
    if form is None:
        raise RefusedError(f"a called function returns {noun(value)}")
    return form


def _common_form(left: Form, right: Form) -> Form:
    if len(left.shape) != len(right.shape):
        raise RefusedError("a called function returns arrays of several ranks")
    sizes = zip(left.shape, right.shape, strict=True)
    return left._replace(shape=tuple(m if m == n else None for m, n in sizes))


class _Run:
    """A function as the graph calls it, with arrays for the operands."""

    def __init__(self, function, call: _Call, structure, forms: tuple[Form, ...]):
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.call = call
        self.structure = structure
        self.forms = forms

    def __call__(self, *arrays) -> tuple:
        passed = list(map(_given, arrays, self.call.operands))
        args, kwargs = self.call.arguments(passed)
        leaves: list = []
        structure = _taken_apart(self.function(*args, **kwargs), leaves)
        if structure != self.structure:
            raise ArithmeticError("other results than the samples gave")
        for value, form in zip(leaves, self.forms, strict=True):
            _check(value, form, passed)
        pairs = zip(leaves, self.forms, strict=True)
        return tuple(value if form.shape else form.dtype.type(value) for value, form in pairs)


def _given(array, operand):
    """An operand as the function is called with it, in its layout; arrays cannot change."""
    if type(operand) is TracedArray:
        view = in_layout(np.asarray(array), operand.template).view()
        view.flags.writeable = False
        return view
    return (operand.python or operand.dtype.type)(np.asarray(array)[()])


def _check(value, form: Form, passed: list) -> None:
    """Raise ArithmeticError if a result is not what the graph expects."""
    actual = _form(value)
    if actual is None or actual[:2] != form[:2] or len(actual.shape) != len(form.shape):
        raise ArithmeticError("another type of result than the samples gave")
    if any(m not in (None, n) for m, n in zip(form.shape, actual.shape, strict=True)):
        raise ArithmeticError("another shape of result than the samples gave")
    if form.cls is int and abs(value) > LARGE:
        raise ArithmeticError("an integer of more than 62 bits")
    if form.cls is np.ndarray and any(
        isinstance(array, np.ndarray) and np.may_share_memory(value, array) for array in passed
    ):
        raise ArithmeticError("a view of an argument")
