"""The fast path of a call: a dispatcher generated for one function type.

A dispatcher has the parameters of the user's function, so Python itself binds positional
arguments, keywords and defaults. It compares each argument with the trace's types and runs the
graph, or returns MISS for the general path. Its source depends on argument types only, so
functions with equal signatures share the compiled code.
"""

from __future__ import annotations

import functools
import types
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.tensors.active_tapes import TAPES
from ...runtime.tensors.apply import BUILDER, ENTERED
from ...runtime.tensors.numpy_behavior_switch import BEHAVIOR
from ...runtime.tensors.op_hooks import OBSERVERS
from ...runtime.tensors.tensor import EagerTensor
from ..structures.config import CONFIG
from ..structures.nest import RECORD
from ..type_system.extension_spec import ExtensionSpec
from ..type_system.function_type import FunctionType
from ..type_system.trace_types import (
    Container,
    Literal,
    Reference,
    TensorSpec,
    TraceType,
    WeakTensorSpec,
)
from .concrete_function import ConcreteFunction
from .fronts import MISS, parameter_list, with_defaults

# The fast path is disabled while anything observes execution: tapes, hooks, eager mode, a graph.
PLAIN = (
    "ag__TAPES or ag__OBSERVERS or ag__CONFIG.run_functions_eagerly"
    " or ag__ENTERED and ag__builder() is not None"
)
PREFIX = "ag__"
BUILTINS = {"len": len, "type": type, "getattr": getattr, "Exception": Exception}
COMMON = {
    "TAPES": TAPES, "OBSERVERS": OBSERVERS, "CONFIG": CONFIG, "MISS": MISS, "builder": BUILDER.get,
    "ENTERED": ENTERED,
    "EagerTensor": EagerTensor, "new": EagerTensor.__new__, "ndarray": np.ndarray,
    "ArithmeticError": ArithmeticError, "NotImplemented": NotImplemented,
}  # fmt: skip


class NotDirectError(Exception):
    """A function_type of argument that only the general way understands."""


def dispatcher(concrete: ConcreteFunction, function_type: FunctionType) -> Callable | None:
    """A function that runs the trace if the arguments of a call are of type `function_type`, and
    else returns MISS. None if generated code cannot compare one of the arguments.
    """
    if concrete.in_scope_only:
        return None
    try:
        source, scope = _Writer(concrete, function_type).write()
    except NotDirectError:
        return None
    exec(_compiled(source), scope)
    return with_defaults(scope["ag__dispatch"], function_type.signature)


def dispatchers(traces: dict[FunctionType, ConcreteFunction]) -> tuple[Callable, ...]:
    """Dispatchers of these traces, the most specific first.

    If a trace has none, more general traces get none either: they would accept its calls.
    """
    found: list[Callable] = []
    closed: list[FunctionType] = []
    for function_type in sorted(
        traces, key=lambda function_type: sum(one.is_subtype_of(function_type) for one in traces)
    ):
        fast = None
        if (
            not any(one.is_subtype_of(function_type) for one in closed)
            and traces[function_type].has_run
        ):
            fast = dispatcher(traces[function_type], function_type)
        if fast is not None:
            found.append(fast)
        elif not traces[function_type].in_scope_only:
            closed.append(function_type)
    return tuple(found)


def _has_items_of_tuple(python_type: type) -> bool:
    """Whether a class is a named tuple that reads its items as a tuple does."""
    names = ("__getitem__", "__iter__", "__len__")
    return (
        issubclass(python_type, tuple)
        and hasattr(python_type, "_fields")
        and not hasattr(python_type, "__tf_flatten__")
        and all(getattr(python_type, name) is getattr(tuple, name) for name in names)
    )


@functools.lru_cache(maxsize=1024)
def _compiled(source: str) -> types.CodeType:
    return compile(source, "<allograph dispatcher>", "exec")


