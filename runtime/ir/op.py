"""One operation, one declaration: its types, shape rule, kernel, native form and effect.

    @op
    class Tanh:
        '''Hyperbolic tangent of each element.'''
        accepts = FLOATS
        result = same_as_input
        kernel = np.tanh
        scalar = "tanh({x})"

Registering a class makes the public function `ag.tanh`, its documentation and its tests. The
fields:

kernel      the NumPy function that computes it: eager execution, and the truth that native code is
            held to. Positional parameters are the tensor inputs (`*values`: any number of them),
            keyword-only parameters are the attributes, with their defaults.
inputs      names of the inputs, when the kernel is a NumPy function without a readable signature
accepts     the data types taken: a set (all inputs share one type of it), or a dict by input name
alike       names of the inputs that share one type, where `accepts` does not tell
result      rule(*values, **attrs) -> Spec(dtype, shape), or a tuple of them for several outputs. It
            sees Values whose shapes may be partly or wholly unknown; raises ShapeError or
            DTypeError
effect      PURE, READS or WRITES state; a function of the attributes where it depends on them
operator    Python operator methods of Tensor that mean this, as in ("__add__", "__radd__")
scalar      native form of one element, a template over the input names: "{x} + {y}"
element     native form of data movement: see `runtime.lowering.fuse_loop_nests`
reduce      native form of a reduction: see `runtime.lowering.fuse_loop_nests`
flops       rule(*results, *inputs) of shapes -> how many operations on numbers it takes, None where
            nobody counts them; left out where `scalar` or `reduce` tell, and where data only moves
gradient    rule(dy, y, *inputs, **attrs) -> the cotangent of each input, None where there is none;
            tuples of dy and y where there are several outputs. Broadcasting of inputs is undone
            by the caller. Without a rule the operation cannot be differentiated
several     True where the number of outputs follows from the attributes: the gradient rule gets
            tuples even where it is one
of_floats   the NumPy function that the kernel is where all inputs are floats: it can write into an
            array that is given to it
may_give_operand  True where the kernel may give an input itself
public      the public names; the operation's own name, and that below `math.`, when left out
hidden      True for operations that users never call by name
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core.dtypes import ANY, DType
from ..core.errors import DTypeError
from ..core.shapes import Shape

PURE, READS, WRITES = 0, 1, 2

TABLE: dict[str, Op] = {}
BY_UFUNC: dict[np.ufunc, Op] = {}


class Spec(NamedTuple):
    """What a result rule says of one output."""

    dtype: DType
    shape: Shape


class Op:
    """An operation; calling it applies it to tensors, eagerly or into the graph being built."""

    def __init__(self, name: str, body: dict[str, Any]):
        self.name = name
        self.__name__ = name
        self.__doc__ = body.get("__doc__")
        self.__module__ = body.get("__module__")
        self.kernel: Callable = body.get("kernel")
        self.result: Callable = body["result"]
        self.scalar: str | Callable | None = body.get("scalar")
        self.element: Callable | None = body.get("element")
        self.reduce = body.get("reduce")
        self.flops: Callable | None = body.get("flops")
        self.gradient: Callable | None = body.get("gradient")
        self.several: bool = body.get("several", False)
        self.partial: Callable | None = body.get("partial")
        self.effect = body.get("effect", PURE)
        self.operand_rule: Callable | None = body.get("operands")
        self.extra = {key: value for key, value in body.items() if key not in _FIELDS}
        self._read_signature(body.get("inputs"))
        self._read_types(body.get("accepts", ANY), body.get("alike"))

    def _read_signature(self, inputs) -> None:
        """Inputs and attributes, from the kernel's own signature unless `inputs` names them."""
        self.variadic = False
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
        kinds = list(accepts.values())
        return {
            name for name, kind in accepts.items() if sum(kind is other for other in kinds) == 1
        }

    def place(self, index: int) -> int:
        """Which declared input the operand number `index` belongs to (the last one may repeat)."""
        return min(index, len(self.inputs) - 1)

    def effect_of(self, attrs: dict) -> int:
        return self.effect(attrs) if callable(self.effect) else self.effect

    def operands_of(self, node, key: str):
        """Which inputs of a control-flow node its sub-graph `key` receives, in order."""
        return self.operand_rule(node, key)

    def check_types(self, values) -> None:
        """Raise DTypeError unless the inputs' data types are accepted and agree."""
        shared = None
        for index, value in enumerate(values):
            place = self.place(index)
            if value.dtype not in self.accepts[place]:
                kinds = ", ".join(sorted(kind.name for kind in self.accepts[place]))
                raise DTypeError(
                    f"{self.name}: '{self.inputs[place]}' is {value.dtype.name}",
                    f"It takes {kinds}.",
                )
            if not self.alike[place]:
                continue
            if shared is not None and shared.dtype is not value.dtype:
                raise self._do_not_mix(shared.dtype, value.dtype)
            shared = value

    def _do_not_mix(self, one: DType, other: DType) -> DTypeError:
        """The error for inputs of two types; the cure casts to the type that holds more numbers."""
        cure = "Write numbers as texts with ag.as_string, or read texts with ag.strings.to_number."
        if "string" not in (one.name, other.name):
            kinds = "buifc"
            wide = max(one, other, key=lambda t: (kinds.find(t.numpy_dtype.kind), t.size))
            narrow = other if wide is one else one
            cure = f"Cast the {narrow.name} side: ag.cast(x, ag.{wide.name})"
        return DTypeError(f"{self.name}: {one.name} and {other.name} do not mix", cure)

    def __repr__(self):
        return f"<op {self.name}>"

    def __reduce__(self):
        return _find, (self.name,)


def _positional_names(function: Callable) -> tuple[tuple[str, ...], bool]:
    """The names of the positional parameters, and whether the last one is `*names`.

    Read from the code object: `inspect.signature` takes long for some hundred operations.
    """
    code = inspect.unwrap(function).__code__
    variadic = bool(code.co_flags & inspect.CO_VARARGS)
    last = code.co_argcount + code.co_kwonlyargcount
    return code.co_varnames[: code.co_argcount] + code.co_varnames[last : last + variadic], variadic


def _keyword_only(function: Callable) -> dict[str, Any]:
    """The keyword-only parameters with their defaults; `inspect.Parameter.empty` for none."""
    function = inspect.unwrap(function)
    code, defaults = function.__code__, function.__kwdefaults__ or {}
    names = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    return {name: defaults.get(name, inspect.Parameter.empty) for name in names}


def _find(name: str) -> Op:
    return TABLE[name]


def no_gradient(dy, y, *inputs, **attrs) -> list:
    """The gradient rule of operations that are constant almost everywhere."""
    return [None] * len(inputs)


_FIELDS = {
    "accepts", "alike", "inputs", "kernel", "result", "scalar", "element", "reduce", "flops",
    "gradient", "several", "partial", "effect", "operands", "operator", "public", "hidden",
    "__doc__", "__module__", "__qualname__", "__dict__", "__weakref__",
    "__firstlineno__", "__static_attributes__",
}  # fmt: skip
