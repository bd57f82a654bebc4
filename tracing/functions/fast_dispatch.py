"""The fast path of a call: a dispatcher generated for one function type.

A dispatcher has the parameters of the user's function, so Python itself binds positional
arguments, keywords and defaults. It compares each argument with the trace's types and runs the
graph, or returns MISS for the general path. Once the trace has native code of one kernel with one
result, a function of C does all of that.
"""

from __future__ import annotations

import functools
import operator
import re
import types
import weakref
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.executors.bound_calls import bound
from ...runtime.jit.backends import PLACED
from ...runtime.tensors.apply import BEHAVIOR, BUILDER, ENTERED
from ...runtime.tensors.listeners import OBSERVERS, TAPES
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
from .call_tests import CallTests
from .concrete_function import ConcreteFunction
from .fronts import MISS, misses, parameter_list, parameters_of, with_defaults

# The fast path is disabled while anything observes execution: tapes, hooks, eager mode, a graph.
PLAIN = (
    "not (ag__TAPES or ag__OBSERVERS or ag__PLACED or ag__CONFIG.run_functions_eagerly"
    " or ag__ENTERED and ag__builder() is not None)"
)
PREFIX = "ag__"
BUILTINS = {"len", "type", "getattr", "Exception"}
COMMON = {
    "TAPES": TAPES, "OBSERVERS": OBSERVERS, "CONFIG": CONFIG, "MISS": MISS, "builder": BUILDER.get,
    "ENTERED": ENTERED, "PLACED": PLACED, "EagerTensor": EagerTensor, "new": EagerTensor.__new__,
    "ndarray": np.ndarray,
}  # fmt: skip


class NotDirectError(Exception):
    """A function_type of argument that only the general way understands."""


def dispatcher(
    concrete: ConcreteFunction, function_type: FunctionType, entered: Callable[[], None]
) -> Callable | None:
    """A function that runs the trace if the arguments of a call are of type `function_type`, and
    else returns MISS. None if generated code cannot compare one of the arguments. `entered` is
    called when its attribute `state` has a function of C that does the same.
    """
    names = function_type.signature.parameters
    if concrete.in_scope_only or (concrete.executable.on_device and PLACED):
        return None
    if any(name.startswith(PREFIX) or name in BUILTINS for name in names):
        return None
    try:
        state = _State(concrete, function_type, entered)
    except NotDirectError:
        return None
    function: Any = state.in_python()
    function.state = state
    return function


def dispatchers(
    traces: dict[FunctionType, ConcreteFunction], entered: Callable[[], None]
) -> tuple[Callable, ...]:
    """Dispatchers of these traces, the most specific first.

    If a trace has none, more general traces get none either: they would accept its calls.
    """
    fast_paths: list[Callable] = []
    closed: list[FunctionType] = []
    covered = {each: sum(other.is_subtype_of(each) for other in traces) for each in traces}
    for function_type in sorted(traces, key=covered.__getitem__):
        is_open = not any(earlier.is_subtype_of(function_type) for earlier in closed)
        fast = None
        if is_open and traces[function_type].has_run:
            fast = dispatcher(traces[function_type], function_type, entered)
        if fast is not None:
            fast_paths.append(fast)
        elif not traces[function_type].in_scope_only:
            closed.append(function_type)
    return tuple(fast_paths)


def _has_items_of_tuple(python_type: type) -> bool:
    """Whether a class is a named tuple that reads its items as a tuple does."""
    is_named = issubclass(python_type, tuple) and hasattr(python_type, "_fields")
    if not is_named or hasattr(python_type, "__tf_flatten__"):
        return False
    names = ("__getitem__", "__iter__", "__len__")
    return all(getattr(python_type, name) is getattr(tuple, name) for name in names)


@functools.lru_cache(maxsize=1024)
def _compiled(source: str) -> types.CodeType:
    return compile(source, "<allograph dispatcher>", "exec")