class _Writer:
    """Writes the source, and collects the objects it names; these names begin with PREFIX."""

    def __init__(self, concrete: ConcreteFunction, function_type: FunctionType):
        self.concrete = concrete
        self.function_type = function_type
        self.lines: list[str] = []
        self.tensors: list[str] = []
        self.arrays: list[str] = []  # of these tensors
        self.tests: list[str] = []  # the lines that find the arrays and test their types
        self.count = 0
        self.scope: dict[str, Any] = {"__builtins__": dict(BUILTINS)}
        self.scope |= {PREFIX + name: thing for name, thing in COMMON.items()}
        self.scope[PREFIX + "concrete"] = concrete
        self.scope[PREFIX + "executable"] = concrete.executable

    def write(self) -> tuple[str, dict[str, Any]]:
        self.miss_if(PLAIN)
        for name, arg_type in self.function_type.types.items():
            self.argument(name, arg_type)
        if self.concrete.guards is not None:
            self.miss_if(f"not {self.named(self.concrete.guards.unchanged)}()")
        if self.concrete.is_single_tensor:
            self.run_on_tensors()
        self.lines += self.tests
        self.run()
        head = f"def ag__dispatch({self.parameters()}):"
        return "\n    ".join([head, *self.lines]) + "\n", self.scope

    def parameters(self) -> str:
        """The parameters as the user wrote them; the default values are filled in afterwards."""
        signature = self.function_type.signature
        if any(one.startswith(PREFIX) or one in BUILTINS for one in signature.parameters):
            raise NotDirectError
        return parameter_list(signature)

    def line(self, code: str) -> None:
        self.lines.append(code)

    def miss_if(self, test: str) -> None:
        self.line(f"if {test}: return ag__MISS")

    def named(self, thing=None) -> str:
        """A fresh name, bound to `thing` in the scope."""
        self.count += 1
        name = f"{PREFIX}{self.count}"
        if thing is not None:
            self.scope[name] = thing
        return name

    # ---- arguments -----------------------------------------------------------------------

    def argument(self, value_code: str, arg_type: TraceType) -> None:
        """Compare the value of the expression `value_code` with its type."""
        if isinstance(arg_type, TensorSpec):
            self.tensor(value_code, arg_type)
            if BEHAVIOR.is_weak is not None:
                has = "not " if type(arg_type) is WeakTensorSpec else ""
                self.miss_if(f"{has}getattr({value_code}, 'weak', False)")
        elif type(arg_type) is Literal:
            self.literal(value_code, arg_type.value)
        elif type(arg_type) is Reference:
            self.miss_if(f"{value_code} is not {self.named(arg_type.referent)}()")
        elif type(arg_type) is Container:
            self.container(value_code, arg_type)
        elif isinstance(arg_type, ExtensionSpec):
            self.miss_if(f"type({value_code}) is not {self.named(arg_type.value_type)}")
            for name, field_type in arg_type.fields.items():
                item = self.named()
                self.line(f"{item} = {value_code}.{name}")
                self.argument(item, field_type)
        else:
            raise NotDirectError

    def tensor(self, value_code: str, spec: TensorSpec) -> None:
        array = self.named()
        self.tensors.append(value_code)
        self.arrays.append(array)
        tests = [f"{array}.dtype is not {self.named(spec.dtype.numpy_dtype)}"]
        if spec.dims is not None and None not in spec.dims:
            tests.append(f"{array}.shape != {spec.dims}")
        elif spec.dims is not None:
            tests.append(f"{array}.ndim != {len(spec.dims)}")
            static = [(axis, size) for axis, size in enumerate(spec.dims) if size is not None]
            tests += [f"{array}.shape[{axis}] != {size}" for axis, size in static]
        self.tests += [
            f"if type({value_code}) is ag__EagerTensor: {array} = {value_code}.array",
            f"elif type({value_code}) is ag__ndarray: {array} = {value_code}.copy()",
            "else: return ag__MISS",
            f"if {' or '.join(tests)}: return ag__MISS",
        ]

    def literal(self, value_code: str, value) -> None:
        """Test for the same object, or an equal one if equality is conclusive for its type."""
        if value is None or value is True or value is False:
            self.miss_if(f"{value_code} is not {value}")
            return
        same = self.named(value)
        test = f"{value_code} is not {same}"
        if type(value) in (int, str, bytes) or (type(value) is float and value):
            python_type = self.named(type(value))
            test += f" and (type({value_code}) is not {python_type} or {value_code} != {same})"
        self.miss_if(test)

    def container(self, value_code: str, arg_type: Container) -> None:
        python_type, count = arg_type.python_type, len(arg_type.components)
        test = f"type({value_code}) is not {self.named(python_type)}"
        if arg_type.container_type is RECORD:
            codes = [f"getattr({value_code}, {name!r}, ag__MISS)" for name in arg_type.keys]
        elif python_type in (dict, OrderedDict, defaultdict):
            test += f" or len({value_code}) != {count}"
            codes = [f"{value_code}.get({self.named(key)}, ag__MISS)" for key in arg_type.keys]
        elif python_type in (list, tuple) or _has_items_of_tuple(python_type):
            test += f" or len({value_code}) != {count}"
            codes = [f"{value_code}[{index}]" for index in range(count)]
        else:
            raise NotDirectError
        self.miss_if(test)
        for code, component in zip(codes, arg_type.components, strict=True):
            item = self.named()
            self.line(f"{item} = {code}")
            self.argument(item, component)

    # ---- running -------------------------------------------------------------------------

    def captured(self, name: str) -> list[str]:
        """What the trace captured: an attribute of it, as operands."""
        found = [self.named(one) for one in getattr(self.concrete, name)]
        if self.concrete.guards is not None and found:
            return [f"*ag__concrete.{name}"]  # guards may put others there
        return found

    def run_on_tensors(self) -> None:
        """Call native code that tests tensors itself, if there is such. Where it does not take them
        or fails, the following lines say what happens.
        """
        operands = ", ".join([*self.tensors, *self.captured("captured_tensors")])
        self.line("ag__on_tensors = ag__executable.on_tensors")
        self.line("if ag__on_tensors is not None:")
        self.line(f"    try: ag__result = ag__on_tensors({operands})")
        self.line("    except ag__ArithmeticError as ag__error:")
        self.line("        if type(ag__error) is not ag__ArithmeticError: raise")
        self.line("    else:")
        self.line("        if ag__result is not ag__NotImplemented: return ag__result")

    def run(self) -> None:
        """Call native code, or its fallback until that is ready, and wrap the results."""
        operands = "".join(
            f"{operand}, " for operand in [*self.arrays, *self.captured("captured_arrays")]
        )
        self.line("ag__native = ag__executable._native")
        self.line(f"if ag__native is None: ag__results = ag__executable({operands})")
        self.line("else:")
        self.line(f"    try: ag__results = ag__native({operands})")
        self.line(
            f"    except Exception as ag__error: "
            f"ag__results = ag__executable.recover(ag__error, ({operands}))"
        )
        if self.concrete.is_single_tensor:
            self.line("ag__result = ag__new(ag__EagerTensor)")
            self.line("ag__result.array = ag__results[0]")
            self.line("return ag__result")
        else:
            self.line("return ag__concrete.arrange([ag__EagerTensor(x) for x in ag__results])")
