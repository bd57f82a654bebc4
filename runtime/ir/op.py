"""One operation, one declaration: its types, shape rule, kernel, native form and effect.

    @op
    class Tanh:
        '''Hyperbolic tangent of each element.'''
        accepts = FLOATS
        result = same_as_input
        scalar = "tanh({x})"

Registering a class makes the public function `ag.tanh`, its documentation and its tests. The
fields:

kernel      the NumPy function that computes it, by default the one of its name: eager execution,
            and the truth that native code is held to. Positional parameters are the tensor inputs
            (`*values`: any number of them), keyword-only parameters are the attributes, with their
            defaults. The annotation bool, int or str of an attribute that generated code contains
            is checked in files.
inputs      names of the inputs, when the kernel is a NumPy function without a readable signature;
            those of a ufunc are `x` and `y` by default
accepts     the data types taken: a set (all inputs share one type of it), or a dict by input name
alike       names of the inputs that share one type, where `accepts` does not tell
result      rule(*values, **attrs) -> Spec(dtype, shape), or a tuple of them for several outputs. It
            sees Values whose shapes may be partly or wholly unknown; raises ShapeError or
            DTypeError. By default, for operations with `scalar`, the data type of the inputs and
            their broadcast shape
effect      PURE, READS or WRITES state; a function of the attributes where it depends on them
operator    Python operator methods of Tensor that mean this, as in ("__add__", "__radd__")
scalar      native form of one element, a template over the input names: "{x} + {y}"
element     native form of data movement: see `runtime.lowering.fuse_loop_nests`
breaks      rule(out, *inputs, **attrs) -> indices of the last axis of the result between which
            `element` reads along a line: a loop is divided there, and each part may use vectors
reduce      native form of a reduction: see `runtime.lowering.fuse_loop_nests`
flops       rule(*results, *inputs) of shapes -> how many operations on numbers it takes, None where
            nobody counts them; left out where `scalar` or `reduce` tell, and where data only moves
gradient    rule(dy, y, *inputs, **attrs) -> the cotangent of each input, None where there is none;
            tuples of dy and y where there are several outputs. Broadcasting of inputs is undone
            by the caller. Without a rule the operation cannot be differentiated
analytic    False where the gradient rule is written for complex numbers. By default it is one for
            real numbers, which gets the conjugates of complex operands and results
several     True where the number of outputs follows from the attributes: the gradient rule gets
            tuples even where it is one
partial     rule(*values, **attrs) -> the constant value of the output, as far as the operands'
            constant values tell it (see `runtime.ir.constant_values`)
operands    rule(node, key) -> which inputs the sub-graph `key` of a control-flow node receives
public      the public names; the operation's own name, and that below `math.`, when left out

What passes and emitters ask about an operation is declared with it too. All of these fields have a
default, and `tests/house/test_op_facts.py` checks what can be checked by running kernels.

may_raise       whether the kernel or the native code may raise for some values of operands that
                fit: a bool, or a rule(node). By default an operation with a `scalar` or `reduce`
                form does not raise, and any other may
elementwise     True where each element of the result follows from the elements at the same index,
                by NumPy's broadcasting. By default True for operations with `scalar`
moves_only      True where each element of the results is an element of an operand, a fill value
                or an index: nothing is computed. By default True for operations with `element`
componentwise   True where a component of a complex result is the result for that component of the
                operands. By default True for operations that only move elements
of_components   True where complex numbers are taken apart or put together, whose parts native code
                computes with
only_reshapes   True where the result has the elements of the first operand in the same order
reads_lines     True where the elements of a line of the result lie along a line of the operand
parallel_safe   True where the native form may run inside a parallel loop. By default True with a
                native form of elements
any_length      whether the native form takes arrays whose sizes are computed when it runs (see
                `ir.extents`): a bool, or a rule(node). By default True with `scalar` or `reduce`
largest_shape   rule(*shapes, **attrs) -> the most elements along each axis of the result, where the
                operands have at most these shapes; None where that is not known
kept_axes       rule(result, *inputs, **attrs) of shapes -> for each input, the axes along which the
                result follows from it index by index: a dict from its axes to those of the result.
                By default those of broadcasting where `elementwise`, and those that `reduce` keeps
any_rows        True where the native form takes arrays of which only the number of rows is unknown
combine         the name of the operation that merges two partial results of a loop that repeats
                this operation: the sum of differences is merged by `add`
identity        the identity element of an associative operation that is not idempotent
negation        of a comparison: the comparison that holds where this one does not (NaN aside)
swapped         of a comparison: the comparison that means the same with its operands swapped
native_result   where native code puts the result of an operation that is not part of a loop nest:
                in "new" memory; as a "view", in that of the first operand, whose elements it has;
                or it "overwrites" the first operand where nothing else reads that
is_view         True where the result has elements of the first operand, at other indices
part_is_read_by the name of the operation that reads the part of the first operand which this one
                replaces by the second: it has the same attributes, and the other operands
is_indexing     True where the operands from the last input on are indices of the first one
in_place        the kernel as a function that writes into its first operand and returns it
float_ufunc     the ufunc that the kernel is where all inputs are floats: it takes `out=`
slow_path_beyond  by bits of a float, the largest magnitude of a finite operand for which the vector
                formula of the scalar form is exact enough: the C library takes larger ones
computes_in_result_dtype  True where the scalar form takes its operands cast to the result's dtype
may_return_operand  True where the kernel may return an operand itself
is_constant     True for the operation whose result is the attribute `value`
is_cheap        True where an array is computed without reading one, in less time than a copy takes
variable_access "read" or "write" where the attribute `cell` holds a variable; both give its value
draws_stream    True where the next random stream of a position in the program is taken
saves_for_backward  True where a stack of values that the backward pass needs grows or is read
is_check        True where the only effect is an error
supplies_items  True where the only effect is on what the items of an iteration come from
runs_python     True where the user's Python code runs, whose errors are passed on as they are
is_foreign      True where the attribute `function` is one that another compiler compiled: graphs in
                files name it
always_raises   True where nothing that follows is reached
uses_files      True where files are read or written; a function of the attributes where it depends
                on them
callee_attribute  the attribute whose `function` a NumPy program calls in place of the kernel
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ..core.classes import NamedTuple
from ..core.dtypes import ANY, DType
from ..core.errors import DTypeError, ShapeError
from ..core.public_names import load_operation
from ..core.shapes import Shape, broadcast
from ..core.user_source import users_operands

if TYPE_CHECKING:
    from .graph import Node, Value

PURE, READS, WRITES = 0, 1, 2


class _Table(dict[str, Any]):
    """The operations by name. The module of one that is not there yet is imported."""

    def __missing__(self, name: str) -> Op:
        load_operation(name)
        if name in self:
            return self[name]
        raise KeyError(name)


TABLE = _Table()
BY_UFUNC: dict[np.ufunc, Op] = {}


class Spec(NamedTuple):
    """What a result rule says of one output."""

    dtype: DType
    shape: Shape


def broadcast_shapes(*values) -> Shape:
    """The broadcast shape. Raises ShapeError with all shapes if they do not broadcast."""
    try:
        return broadcast(*(value.shape for value in values))
    except ValueError as error:
        raise ShapeError(str(error), "Each dimension has to be equal, or 1.") from None


def broadcast_together(*values, **attrs) -> Spec:
    """The dtype of the inputs and their broadcast shape."""
    return Spec(values[0].dtype, broadcast_shapes(*values))


def unknown_flops(*shapes) -> None:
    """The number of floating-point operations of a library routine: not known."""


class Op:
    """An operation: its declared fields, and its inputs and attributes."""

    kernel: Callable
    result: Callable
    scalar: str | Callable[[DType], str] | None = None
    element: Callable | None = None
    breaks: Callable | None = None
    reduce: Any = None
    flops: Callable | None = None
    gradient: Callable | None = None
    analytic: bool = True
    several: bool = False
    partial: Callable | None = None
    operands: Callable[[Node, str], tuple[Value, ...]] | None = None
    effect: int | Callable[[dict[str, Any]], int] = PURE

    may_raise: bool | Callable[[Node], bool]
    elementwise: bool
    moves_only: bool
    reads_lines: bool = False
    parallel_safe: bool
    any_length: bool | Callable[[Node], bool]
    largest_shape: Callable[..., tuple[int, ...] | None] | None = None
    kept_axes: Callable[..., Sequence[dict[int, int]]] | None = None
    any_rows: bool = False
    componentwise: bool
    of_components: bool = False
    only_reshapes: bool = False
    combine: str | None = None
    identity: int | None = None
    negation: str | None = None
    swapped: str | None = None
    part_is_read_by: str | None = None
    native_result: Literal["new", "view", "overwrites"] = "new"
    is_indexing: bool = False
    is_view: bool = False
    in_place: Callable | None = None
    float_ufunc: np.ufunc | None = None
    slow_path_beyond: dict[int, float] | None = None
    computes_in_result_dtype: bool = False
    may_return_operand: bool = False
    is_constant: bool = False
    is_cheap: bool = False
    variable_access: Literal["read", "write"] | None = None
    draws_stream: bool = False
    saves_for_backward: bool = False
    is_check: bool = False
    supplies_items: bool = False
    runs_python: bool = False
    is_foreign: bool = False
    always_raises: bool = False
    uses_files: bool | Callable[[dict[str, Any]], bool] = False
    callee_attribute: str | None = None

    fields: ClassVar[frozenset[str]]  # the names above, which a declaration may set

    def __init__(self, name: str, body: dict[str, Any]):
        self.name = name
        self.__name__ = name
        self.__doc__ = body.get("__doc__")
        self.__module__ = body.get("__module__", __name__)
        declared = {key: value for key, value in body.items() if key in self.fields}
        others = [key for key in body if key not in declared and not key.startswith("__")]
        if not _OTHER_FIELDS.issuperset(others):
            unknown = ", ".join(sorted({*others} - _OTHER_FIELDS))
            raise TypeError(f"the operation {name!r} declares {unknown}: no such field")
        is_numeric = bool(declared.get("scalar") or declared.get("reduce"))
        self.may_raise = not is_numeric
        self.elementwise = declared.get("scalar") is not None
        self.moves_only = declared.get("element") is not None
        self.componentwise = declared.get("moves_only", self.moves_only)
        self.parallel_safe = is_numeric or self.moves_only
        self.any_length = is_numeric
        if self.elementwise:
            self.result = broadcast_together
        vars(self).update(declared)
        if "kernel" not in declared:
            if not callable(kernel := getattr(np, name, None)):
                raise TypeError(f"the operation {name!r} has no kernel, and NumPy has none")
            self.kernel = kernel
        self._read_signature(body.get("inputs"))
        self._read_types(body.get("accepts", ANY), body.get("alike"))

    def _read_signature(self, inputs) -> None:
        """Inputs and attributes, from the kernel's own signature unless `inputs` names them."""
        self.variadic = False
        if isinstance(self.kernel, np.ufunc):
            inputs = inputs or ("x", "y")[: self.kernel.nin]
        if inputs is not None:
            self.inputs = tuple(inputs)
            self.variadic = any(name.startswith("*") for name in self.inputs)
            self.inputs = tuple(name.lstrip("*") for name in self.inputs)
            source = self.result
        else:
            source = self.kernel
            self.inputs, self.variadic = _positional_names(source)
        self.attrs = _keyword_only(source)

    def _read_types(self, accepts, alike) -> None:
        """Per input: the set of data types, and the name of the group that shares one type."""
        if isinstance(accepts, dict):
            self.accepts = tuple(accepts[name] for name in self.inputs)
            self.alike = tuple(name not in self._alone(accepts) for name in self.inputs)
        else:
            self.accepts = tuple(accepts for _ in self.inputs)
            self.alike = tuple(True for _ in self.inputs)
        if alike is not None:
            self.alike = tuple(name in alike for name in self.inputs)

    def _alone(self, accepts: dict) -> set[str]:
        """Inputs whose set is named only once stand for themselves; equal sets share one type."""
        dtypes = list(accepts.values())
        return {
            name for name, dtype in accepts.items() if sum(dtype is other for other in dtypes) == 1
        }

    def input_index(self, index: int) -> int:
        """Which declared input the operand number `index` belongs to (the last one may repeat)."""
        return min(index, len(self.inputs) - 1)

    def effect_of(self, attrs: dict[str, Any]) -> int:
        return self.effect(attrs) if callable(self.effect) else self.effect

    def may_raise_at(self, node: Node) -> bool:
        """Whether the code of this node may raise; see `may_raise`."""
        return self.may_raise(node) if callable(self.may_raise) else self.may_raise

    def takes_any_length(self, node: Node) -> bool:
        """Whether the native form takes arrays of computed sizes; see `any_length`."""
        return self.any_length(node) if callable(self.any_length) else self.any_length

    def operands_of(self, node: Node, key: str) -> tuple[Value, ...]:
        """Which inputs of a control-flow node its sub-graph `key` receives, in order."""
        assert self.operands is not None
        return self.operands(node, key)

    def check_types(self, values) -> None:
        """Raise DTypeError unless the inputs' data types are accepted and agree."""
        shared, first = None, 0
        for index, value in enumerate(values):
            place = self.input_index(index)
            if value.dtype not in self.accepts[place]:
                dtypes = ", ".join(sorted(dtype.name for dtype in self.accepts[place]))
                raise DTypeError(
                    f"{self.name}: '{self.inputs[place]}' is {value.dtype.name}",
                    f"It takes {dtypes}.",
                )
            if not self.alike[place]:
                continue
            if shared is not None and shared.dtype is not value.dtype:
                raise self._do_not_mix(values, first, index)
            shared, first = value, index

    def _do_not_mix(self, values, *pair: int) -> DTypeError:
        """The error for operands of two types; the cure casts to the type that holds more."""
        first, second = (values[index].dtype for index in pair)
        cure = "Convert numbers with ag.as_string, or strings with ag.strings.to_number."
        if "string" not in (first.name, second.name):
            order = "buiVfc"  # V: bfloat16
            wide = max(first, second, key=lambda t: (order.find(t.numpy_dtype.kind), t.size))
            narrow, index = (second, pair[1]) if wide is first else (first, pair[0])
            operands = users_operands(len(values), self.variadic)
            operand = operands[index] if operands else self.inputs[self.input_index(index)]
            cure = f"Cast the {narrow.name} side: ag.cast({operand}, ag.{wide.name})"
        return DTypeError(f"{self.name}: {first.name} and {second.name} do not mix", cure)

    def result_of(self, values, attrs):
        """What `result` gives; its ShapeError names the operation."""
        try:
            return self.result(*values, **attrs)
        except ShapeError as error:
            if not error.message.startswith(self.name):
                error.reworded(f"{self.name}: {error.message}")
            raise

    def __repr__(self):
        return f"<op {self.name}>"

    def __reduce__(self):
        return _find, (self.name,)