class _State:
    """The callee of a dispatcher; `direct` is the function of C, once the trace has one."""

    def __init__(
        self, concrete: ConcreteFunction, function_type: FunctionType, entered: Callable[[], None]
    ):
        self.concrete, self.entered = concrete, entered
        self.signature = function_type.signature
        self.tests = _Tests(concrete, function_type)
        self.direct: Callable | None = None
        is_fixed = concrete.guards is None or not concrete.captured_tensors  # guards may put others
        self.waits = concrete.is_single_tensor and self.tests.are_native and is_fixed

    def upgraded(self) -> Callable:
        """The function of C."""
        make, tests = self.concrete.executable.on_tensors, self.tests
        assert make is not None
        places = [tests.places[at] for at in tests.tensors]
        captured = self.concrete.captured_tensors
        places += [tests.table.value_of("given", tensor) for tensor in captured]
        self.direct, self.waits = bound(make(tests.table, places), misses, tests.table), False
        self.entered()
        return self.direct

    def in_python(self) -> types.FunctionType:
        """The dispatcher. Behind the function of C are tests in Python, and the call they guard."""
        tests, concrete, names = self.tests, self.concrete, list(self.signature.parameters)
        lines = [*(self._direct() if self.waits else []), *_numbered(names), *tests.lines]
        is_here = tests.on_device is None
        letter, held = ("a", "captured_arrays") if is_here else ("x", "captured_tensors")
        captured = list(map(tests.name, getattr(concrete, held)))
        if concrete.guards is not None and captured:
            captured = [f"*ag__concrete.{held}"]  # guards may put others there
        arguments = [*(f"{letter}{at}" for at in tests.tensors), *captured]
        operands = "".join(f"{arg}, " for arg in arguments)
        if not is_here:
            lines.append(f"return ag__concrete.arrange(ag__executable.on_device([{operands}]))")
        lines += [
            "native = ag__executable._native",
            f"if native is None: results = ag__executable({operands})",
            "else:",
            f"    try: results = native({operands})",
            f"    except Exception as error: results = ag__executable.recover(error, ({operands}))",
        ]
        if concrete.is_single_tensor:
            lines += ["result = ag__new(ag__EagerTensor)", "result.array = results[0]"]
            lines += ["return result"]
        else:
            lines += ["return ag__concrete.arrange([ag__EagerTensor(one) for one in results])"]
        own = {"state": self, "concrete": concrete, "executable": concrete.executable}
        tests.scope.update({PREFIX + name: value for name, value in own.items()})
        head = f"def dispatch({parameter_list(self.signature)}):"
        exec(_compiled("\n    ".join([head, *lines])), tests.scope)
        return with_defaults(tests.scope.pop("dispatch"), self.signature)

    def _direct(self) -> list[str]:
        """The lines that call the function of C, if there is one."""
        arguments = [
            f"{name}={name}" if param.kind is param.KEYWORD_ONLY and self.tests.are_named else name
            for name, param in self.signature.parameters.items()
        ]
        return [
            "ag__direct = ag__state.direct",
            "if ag__direct is None and ag__state.waits and ag__executable.on_tensors is not None:",
            "    ag__direct = ag__state.upgraded()",
            "if ag__direct is not None:",
            f"    ag__result = ag__direct({', '.join(arguments)})",
            "    if ag__result is not ag__MISS: return ag__result",
        ]


def _numbered(names: list[str]) -> list[str]:
    """The lines that give the parameters their numbers; all at once where some have such names."""
    if any(re.fullmatch(r"x\d+", name) for name in names):
        return [f"{', '.join(f'x{at}' for at in range(len(names)))}, = {', '.join(names)},"]
    return [f"x{at} = {name}" for at, name in enumerate(names)]


