"""`function`: a decorator that traces a Python function into graphs, one per call type."""

from __future__ import annotations

import functools
import inspect
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

from ...autograph.identity_map import IdentityMap
from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.core.errors import Error
from ...runtime.core.locks import CompilerLock
from ...runtime.core.public_names import public
from ...runtime.core.tracebacks import is_boundary
from ...runtime.executors.callable_from_c import CGraph, ToC
from ...runtime.jit.backends import of_function
from ...runtime.tensors.apply import BUILDER
from ..structures import nest
from ..structures.config import CONFIG
from ..structures.errors import refuse_descriptor
from ..type_system.function_type import (
    BindingError,
    FunctionType,
    bind,
    follow_type_hints,
    signature_of,
    type_of_call,
    type_of_input_signature,
    typed_call,
    without_types,
)
from ..type_system.trace_types import Reference, TensorSpec, TraceType
from .bound_function import BoundFunction, GenericFunction, Itself, printed_signatures
from .concrete_function import ConcreteFunction
from .error_notes import hide_frames, name_arguments
from .fronts import MISS, Called, takes_each_by_itself
from .guard_discovery import inherit
from .pickled_functions import Pickled, owner_of
from .recursive_functions import Unfinished, being_made, declared_result
from .restored_traces import is_independent
from .retrace_history import TraceMade, note_first_trace
from .trace_cache import TraceCache
from .tracer import trace
from .variable_substitution import knows_its_variables, shared_trace

# Tracing is rare and may reach other functions: one lock for all cannot deadlock between two.
TRACING = CompilerLock()
WORTH_DISPATCHING = 3  # general calls of one type after which it gets a dispatcher
RECONSIDERED = 64  # after so many more it gets another: guards may have chosen another trace
MOST_DISPATCHERS = 8
MOST_COUNTED = 256  # types of calls