def _positional_names(function: Callable) -> tuple[tuple[str, ...], bool]:
    """The names of the positional parameters, and whether the last one is `*names`.

    Read from the code object: `inspect.signature` takes long for some hundred operations.
    """
    code = _innermost(function).__code__
    variadic = bool(code.co_flags & inspect.CO_VARARGS)
    last = code.co_argcount + code.co_kwonlyargcount
    return code.co_varnames[: code.co_argcount] + code.co_varnames[last : last + variadic], variadic


def _innermost(function: Callable) -> Any:
    """What `inspect.unwrap` gives: most functions wrap none, and are many."""
    return inspect.unwrap(function) if hasattr(function, "__wrapped__") else function


def _keyword_only(function: Callable) -> dict[str, Any]:
    """The keyword-only parameters with their defaults; `inspect.Parameter.empty` for none."""
    function = _innermost(function)
    code, defaults = function.__code__, function.__kwdefaults__ or {}
    names = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    return {name: defaults.get(name, inspect.Parameter.empty) for name in names}


def _find(name: str) -> Op:
    try:
        return TABLE[name]
    except KeyError:  # a process that unpickles a graph may not have imported its module yet
        dir(sys.modules[__name__.partition(".")[0]])  # imports all modules with public names
        return TABLE[name]


def no_gradient(dy, y, *inputs, **attrs) -> list:
    """The gradient rule of operations that are constant almost everywhere."""
    return [None] * len(inputs)


Op.fields = frozenset(Op.__annotations__) - {"fields"}
_OTHER_FIELDS = frozenset(("inputs", "accepts", "alike", "operator", "public"))