class _Tests(CallTests):
    """Tests that nothing observes a call, and that its arguments have the types of a trace."""

    def __init__(self, concrete: ConcreteFunction, function_type: FunctionType):
        arg_types = list(function_type.types.values())
        parameters = parameters_of(function_type.signature)
        super().__init__(len(arg_types), parameters=parameters)
        self.are_named = bool(parameters)  # whether arguments of the function of C have names
        self.on_device: Any = concrete.executable.on_device
        self.are_native = BEHAVIOR.is_weak is None and self.on_device is None
        self.scope: dict[str, Any] = {PREFIX + name: value for name, value in COMMON.items()}
        self.lines: list[str] = []  # the tests in Python
        self.tensors: list[int] = []  # the numbers of the values that are tensors
        self.check(PLAIN)
        for observers in (TAPES, OBSERVERS, PLACED):  # lists of this length
            self.table.test("field", *self.table.keep(observers), 0)
        state = self.table.keep(vars(CONFIG), "run_functions_eagerly", False)
        self.table.test("item", *state)
        self.table.test("context", *self.table.keep(BUILDER, None), 0, 0)
        for at, arg_type in enumerate(arg_types):
            self.argument(at, arg_type)
        if concrete.guards is not None:
            self.check(f"{self.name(concrete.guards.unchanged)}()")
            self.table.test("holds", *self.table.keep(concrete.guards.unchanged))

    def name(self, value) -> str:
        """A name for a value in the source."""
        name = f"{PREFIX}{len(self.scope)}"
        self.scope[name] = value
        return name

    def check(self, test: str) -> None:
        self.lines.append(f"if not ({test}): return ag__MISS")

    def argument(self, at: int, arg_type: TraceType) -> None:
        """Compare a value with its type."""
        if isinstance(arg_type, TensorSpec):
            self.tensor(at, arg_type)
        elif type(arg_type) is Literal:
            self.literal(at, arg_type.value)
        elif type(arg_type) is Reference:
            self.referent(at, arg_type.referent)
        elif type(arg_type) is Container:
            self.container(at, arg_type)
        elif isinstance(arg_type, ExtensionSpec):
            self.check(f"type(x{at}) is {self.name(arg_type.value_type)}")
            self.of_class(at, arg_type.value_type)
            for name, field_type in arg_type.fields.items():
                place = self.table.value_of("called", operator.attrgetter(name), self.places[at])
                self.argument(self.part(f"x{at}.{name}", place), field_type)
        else:
            raise NotDirectError

    def part(self, source: str, place: int) -> int:
        """The number of a value that the source gives."""
        self.lines.append(f"x{len(self.places)} = {source}")
        self.places.append(place)
        return len(self.places) - 1

    def tensor(self, at: int, spec: TensorSpec) -> None:
        """Natively, the entry of the kernel compares the array."""
        self.tensors.append(at)
        cls, array = "ag__ndarray", "copy()"
        if self.on_device is not None:
            cls, array = self.name(self.on_device.tensors), "resident"
        self.lines += [
            f"if type(x{at}) is ag__EagerTensor: a{at} = x{at}.array",
            f"elif type(x{at}) is {cls}: a{at} = x{at}.{array}",
            "else: return ag__MISS",
        ]
        self.check(f"a{at}.dtype is {self.name(spec.dtype.numpy_dtype)}")
        if spec.dims is not None and None not in spec.dims:
            self.check(f"a{at}.shape == {spec.dims}")
        elif spec.dims is not None:
            known = ((axis, size) for axis, size in enumerate(spec.dims) if size is not None)
            tests = [f"a{at}.shape[{axis}] == {size}" for axis, size in known]
            self.check(" and ".join([f"len(a{at}.shape) == {len(spec.dims)}", *tests]))
        if BEHAVIOR.is_weak is not None:
            has = "" if type(spec) is WeakTensorSpec else "not "
            self.check(f"{has}getattr(x{at}, 'weak', False)")

    def literal(self, at: int, value) -> None:
        """The same object, or an equal one if equality is conclusive for its type."""
        same, cls = self.name(value), self.name(type(value))
        is_conclusive = type(value) in (int, str, bytes) or (type(value) is float and value)
        equal = f" or type(x{at}) is {cls} and x{at} == {same}" if is_conclusive else ""
        self.check(f"x{at} is {same}{equal}")
        if is_conclusive:
            self.require("equal", at, *self.table.keep(type(value), value))
        else:
            self.require("object", at, *self.table.keep(value))

    def referent(self, at: int, referent: Callable) -> None:
        self.check(f"x{at} is {self.name(referent)}()")
        is_weak = isinstance(referent, weakref.ref)
        kept = referent if is_weak else referent()
        self.require("weak" if is_weak else "object", at, *self.table.keep(kept))

    def container(self, at: int, arg_type: Container) -> None:
        python_type, count = arg_type.python_type, len(arg_type.components)
        table, place, (cls,) = self.table, self.places[at], self.table.keep(python_type)
        key_types = {*map(type, arg_type.keys)}
        self.check(f"type(x{at}) is {self.name(python_type)}")
        if arg_type.container_type is RECORD:
            sources = [f"getattr(x{at}, {name!r}, ag__MISS)" for name in arg_type.keys]
            self.of_class(at, python_type)
            gets = map(operator.attrgetter, arg_type.keys)
            places = [table.value_of("called", get, place) for get in gets]
        elif python_type in (dict, OrderedDict, defaultdict) and key_types in (set(), {str}, {int}):
            if int in key_types:  # 1 and True are one key
                self._equals(place, are_integers := lambda keys: {*map(type, keys)} == {int}, True)
                self.check(f"{self.name(are_integers)}(x{at})")
            sources = [f"x{at}.get({self.name(key)}, ag__MISS)" for key in arg_type.keys]
            self.check(f"len(x{at}) == {count}")
            table.test("sized", place, cls, count)
            places = [table.value_of("entry", key, place) for key in arg_type.keys]
        elif python_type in (list, tuple) or _has_items_of_tuple(python_type):
            sources = [f"x{at}[{index}]" for index in range(count)]
            self.check(f"len(x{at}) == {count}")
            places = [*table.unpack("list" if python_type is list else "tuple", count, place, cls)]
        else:
            raise NotDirectError
        for source, part_place, component in zip(sources, places, arg_type.components, strict=True):
            self.argument(self.part(source, part_place), component)
