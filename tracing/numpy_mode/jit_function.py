"""`jit`: functions of NumPy arrays, unchanged, as native code."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograph.api import convert
from ...runtime.core.errors import Error, InvalidArgumentError
from ...runtime.core.floating_point_state import USUAL, current_errstate, only_warns
from ...runtime.core.kernel_compiler import compiling_with, of_function
from ...runtime.core.locks import RLock
from ...runtime.core.public_names import public
from ...runtime.executors.c_functions import CGraph, Parameter, ToC
from ...runtime.ir.rich_display import RichDisplay
from ..functions.fast_dispatch import MISS
from ..functions.guard_discovery import GuardDiscovery, discovering_guards
from ..functions.guards import Guards
from ..functions.pickled_functions import Pickled
from .called_functions import GENERATORS, RUNNING
from .numpy_stager import ACTIVE
from .refusal import RefusedError, StaticArgumentError
from .trace import Output, Result, Traced, is_named_tuple, trace
from .traced_scalar import ARGUMENT, LARGE, NATIVE, PYTHON_DTYPES, bound_of
from .views import Axes, Item, Part

MOST_TYPES = 64  # combinations of types of arguments that are kept
MOST_FAILURES = 4  # first calls of a trace that fail, one after the other


class _Entry:
    """What happens for arguments of certain types: native code, or NumPy for a reason."""

    def __init__(self, traced: Traced | None, reason: str | None, guards: Guards | None = None):
        self.traced: Any = traced
        self.reason = reason
        self.guards = guards
        self.calls = 0
        self.failures = 0
        self.run = None if traced is None else _fast_call(traced, guards)

    def note_failure(self) -> None:
        """Leave calls to NumPy where those of its functions always end otherwise than foreseen."""
        self.failures += 1
        if self.traced.called and self.failures == self.calls == MOST_FAILURES:
            self.run, self.reason = None, f"calls of {', '.join(self.traced.called)}"
            self.traced = None


class JitFunction(Pickled, ToC, RichDisplay):
    """A function of NumPy arrays and numbers; see `jit`."""

    def __init__(self, function: Callable, kernel_compiler: str | None = None):
        self.python_function = function
        self.kernel_compiler = kernel_compiler
        self.signature = inspect.signature(function)
        self.arity = len(self.signature.parameters)
        self.table: dict[tuple, _Entry] = {}
        self.static: frozenset[int] = frozenset()
        self.latest: Callable = _misses  # the fast call of the latest entry
        self._lock = RLock()
        functools.update_wrapper(self, function)

    def __call__(self, *args, **kwargs):
        if kwargs or len(args) != self.arity or ACTIVE.get():
            return self._bound(args, kwargs)
        result = self.latest(*args)
        return result if result is not MISS else self._looked_up(args)

    def _bound(self, args: tuple, kwargs: dict):
        """A call during a trace, or with defaults and keywords."""
        if ACTIVE.get():
            return convert(recursive=True)(self.python_function)(*args, **kwargs)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            return self.python_function(*args, **kwargs)
        result = self.latest(*bound.args) if len(bound.args) == self.arity else MISS
        return result if result is not MISS else self._looked_up(bound.args)

    def _looked_up(self, args: tuple):
        """The result by the entry for the arguments, which the next call tries first."""
        entry = self._entry_for(args)
        entry.calls += 1
        if entry.run is not None:
            tried = self.latest is entry.run
            if len(args) == self.arity:
                self.latest = entry.run
            result = MISS if tried else entry.run(*args)
            if result is not MISS:
                return result
            entry.note_failure()
        return self.python_function(*args)  # nothing has changed; it may raise

    def content(self) -> tuple:
        return self.python_function, self.kernel_compiler

    def fill(self, *content) -> None:
        self.__init__(*content)

    def graph_for_c(self, arguments: list[Parameter]) -> CGraph:
        """For `as_cfunc`: the trace for arguments of these types."""
        examples = tuple(
            np.zeros(one.shape or (), one.dtype) if one.shape else one.dtype.type(0)
            for one in arguments if one.dtype is not None
        )  # fmt: skip
        traced = trace(self.python_function, examples, self.static)
        is_single = type(traced.result) is Result or not isinstance(traced.result, tuple)
        returned = (traced.result,) if is_single else traced.result
        results = [one for one in returned if one is not None]
        if not all(type(one) is Result and one.is_new for one in results):
            raise InvalidArgumentError(
                "as_cfunc: a result is a view of an argument, or a constant",
                "Write it into an argument: out[:] = result.",
            )
        return CGraph(
            traced.executable.graph.replace(donated=frozenset()),
            traced.inputs,
            (),
            tuple(one.output for one in results),
            traced.written,
        )

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def inspect(self) -> str:
        """What runs for each combination of argument types: native code, or NumPy and why."""
        lines = []
        for key, entry in self.table.items():
            how = "native code" if entry.reason is None else f"NumPy: {entry.reason}"
            if entry.traced is not None and entry.traced.called:
                how += f" that calls NumPy: {', '.join(entry.traced.called)}"
            lines.append(f"({', '.join(map(_described, key))}): {how}; {entry.calls} calls")
        return "\n".join(lines) or "not called yet"

    # ---- the table ---------------------------------------------------------------------------

    def _entry_for(self, args: tuple) -> _Entry:
        while True:
            static = self.static
            key = tuple([_key_of(value, at in static) for at, value in enumerate(args)])
            entry = self.table.get(key)
            if entry is not None and (entry.guards is None or entry.guards.unchanged()):
                return entry
            with self._lock:
                if static is self.static:
                    entry = self._traced(args)
                    if entry is None:
                        continue
                    if len(self.table) >= MOST_TYPES:
                        del self.table[next(iter(self.table))]
                    self.table[key] = entry
                    return entry

    def _traced(self, args: tuple) -> _Entry | None:
        """A new entry; None if more arguments turned out to be constants."""
        discovery = GuardDiscovery(True, True)
        try:
            for value in args:
                _check_argument(value)
            with discovering_guards(discovery), compiling_with(self.kernel_compiler):
                traced = trace(self.python_function, args, self.static)
        except StaticArgumentError as error:
            self.static |= error.positions
            return None
        except RefusedError as error:
            return _Entry(None, str(error))
        except Error as error:
            return _Entry(None, error.message.removeprefix("jit_compile=True: "))
        except Exception as error:  # NumPy raises it again, if it is the function's own
            return _Entry(None, f"{type(error).__name__}: {error}")
        return _Entry(traced, None, discovery.guards())


def _misses(*args):
    return MISS


def _fast_call(traced: Traced, guards: Guards | None) -> Callable:
    """A function of the arguments: the result by the native code, or MISS.

    The shapes and data types of arrays are checked by the native code itself.
    """
    scope: dict[str, Any] = {
        "native": traced.executable.native_results(), "MISS": MISS,
        "failures": Exception if traced.called else (ArithmeticError, Error), "array": np.ndarray,
        "begin": RUNNING.begin, "undo": RUNNING.undo,
        "contiguous": np.ascontiguousarray, "overlap": np.may_share_memory, "built": _built,
        "only_warns": only_warns,
        "errstate": current_errstate, "USUAL": USUAL,
        "unchanged": None if guards is None else guards.unchanged,
        "parts": _parts, "joined": functools.partial(_joined, traced.pairs),
    }  # fmt: skip
    tests = ["(errstate() is USUAL or only_warns())"]
    tests += [] if guards is None else ["unchanged()"]
    written = {at for at, _ in traced.written}
    arrays = [at for at, one in enumerate(traced.examples) if type(one) is np.ndarray]
    given = []
    for at, one in enumerate(traced.examples):
        parts = not traced.called
        found, form = _tests_of(at, one, at in traced.inputs, at in written, parts, scope)
        tests += found
        given += [form] if at in traced.inputs else []
    pairs = [
        (at, other) for at in written for other in arrays
        if other != at and (other not in written or at < other)
    ]  # fmt: skip
    tests += [
        f"(x{at} is not x{other} and x{at}.base is None is x{other}.base or not "
        f"overlap(x{at}, x{other}))"
        for at, other in pairs
    ]
    names = ", ".join(f"x{at}" for at in range(len(traced.examples)))
    generators = [f"{at}: x{at}" for at, one in enumerate(traced.examples) if isinstance(one, type)]
    begin = [f"    begin({{{', '.join(generators)}}})"] if traced.called else []
    lines = [
        f"def call({names}):",
        f"    if not ({' and '.join(tests) or True}):",
        "        return MISS",
        *begin,
        "    try:",
        f"        outputs = native({', '.join(given)})",
        "    except failures:",
        *(["        undo()"] if begin else []),
        "        return MISS",
        *(["    outputs = joined(outputs)"] if traced.pairs and not traced.called else []),
        *(
            f"    if outputs[{output}] is not x{at}: x{at}[...] = outputs[{output}]"
            for at, output in traced.written
        ),
        f"    return {_result_form(traced.result, names, scope)}",
    ]
    exec("\n".join(lines), scope)
    return scope["call"]


def _tests_of(
    at: int, one, is_input: bool, is_written: bool, parts: bool, scope: dict
) -> tuple[list, str]:
    """The source of the tests of an argument like `one`, and of what the native code takes: with
    `parts`, the components of complex numbers.
    """
    if type(one) is np.ndarray:
        scope[f"d{at}"] = one.dtype
        is_complex = [f"x{at}.dtype == d{at}"] if one.dtype.kind == "c" else []
        if one.flags.c_contiguous:
            flag = "carray" if is_written else "c_contiguous"
            given = f"parts(x{at})" if one.dtype.kind == "c" and parts else f"x{at}"
            return [f"type(x{at}) is array", *is_complex, f"x{at}.flags.{flag}"], given
        scope[f"s{at}"] = one.strides
        tests = [f"type(x{at}) is array", *is_complex, f"x{at}.strides == s{at}"]
        given = f"{'parts' if is_complex and parts else 'contiguous'}(x{at})"
        return tests + [f"x{at}.flags.behaved"] * is_written, given
    if isinstance(one, type):
        scope[f"t{at}"] = one
        return [f"type(x{at}) is t{at}"], ""
    scope[f"t{at}"] = type(one)
    tests = [f"type(x{at}) is t{at}"]
    if not is_input:
        scope[f"r{at}"] = repr(one)
        return [*tests, f"repr(x{at}) == r{at}"], ""
    if isinstance(one, (complex, np.complexfloating)) and parts:
        return tests, f"parts(x{at})"
    if isinstance(one, np.generic):
        return tests, f"x{at}"
    scope[f"n{at}"] = PYTHON_DTYPES[type(one)].type
    if type(one) is int:
        scope[f"m{at}"] = bound_of(one)
        tests.append(f"-m{at} <= x{at} <= m{at}")
    return tests, f"n{at}(x{at})"


def _result_form(result, names: str, scope: dict) -> str:
    """The source of the result of a call, or of a part of it."""
    if type(result) is tuple:
        return f"({''.join(_result_form(one, names, scope) + ', ' for one in result)})"
    name = f"k{len(scope)}"
    if is_named_tuple(result):
        scope[name] = type(result)._make
        return f"{name}({_result_form(tuple(result), names, scope)})"
    if type(result) is not Result or any(
        one is not None for one in (result.one_of, result.alternative, result.sizes)
    ):
        scope[name] = result
        return name if type(result) is not Result else f"built({name}, ({names},), outputs)"
    whole = f"outputs[{result.output}]" if result.argument is None else f"x{result.argument}"
    if result.python is not None:
        return f"{result.python.__name__}({whole})"
    return whole + "".join(_step_form(step) for step in result.path)


def _step_form(step) -> str:
    """The source of a step to a view."""
    if type(step) is Item:
        return f"[{''.join(_entry_form(one) + ', ' for one in step.key)}]"
    if type(step) is Axes:
        return f".transpose({step.order})"
    return f".{step.name}" if type(step) is Part else f".reshape({step.shape})"


def _entry_form(one) -> str:
    if type(one) is Output:
        return f"int(outputs[{one.position}])"
    if type(one) is slice:
        parts = (one.start, one.stop, one.step)
        return ":".join("" if part is None else _entry_form(part) for part in parts)
    return "..." if one is Ellipsis else "None" if one is None else str(int(one))


def _parts(value) -> np.ndarray:
    """The components of complex numbers along a last axis."""
    array = np.ascontiguousarray(value)
    return array.view(array.real.dtype).reshape(*np.shape(value), 2)


def _joined(pairs: frozenset[int], outputs) -> list:
    """The outputs with complex numbers in place of components."""
    made = list(outputs)
    for at in pairs:
        parts = made[at]
        whole = parts.view(np.result_type(parts.dtype, np.complex64))
        made[at] = whole[0] if parts.ndim == 1 else whole.reshape(parts.shape[:-1])
    return made


def _built(result: Result, args: tuple, outputs) -> Any:
    """A part of the result of which the outputs decide the size, the type, or which array it is."""
    if result.one_of is not None:
        argument = result.one_of[1][int(outputs[result.one_of[0]])]
        if argument is not None:
            return _view(args[argument], result.path, outputs)
    value, python = outputs[result.output], result.python
    if result.alternative is not None and outputs[result.alternative[0]]:
        python = result.alternative[1]
    if python is not None:
        return python(value)
    if result.sizes is not None:
        part = value[tuple(map(slice, outputs[result.sizes].tolist()))]
        value = value if part.shape == value.shape else part.copy()
    return _view(value, result.path, outputs)


def _view(array, path: tuple, outputs):
    for step in path:
        if type(step) is Item:
            array = array[tuple([_entry(one, outputs) for one in step.key])]
        elif type(step) is Axes:
            array = array.transpose(step.order)
        elif type(step) is Part:
            array = getattr(array, step.name)
        else:
            array = array.reshape(step.shape)
    return array


def _entry(one, outputs):
    """An entry of the key of a view."""
    if type(one) is Output:
        return int(outputs[one.position])
    if type(one) is slice:
        return slice(*(_entry(part, outputs) for part in (one.start, one.stop, one.step)))
    return one


def _key_of(value, is_static: bool):
    """What a trace depends on of an argument."""
    cls = type(value)
    if cls is np.ndarray:
        return (value.dtype, value.shape, value.flags.c_contiguous or value.strides)
    if cls is int and not is_static and abs(value) > ARGUMENT:
        return (cls, "int of many digits" if abs(value) <= LARGE else "int beyond 62 bits")
    if cls in PYTHON_DTYPES and not is_static:
        return cls
    if isinstance(value, np.generic):
        return (cls,)
    if value is None or cls in (int, float, complex, bool, str):
        return (cls, repr(value))
    return (cls, "not traced")


def _described(key) -> str:
    if isinstance(key, type):
        return key.__name__
    if isinstance(key[0], np.dtype):
        return f"{key[0]}[{','.join(map(str, key[1]))}]"
    return key[0].__name__ if len(key) == 1 else key[1]


def _check_argument(value) -> None:
    if type(value) is np.ndarray or isinstance(value, np.generic):
        if value.dtype not in NATIVE:
            raise RefusedError(f"an array of {value.dtype}")
        if type(value) is np.ndarray and not value.dtype.isnative:
            raise RefusedError("an array of swapped bytes")
        if type(value) is np.ndarray and _overlaps_itself(value):
            raise RefusedError("an array whose elements share memory")
    elif type(value) is int and abs(value) > LARGE:
        raise RefusedError("an integer beyond 62 bits")
    elif value is not None and type(value) not in (*PYTHON_DTYPES, str, *GENERATORS):
        raise RefusedError(f"an argument of type {type(value).__name__}")


def _overlaps_itself(array: np.ndarray) -> bool:
    """Whether elements of an array may have the same address."""
    if array.flags.c_contiguous or not array.size:
        return False
    reach = array.itemsize
    for stride, size in sorted(zip(map(abs, array.strides), array.shape, strict=True)):
        if size > 1:
            if stride < reach:
                return True
            reach += stride * (size - 1)
    return False


@public("jit")
def jit(function: Callable | None = None, *, kernel_compiler: str | None = None):
    """A decorator for functions of NumPy arrays: they run as native code, and mean the same.

    The function is written for NumPy, with loops, branches, and assignments to items and slices.
    Arrays are passed by reference: the caller sees what the function changes. Results are arrays
    and numbers, of the types that NumPy gives. Each combination of shapes and data types is
    compiled once, in its first call. What has no native form runs in NumPy as if undecorated:
    `inspect` of the function says why.

    >>> import numpy as np
    >>> import allograph as ag
    >>> @ag.jit
    ... def smooth(a, steps):
    ...     for _ in range(steps):
    ...         a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
    >>> a = np.array([0.0, 0.0, 9.0, 0.0, 0.0])
    >>> smooth(a, 2)
    >>> a
    array([0., 2., 3., 2., 0.])
    >>> print(smooth.inspect())
    (float64[5], int): native code; 1 calls

    Sums may be added up in another order than NumPy's. Warnings of NumPy about floating-point
    errors are not given; where `np.errstate` asks for exceptions, NumPy runs the function. An
    exception is raised by the Python function itself, which runs again.

    `kernel_compiler` is what compiles its kernels, as for `config.set_kernel_compiler`.
    """
    compiler = of_function("jit", kernel_compiler)
    if function is None:
        return lambda function: JitFunction(function, compiler)
    return JitFunction(function, compiler)