@public("types.experimental.PolymorphicFunction")
class PolymorphicFunction(Called, Pickled, ToC, GenericFunction):
    """A Python function with a cache of its traces.

    A call uses the most specific trace whose type covers the arguments. If there is none, the
    Python function is traced. Threads may call concurrently; each call type is traced once.
    """

    def __init__(self, python_function: Callable, options: dict[str, Any]):
        functools.update_wrapper(self, python_function, updated=())
        self.python_function = python_function
        self.options = options
        self.signature = signature_of(python_function)
        self.fast_paths: tuple[Any, ...] = ()  # the fast paths, the latest first
        self._general_calls: dict[FunctionType, int] = {}  # since the last trace
        self.set_entrance(self._entrance_of_calls())
        self._unfinished: list[Unfinished] = []  # traces being made, the innermost last
        self._owners = IdentityMap()  # the instances for which the function has been traced
        self.name = getattr(python_function, "__name__", type(python_function).__name__)
        self._declared_result = declared_result(
            python_function, self.signature, options.get("output_signature")
        )
        self.cache = TraceCache(self.name)

    # ---- calling -------------------------------------------------------------------------

    def _entrance_of_calls(self) -> Callable:
        @is_boundary
        def enter(*args, **kwargs):
            for dispatch in self.fast_paths:
                try:
                    result = dispatch(*args, **kwargs) if kwargs else dispatch(*args)
                except TypeError as error:
                    if error.__traceback__.tb_next is not None:
                        raise
                    break
                except Error as error:
                    hide_frames(error)
                    raise
                if result is not MISS:
                    self._was_fast = True
                    return result
            try:
                return self.call_general(args, kwargs)
            except Exception as error:
                hide_frames(error)
                raise

        return enter

    @is_boundary
    def call_general(self, args, kwargs):
        """The general path: bind, find the function type, find or make its trace, run it."""
        if CONFIG.run_functions_eagerly:
            return self.python_function(*args, **kwargs)
        wanted, tensors = self._typed(args, kwargs)
        try:
            concrete, is_new = self._find_or_trace(wanted, tensors)
        except TypeError as error:
            name_arguments(error, tensors)
            raise
        if BUILDER.get() is None:
            self._note_call(wanted, concrete, is_new)
        elif concrete.guards is not None:
            inherit(concrete.guards)
        return concrete.run(tensors, concrete.captured_tensors)

    def _note_call(self, wanted: FunctionType, concrete: ConcreteFunction, traced: bool) -> None:
        """Warn if too many calls are traced; give repeated call types a dispatcher."""
        self.cache.history.note_call(traced, self.was_fast if self._direct else self._was_fast)
        if self._direct:
            self.was_fast = False
        self._was_fast = False
        if len(self._general_calls) > MOST_COUNTED:
            self._general_calls = {}
        count = self._general_calls.get(wanted, 0) + 1
        self._general_calls[wanted] = count
        if count != WORTH_DISPATCHING and count % RECONSIDERED:
            return
        from .fast_dispatch import dispatcher, dispatchers  # most functions are called less often

        if len(self.traces) + len(self.cache.shared) <= MOST_DISPATCHERS:
            self._dispatch_by(dispatchers({**self.traces, **self.cache.shared}, self._enter_first))
        else:
            fast = dispatcher(concrete, wanted, self._enter_first)
            if fast is not None:
                self._dispatch_by((fast, *self.fast_paths[: MOST_DISPATCHERS - 1]))

    def _dispatch_by(self, fast_paths: tuple[Any, ...]) -> None:
        self.fast_paths = fast_paths
        self._enter_first()

    def _enter_first(self) -> None:
        """Try first the functions of C of the first fast paths."""
        takes_each = takes_each_by_itself(self.signature)
        direct = [fast.state.direct for fast in self.fast_paths if takes_each]
        self.enter_directly([*itertools.takewhile(bool, direct)])

    def _forget_fast_paths(self) -> None:
        self._general_calls = {}
        self._dispatch_by(())

    def _typed(self, args, kwargs) -> tuple[FunctionType, list]:
        """The type of a call, and the tensors that it feeds into the graph."""
        if self.options["input_signature"] is None and not self.options.get("follow_type_hints"):
            return typed_call(self.signature, args, kwargs, self.name)
        bound = bind(self.signature, args, kwargs, self.name)
        wanted = self.declared_type(bound.args)
        if wanted is None:
            follow_type_hints(self.python_function, self.signature, bound)
            wanted = type_of_call(self.signature, bound)
        else:
            wanted.cast(bound)
        return wanted, wanted.to_tensors(bound)

    @is_boundary
    def declared_type(self, args) -> FunctionType | None:
        """The only type that `input_signature` allows; it does not name the instance of a
        method.
        """
        specs = self.options["input_signature"]
        instance = self._instance_in(args)
        if specs is None or instance is None:
            return None
        return type_of_input_signature(self.signature, instance, specs, self.name)

    def _instance_in(self, args) -> tuple | None:
        """The instance of a method, first of its arguments; None where it has no argument."""
        specs, names = self.options["input_signature"], list(self.signature.parameters)
        is_method = names[:1] == ["self"] and len(specs or ()) < len(names)
        if is_method or (args and isinstance(args[0], Itself)):
            return args[:1] or None
        return ()

    # ---- traces --------------------------------------------------------------------------

    def _find_or_trace(self, wanted: FunctionType, tensors=None) -> tuple[ConcreteFunction, bool]:
        """The trace for a type, and whether this call has made it."""
        trace: Any = self.cache.find(wanted)
        if trace is not None:
            return trace, False
        with TRACING:
            trace = self.cache.find(wanted) or self._unfinished_for(wanted)
            if trace is None:
                trace = self._shared(wanted)
            return (trace, False) if trace is not None else (self._trace(wanted, tensors), True)

    def _shared(self, wanted: FunctionType) -> ConcreteFunction | None:
        """A trace for the variables of this call, derived from one for other variables."""
        shared = shared_trace(self.traces, wanted)
        if shared is not None:
            self.cache.share(wanted, shared)
            self._forget_fast_paths()
        return shared

    def _trace(self, wanted: FunctionType, tensors) -> ConcreteFunction:
        began = time.time()
        why = self.cache.reasons(wanted)
        if self.options.get("reduce_retracing"):
            wanted = self.cache.generalized(wanted)
        owner = self._owner_of(wanted)
        knows = knows_its_variables(self.python_function, wanted)
        concrete = self._traced(wanted, tensors, owner not in self._owners)
        concrete.knows_its_variables = knows
        if not self.cache.history.count:
            note_first_trace(self)
        self._owners[owner] = True
        self.cache.history.note(why, began)
        self.cache.add(wanted, concrete)
        self._forget_fast_paths()
        return concrete

    def _owner_of(self, wanted: FunctionType):
        """The instance that a method is called on; None for a function."""
        owner_type = wanted.types.get(next(iter(self.signature.parameters), ""))
        if isinstance(owner_type, Reference) and owner_type.is_owner:
            return owner_type.placeholder_value()
        return None

    def _traced(self, wanted: FunctionType, tensors, first: bool) -> ConcreteFunction:
        """Trace; meanwhile, calls of the same type refer to the unfinished trace."""
        enforced = self.options.get("output_signature") is not None
        unfinished = Unfinished(self.name, wanted, self._declared_result, enforced)
        with being_made(unfinished, self._unfinished):
            try:
                return trace(self.python_function, self.options, unfinished, tensors, first)
            except RecursionError as error:
                if unfinished is self._unfinished[0]:
                    unfinished.explain_overflow(error)
                raise

    def _unfinished_for(self, wanted: FunctionType) -> Unfinished | None:
        """The trace being made that will serve `wanted`; the caller holds the tracing lock."""
        covering = (
            own for own in self._unfinished[::-1] if wanted.is_subtype_of(own.function_type)
        )
        return next(covering, None)

    def get_concrete_function(self, *args, **kwargs) -> ConcreteFunction:
        """The trace for these arguments, which may be tensors, specs or Python values; not run."""
        declared = self.declared_type(args)
        if declared is not None and args == self._instance_in(args) and not kwargs:
            return self._find_or_trace(declared)[0]
        bound = bind(self.signature, args, kwargs, self.name)
        wanted = type_of_call(self.signature, bound)
        if declared is not None and not wanted.is_subtype_of(declared):
            declared.cast(bound)
        if declared is None and wanted.names_inputs and wanted not in self.traces:
            with TRACING:  # a trace for other names would not take these
                return self._trace(wanted, None)
        return self._find_or_trace(declared or wanted)[0]

    def clear(self) -> None:
        """Drop all traces, and the reasons for them; later calls trace again.

        >>> double = ag.function(lambda x: x * 2)
        >>> _ = double(ag.constant(1))
        >>> double.clear()
        >>> double.experimental_get_tracing_count()
        0
        """
        with TRACING:
            self.cache = TraceCache(self.name)
            self._forget_fast_paths()

    def precompile(self, *args, **kwargs) -> ConcreteFunction:
        """The trace for these arguments, with its native code: a later call finds both ready.

        The arguments are those of `get_concrete_function`. Machine code is kept on disk, so another
        process that asks for the same loads it. What has no native form, and what depends on sizes
        that the arguments leave open, is not compiled: `explain` of the result shows it.

        >>> @ag.function
        ... def double(x):
        ...     return x * 2.0
        >>> concrete = double.precompile(ag.TensorSpec([1000], ag.float32))
        >>> len(concrete.kernels())
        1
        """
        concrete = self.get_concrete_function(*args, **kwargs)
        concrete.executable.precompile()
        return concrete

    def graph_for_c(self, arguments: Sequence) -> CGraph:
        """For `as_cfunc`: the trace for arguments of these types."""
        specs = [TensorSpec(param.shape or (), FROM_NUMPY[param.dtype]) for param in arguments]
        concrete = self.get_concrete_function(*specs)
        graph = concrete.executable.graph
        count = range(len(graph.inputs) - len(concrete.captured_arrays))
        results = tuple(range(len(graph.outputs)))
        return CGraph(graph, tuple(count), tuple(concrete.captured_arrays), results)

    def declared_shapes(self) -> list[tuple | None]:
        """The shapes that `input_signature` states."""
        specs = self.input_signature or ()
        return [spec.dims if isinstance(spec, TensorSpec) else None for spec in specs]

    def experimental_get_tracing_count(self) -> int:
        """How many traces there are."""
        return self.cache.count(self.cache)

    @property
    def traces(self) -> dict[FunctionType, ConcreteFunction]:
        """The trace of each type."""
        return self.cache

    @property
    def retraces(self) -> list[TraceMade]:
        """The reasons for each trace after the first, as records."""
        return self.cache.history.retraces

    @property
    def traces_made(self) -> list[TraceMade]:
        """A record of each trace: when it began, how many seconds it took, and why it was made.

        >>> half = ag.function(lambda x: x / 2)
        >>> _ = half(ag.constant(1.0)), half(ag.constant([1.0]))
        >>> [(made.number, len(made.changes)) for made in half.traces_made]
        [(1, 0), (2, 1)]
        """
        return list(self.cache.history.made)

    def explain_retraces(self) -> str:
        """For each trace after the first: which argument changed, how, and what avoids it.

        >>> triple = ag.function(lambda x: x * 3)
        >>> _ = triple(ag.constant(1)), triple(ag.constant(1.5))
        >>> print(triple.explain_retraces())
        <lambda>: 2 traces.
        trace 2...:
          x: was int32 with shape (), is float32 with shape (). Cast it before the call: ...
        """
        return self.cache.history.explain()

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Every trace: its parameters, result and captures."""
        return printed_signatures(self.traces)

    @property
    def input_signature(self) -> tuple | None:
        """The specs that calls are held to, or None."""
        specs = self.options.get("input_signature")
        return None if specs is None else tuple(specs)

    @property
    def function_type(self) -> FunctionType | inspect.Signature:
        """The only type that `input_signature` allows; without one, the parameters."""
        return self.declared_type(()) or without_types(self.signature)

    @property
    def function_spec(self) -> inspect.Signature:
        return self.signature

    # ---- methods -------------------------------------------------------------------------

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundFunction(self, instance)

    def __repr__(self):
        return f"<PolymorphicFunction {self.name}{self.signature}>"

    def __copy__(self) -> PolymorphicFunction:
        """The same Python function with the same options, and no traces yet."""
        return type(self)(self.python_function, self.options)

    def __deepcopy__(self, memo) -> PolymorphicFunction:
        return self.__copy__()

    def content(self) -> tuple:
        """For pickles. Traces go along if they depend on nothing in this process, unless the other
        process imports the Python function, which may be another one there.
        """
        travels = owner_of(self.python_function) is not self.python_function
        traces = [trace for trace in self.traces.values() if travels and is_independent(trace)]
        return self.python_function, self.options, traces

    def fill(self, python_function: Callable, options: dict, traces: list) -> None:
        PolymorphicFunction.__init__(self, python_function, options)
        for concrete in traces:
            self._owners[None] = True
            self.cache.history.note([], time.time())
            self.cache.add(concrete.function_type, concrete)


@public("function")
def function(
    func: Callable | None = None,
    input_signature=None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options=None,
    experimental_attributes: dict | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
    *,
    output_signature=None,
    guard_globals: bool = False,
    guard_objects: bool = False,
    strict: bool = False,
    kernel_compiler: str | None = None,
    device: str | None = None,
):
    """Compile a Python function into graphs: `@function`, `@function(...)` or `function(f)`.

    input_signature   a sequence of (nested) `TensorSpec`: one trace, other types are a TypeError
    autograph         convert the Python control flow (True)
    jit_compile       True: native code at once, or InvalidArgumentError. None or False: NumPy at
                      once, native code takes over when it is ready
    reduce_retracing  widen the types of later traces to cover earlier ones
    output_signature  a (nested) `TensorSpec` of the result; a function that declares it, here or as
                      the annotation of its result, may call itself
    guard_globals     trace again when a global or a variable of an outer function that the trace
                      has read is no longer what it was; containers and arrays by their content
    guard_objects     the same for attributes of objects. New values of Variables need no new trace
    strict            code that cannot be converted is a ConversionError, and never runs as it is
    kernel_compiler   as for `config.set_kernel_compiler`; with "none" the function runs on NumPy
    device            where it runs, such as "GPU:0", wherever it is called

    >>> @ag.function
    ... def halvings(n):
    ...     count = 0
    ...     while n > 1:
    ...         n, count = n // 2, count + 1
    ...     return count
    >>> int(halvings(ag.constant(1000)))
    9

    Raises TypeError when `func` is not callable.
    """
    options = {
        "input_signature": input_signature, "output_signature": output_signature,
        "guard_globals": guard_globals, "guard_objects": guard_objects, "strict": strict,
        "autograph": autograph, "kernel_compiler": of_function("function", kernel_compiler, device),
        "jit_compile": experimental_compile if jit_compile is None else jit_compile,
        "reduce_retracing": bool(reduce_retracing or experimental_relax_shapes),
        "implements": experimental_implements, "attributes": experimental_attributes,
        "autograph_options": experimental_autograph_options,
        "follow_type_hints": experimental_follow_type_hints,
    }  # fmt: skip
    _check_input_signature(input_signature)
    return functools.partial(_decorate, options) if func is None else _decorate(options, func)


def _check_input_signature(specs) -> None:
    """Raise InvalidArgumentError unless a signature is a sequence of (nested) specs."""
    if specs is None:
        return
    if not isinstance(specs, (list, tuple)):
        shown = f"ag.{specs}" if isinstance(specs, TensorSpec) else "ag.TensorSpec([], ag.int32)"
        raise BindingError(
            f"input_signature is a list or tuple with a spec for each argument, not {specs!r}",
            f"Write input_signature=[{shown}].",
        )
    for leaf in nest.flatten(tuple(specs)):
        if not isinstance(leaf, TraceType):
            raise BindingError(
                f"input_signature holds specs such as ag.TensorSpec(shape, dtype), not {leaf!r}",
                "Write ag.TensorSpec([2, 3], ag.float32) for a matrix of two rows and three "
                "columns; leave out arguments that are no tensors, or give them defaults.",
            )


def _decorate(options: dict[str, Any], python_function: Callable) -> PolymorphicFunction:
    refuse_descriptor(python_function, "function")
    if not callable(python_function):
        raise TypeError(f"function() decorates a callable, not {python_function!r}")
    if options["jit_compile"] not in (True, False, None):
        raise TypeError(f"jit_compile is True, False or None, not {options['jit_compile']!r}")
    return PolymorphicFunction(python_function, options)


__all__ = ["BoundFunction", "GenericFunction", "PolymorphicFunction", "TensorSpec", "function"]
