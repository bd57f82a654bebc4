"""`jit`: functions of NumPy arrays, unchanged, as native code."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from types import FrameType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograph.api import convert
from ...autograph.current_trace import TRACE, UNTRACED
from ...autograph.operators.raising import Retrace
from ...autograph.replacements import TOLD
from ...runtime.core.errors import SymbolicValueError
from ...runtime.core.locks import CompilerLock
from ...runtime.core.public_names import public
from ...runtime.core.tracebacks import hide_internal_frames
from ...runtime.executors.bound_calls import number_of_results
from ...runtime.executors.callable_from_c import CGraph, ToC
from ...runtime.executors.machine_code import SharedKernels, sharing
from ...runtime.ir.callee import callees_in
from ...runtime.ir.rich_display import RichDisplay
from ...runtime.jit import backends
from ...runtime.tensors.late_binding import late
from ..functions.fronts import MISS, Called, as_called, front, parameters_of
from ..functions.guard_discovery import GuardDiscovery
from ..functions.guards import RECURSION_LIMIT, STATE, Guards, state_of
from ..functions.pickled_functions import Pickled
from ..functions.trace_cache import TraceTable
from ..structures.argument_structures import flatten_arguments
from ..structures.errors import refuse_descriptor
from ..type_system.function_type import signature_of
from .calls.argument_keys import is_structure, keys_of
from .calls.interruptions import comes_from_outside, is_tracing, run_outside, run_trace
from .calls.random_generators import generator_types
from .compiled_calls import fast_call, holds_values, is_constant, is_plain, may_run, python_call
from .iteration import FEW_ITERATIONS, MORE_ITERATIONS
from .numpy_stager import is_numpy_trace
from .refusal import (
    FINAL,
    OF_SIZE,
    RECURSION,
    KnownArguments,
    RefusedError,
    is_interruption,
    place_of_exception,
    reason_of_exception,
)
from .storage import check_array
from .trace import Traced, split_keywords, trace
from .traced_scalar import LARGE, NATIVE, PYTHON_DTYPES

if TYPE_CHECKING:
    from ...runtime.core.source_locations import SourceLocation
    from ..functions.retrace_history import Change

MOST_TYPES = 1024  # combinations of types of arguments that are kept: some 50 KB each
MOST_VARIANTS = 2  # of one type, which keep the arrays that they have seen
MOST_FLOATS = 64  # combinations where sizes depend on a float
MOST_VALUES = 8  # of numbers that are constants where native code needs no size of them
UNFORESEEN = (
    "the first calls were none that native code foresees: for example, a number changes its type "
    "in a loop that had no iteration, or an integer needs more than 62 bits"
)
OF_ANY_NAME = "**keywords", "keywords of any name"
MOST_UNFORESEEN = 4  # calls of a trace that fail, and that Python serves


class Entry:
    """The way of calls with arguments of certain types: native code, or NumPy for a reason."""

    changes: Sequence[Change] = ()  # of the state of Python, since the trace before this one

    def __init__(
        self, traced: Traced | None, reason: str | None, guards: Guards | None = None,
        parameters: Sequence = (), where: SourceLocation | None = None,
    ):  # fmt: skip
        self.traced: Any = traced
        self.reason = reason
        self.where = where  # the line that the reason is about
        self.guards = guards
        self.make_in_python: Callable  # makes what runs native code for arguments that fit
        self.run: Callable | None = None
        self.calls_in_python = 0
        self.failures = self.unforeseen = 0
        if traced is not None:
            self.run, self.in_python = fast_call(traced, guards, self, parameters)

    @property
    def calls(self) -> int:
        return self.calls_in_python + (0 if self.run is None else number_of_results(self.run))

    def is_usable(self) -> bool:
        return self.guards is None or self.guards.unchanged()

    def note_unforeseen(self) -> None:
        """Leave calls to NumPy where native code served no call, and several raised nothing."""
        self.unforeseen += 1
        if self.unforeseen >= MOST_UNFORESEEN and self.failures == self.calls:
            called = ", ".join(self.traced.host_calls)
            self.reason = f"calls of {called}" if called else UNFORESEEN
            self.calls_in_python, self.run, self.traced = self.calls, None, None


def _of_python_function(name: str) -> property:
    """An attribute that the Python function has, and that programs may set."""
    return property(
        lambda self: getattr(self.python_function, name),
        lambda self, value: setattr(self.python_function, name, value),
    )


class JitFunction(Called, Pickled, ToC, RichDisplay):
    """A function of NumPy arrays and numbers; see `jit`."""

    __name__: str
    is_jit_function = True  # as an argument of another one, a constant of the trace
    __code__, __defaults__, __kwdefaults__ = map(_of_python_function, STATE)
    __globals__, __closure__ = map(_of_python_function, ("__globals__", "__closure__"))

    def __init__(self, function: Callable, kernel_compiler: str | None = None):
        functools.update_wrapper(self, function)  # attributes of the same names are those below
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.python_function = function
        self.kernel_compiler = kernel_compiler
        self.jit_table: TraceTable[tuple, Entry] = TraceTable(MOST_TYPES, MOST_VARIANTS)
        self.kernels = self._kernels = SharedKernels()
        self.jit_static: frozenset[int] = frozenset()
        self._grows = False  # whether new arrays may have computed sizes without a limit
        self._has_chosen_values = False  # whether `static` has more than sizes need
        self._unrolls = False  # whether Python runs more loops over constants
        self._lock = CompilerLock()
        TOLD.add(self)
        self._bind()
        self.set_entrance(self._entered)

    def _bind(self) -> None:
        """Bind arguments by the code and the defaults that the Python function has now."""
        function = self.python_function
        self._placed: dict[str, JitFunction] = {}  # by the device of the calls
        inner = function.func if isinstance(function, functools.partial) else function
        inner = type(inner).__call__ if hasattr(type(inner).__call__, "__code__") else inner
        binding = Guards(state_of(inner, True) if hasattr(inner, "__code__") else ())
        in_python = hasattr(getattr(function, "_implementation", None), "__code__")  # of NumPy
        bound = as_called(function)
        self.jit_signature = inspect.signature(bound) if in_python else signature_of(bound)
        ways = {name: row.kind.name for name, row in self.jit_signature.parameters.items()}
        named = tuple(name for name, way in ways.items() if way == "KEYWORD_ONLY")
        self.jit_keywords = named  # traced as arguments after the others
        self._is_direct = not (named and "VAR_POSITIONAL" in ways.values())  # see `try_first`
        self._front = front(self.jit_signature, self._general, self._with_keywords)
        for name in ("__name__", "__qualname__"):  # those that errors of calls show
            setattr(self._front, name, getattr(inner, name, self._front.__name__))
        self.jit_binding = binding  # last: other threads call by what is bound once it is unchanged

    def _entered(self, /, *args, **kwargs):
        """A call that no fast call has served."""
        if not self.jit_binding.unchanged():
            with self._lock:  # what one thread binds is not that of two states
                self._bind()
            self.forget_refusals()
        try:
            return self._front(*args, **kwargs)
        except Exception as error:
            hide_internal_frames(error)
            raise

    def _general(self, args: tuple):
        """A call with arguments in the order of the parameters."""
        if is_numpy_trace():
            return self._traced_call(sys._getframe(3), *split_keywords(args, self.jit_keywords))
        is_placed = backends.PLACED and self.kernel_compiler is None
        device = backends.compiler_of_function() if is_placed else None
        own = self if device is None else self._placed.get(device)
        if own is None:
            own = self._placed.setdefault(device, JitFunction(self.python_function, device))
        with backends.compiling_with(own.kernel_compiler):
            result = backends.backend().called(own, args, MISS)
        return own.looked_up(args) if result is MISS else result

    def _with_keywords(self, *args, **kwargs):
        """A call with keywords of any name."""
        if is_numpy_trace():
            return self._traced_call(sys._getframe(3), args, kwargs)
        self._of_no_types(*OF_ANY_NAME).calls_in_python += 1
        return self.python_function(*args, **kwargs)

    def _traced_call(self, caller: FrameType, args: tuple, kwargs: dict):
        """A call during a trace, by this caller."""
        if comes_from_outside(caller, args, kwargs):
            return run_outside(functools.partial(self, *args, **kwargs))
        return convert(recursive=True)(self.python_function)(*args, **kwargs)

    def _of_no_types(self, described: str, reason: str) -> Entry:
        """The entry for calls that Python runs whatever the arguments are."""
        return self.jit_table.setdefault(((dict, described),), Entry(None, reason))

    def looked_up(self, args: tuple):
        """The result by the entry for the arguments, which the next call tries first."""
        entry = self.entry_of(args)
        if entry.traced is None:
            self._note_python(entry, args)
        elif entry.run is not None:
            in_c = entry.run is not entry.in_python and entry.run in self._direct
            if in_c and entry.traced.executable.native.has_guards:  # of which one fails
                entry.calls_in_python, entry.run = entry.calls, entry.in_python
            if self._is_direct and TRACE.get() is UNTRACED:
                self.try_first(entry.run)
            result = entry.make_in_python()(*args) if may_run(entry.traced, args) else MISS
            if result is not MISS:
                return result
            entry.failures += 1
        entry.calls_in_python += 1
        others, keywords = split_keywords(args, self.jit_keywords)
        try:
            result = self._in_python(entry)(*others, **keywords)  # nothing has changed
        except SymbolicValueError as error:
            error.add_note(
                f"`{self.__name__}` is decorated with `ag.jit`, which is for arrays. Of tensors, "
                f"call `{self.__name__}.python_function`, which autograph converts."
            )
            raise
        if entry.traced is not None:
            entry.note_unforeseen()
        return result

    def _in_python(self, entry: Entry) -> Callable:
        """The function. One that calls itself, and whose native code failed, calls no native code:
        that would fail at each depth.
        """
        function, name = self.python_function, self.__name__
        if entry.traced is None or type(function) is not FunctionType:
            return function
        if function.__globals__.get(name) is not self:
            return function
        if not callees_in(entry.traced.executable.graph):
            return function
        own = {**function.__globals__}
        parts = function.__name__, function.__defaults__, function.__closure__
        own[name] = copy = FunctionType(function.__code__, own, *parts)
        copy.__kwdefaults__ = function.__kwdefaults__
        vars(copy).update(vars(self))  # attributes that it reads of itself
        return copy

    def _note_python(self, entry: Entry, args: tuple) -> None:
        """Try first what Python does for the arguments, where nothing is native."""
        is_known = not self.jit_keywords and all(map(is_plain, args))
        if is_known and not is_tracing():
            if entry.run is None:
                entry.run = python_call(self, args, entry)
            if all(table_entry.traced is None for table_entry in list(self.jit_table.values())):
                self.try_first(entry.run)

    def content(self) -> tuple:
        return self.python_function, self.kernel_compiler

    def fill(self, *content) -> None:
        self.__init__(*content)

    def graph_for_c(self, arguments: Sequence) -> CGraph:
        """For `as_cfunc`: the trace for arguments of these types."""
        return late.graph_of_jit(self, arguments)

    def __get__(self, instance, owner=None):
        return self if instance is None else MethodType(self, instance)

    def __repr__(self):
        return f"<JitFunction {self.__name__}{inspect.signature(self)}>"

    def inspect(self) -> str:
        """The entry of each combination of argument types: native code, or NumPy and why."""
        return late.inspected(self)

    def explain_retraces(self) -> str:
        """Which argument made each trace after the first one necessary."""
        return late.retraces_of(self)

    def get_concrete_function(self, *args, **kwargs):
        """The trace for these arguments, with its graph; a `TensorSpec` stands for an array."""
        return late.jit_trace(self, args, kwargs)

    def entry_for(self, *args, **kwargs) -> Entry:
        """The entry for a call with these arguments, which is compiled but not made."""
        of_any_name = functools.partial(self._of_no_types, *OF_ANY_NAME)
        bound = front(self.jit_signature, self.entry_of, lambda *_, **__: of_any_name())
        return bound(*args, **kwargs)

    def forget_refusals(self) -> None:
        """Trace again where Python runs something, for which there may be a replacement now."""
        for key, entry in list(self.jit_table.items()):
            if entry.traced is None or entry.traced.host_calls:
                self.jit_table.drop(key)
        self.enter_directly([])

    # ---- the table ---------------------------------------------------------------------------

    def calls_of(self, key: tuple) -> int:
        """How many calls of a type there were."""
        return sum(entry.calls for entry in self.jit_table.variants(key))

    def entry_of(self, args: tuple) -> Entry:
        while True:
            static = self.jit_static
            key = keys_of(args, static)
            entry = self.jit_table.usable(key)
            if entry is not None:
                return entry
            if is_tracing():  # what interrupts a trace makes none
                return self._of_no_types("during a trace", "a trace runs at most once")
            with self._lock:
                if static is self.jit_static:
                    new = run_trace(functools.partial(self._traced, args))
                    if new is None:
                        continue
                    key = keys_of(args, self.jit_static)
                    before, latest = self.calls_of(key), self.jit_table.get(key)
                    if latest is not None and latest.guards is not None:
                        new.changes = latest.guards.changes()
                    self.jit_table.add(key, new)
                    new.calls_in_python = before - self.calls_of(key)
                    return new

    def _traced(self, args: tuple) -> Entry | None:
        with backends.compiling_with(self.kernel_compiler):
            return self._traced_inside(args)

    def _traced_inside(self, args: tuple) -> Entry | None:
        """A new entry; None if more arguments turned out to be constants."""
        try:
            leaves, structures = args, ()
            if any(map(is_structure, args)):
                leaves, structures = flatten_arguments(args, is_constant)
            for value in leaves:
                _check_argument(value)
            if len(self.jit_table) >= MOST_FLOATS and any(
                type(leaves[at]) is float for at in self.jit_static
            ):
                raise RefusedError(f"a size depends on a float, which had {MOST_FLOATS} values")
            has_closures = any(map(holds_values, leaves))
            if (has_closures or self._has_chosen_values) and len(self.jit_table) >= MOST_VALUES:
                known = "functions" if has_closures else "numbers"
                raise RefusedError(f"native for known {known}, which had {MOST_VALUES} values")
            with sharing(self._kernels):
                traced, discovery = self._trace(leaves, structures)
        except Retrace as request:
            if not isinstance(request.change, KnownArguments):
                return self._refused_entry(request)
            self.jit_static = request.change.apply(self.jit_static)
            return None
        except BaseException as error:  # NumPy raises it again, if it is the function's own
            if is_interruption(error):
                raise
            return self._refused_entry(error)
        discovery.by_reference = set(map(id, traced.captured))
        if callees_in(traced.executable.graph):
            discovery.inherit(Guards([RECURSION_LIMIT]))
        return Entry(traced, None, discovery.guards(), parameters_of(self.jit_signature))

    def _refused_entry(self, error: BaseException) -> Entry:
        reason, where = reason_of_exception(error), place_of_exception(error)
        backends.backend().note_refused(self.__name__, reason, where)
        return Entry(None, reason, where=where)

    def _trace(self, leaves: tuple, structures) -> tuple[Traced, GuardDiscovery]:
        """The native code, and what it depends on; numbers among the arguments that sizes depend on
        become constants.
        """

        def traced(static: frozenset[int], unrolls: bool, grows: bool = self._grows):
            most = MORE_ITERATIONS if unrolls else FEW_ITERATIONS
            discovery = GuardDiscovery(True, True)
            how = self.jit_keywords, structures, most, discovery, grows
            return trace(self.python_function, leaves, static, *how), discovery

        try:
            return traced(self.jit_static, self._unrolls)
        except RefusedError as error:
            refused: RefusedError = error
        is_size = refused.about is OF_SIZE
        if refused.about is FINAL:
            raise refused
        if not is_size and not any(isinstance(leaf, np.ndarray) for leaf in leaves):
            raise refused
        for types, unrolls in _cures(refused.about):
            numbers = (at for at, leaf in enumerate(leaves) if type(leaf) in types)
            constants = self.jit_static.union(numbers)
            if (constants, unrolls) == (self.jit_static, self._unrolls):
                continue
            try:
                result = traced(constants, unrolls or self._unrolls)
            except RefusedError as error:
                refused = error if is_size and not unrolls else refused
            else:
                self._unrolls |= unrolls
                self._has_chosen_values |= constants > self.jit_static and not is_size
                self.jit_static = constants
                return result
        if not is_size or self._grows:
            raise refused
        result = traced(self.jit_static, self._unrolls, grows=True)
        self._grows = True
        return result


def _cures(about) -> list[tuple]:
    """Options that may make a function native: numbers of these types as constants, and loops
    over constants that Python runs.
    """
    numbers = {int, bool}
    floats = [(PYTHON_DTYPES, False)] if about is OF_SIZE else []
    return [(numbers, False), *floats, *[(numbers, True)] * (about is not RECURSION)]


def _check_argument(value) -> None:
    if type(value) is np.ndarray:
        check_array(value)
    elif isinstance(value, np.generic):
        if value.dtype not in NATIVE:
            raise RefusedError(f"an array of {value.dtype}")
    elif type(value) is int and abs(value) > LARGE:
        raise RefusedError("an integer beyond 62 bits")
    elif not isinstance(value, generator_types()) and not is_constant(value):
        raise RefusedError(f"an argument of type {type(value).__name__}")


@public("jit")
def jit(
    function: Callable | None = None, *, kernel_compiler: str | None = None,
    device: str | None = None,
):  # fmt: skip
    """A decorator for functions of NumPy arrays: they run as native code, and mean the same.

    The function is written for NumPy, with loops, branches, and assignments to items and slices.
    Arrays are passed by reference: the caller sees what the function changes. Results are arrays
    and numbers, of the types that NumPy gives. Each combination of shapes and data types is
    traced in its first call. The first two are compiled each; from the third on, sizes are
    arguments of the machine code, so that further shapes are seldom compiled. What has no native
    form runs in NumPy as if undecorated: `inspect` of the function says why.

    >>> import numpy as np
    >>> @ag.jit
    ... def smooth(a, steps):
    ...     for _ in range(steps):
    ...         a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
    >>> a = np.array([0.0, 0.0, 9.0, 0.0, 0.0])
    >>> smooth(a, 2)
    >>> a
    array([0., 2., 3., 2., 0.])
    >>> print(smooth.inspect())
    (float64[5], int): native code; 1 call

    Sums may be added up in another order than NumPy's. Warnings of NumPy about floating-point
    errors are not given; where `np.errstate` asks for exceptions, NumPy runs the function. An
    exception is raised by the Python function itself, which runs again.

    `kernel_compiler` is what compiles its kernels, as for `config.set_kernel_compiler`. `device` is
    where it runs, such as "GPU:0": arrays are copied there, and back where they change.
    """
    compiler = backends.of_function("jit", kernel_compiler, device)
    if function is None:
        return lambda function: _jit_function(function, compiler)
    return _jit_function(function, compiler)


def _jit_function(function: Callable, compiler: str | None) -> JitFunction:
    if isinstance(function, type):
        raise TypeError(f"jit() decorates a function, not the class {function.__name__!r}")
    refuse_descriptor(function, "jit")
    if isinstance(function, MethodType) and isinstance(function.__func__, JitFunction):
        function = MethodType(function.__func__.python_function, function.__self__)
    if not callable(function):
        advice = ". Leave types out: each call has its own" if isinstance(function, str) else ""
        raise TypeError(f"jit() decorates a function, not {function!r}{advice}")
    return JitFunction(function, compiler)
