"""The shortest way from a call of a `jit` function to native code: a function written for it."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.core.errors import Error
from ...runtime.core.floating_point_state import USUAL, current_errstate, only_warns
from ...runtime.core.numpy_dtypes import is_complex
from ...runtime.core.tracebacks import is_from_handler
from ..functions.fast_dispatch import MISS
from ..functions.guards import Guards
from ..structures.argument_structures import fields_together, unpacked
from .calls.random_generators import GENERATORS, RUNNING
from .results import DictResult, ListResult, ObjectResult, Output, ReadOnly, Result, is_named_tuple
from .trace import Traced
from .traced_scalar import PYTHON_DTYPES, bound_of
from .views import Axes, Item, Part

CONSTANTS = (int, float, complex, bool, str, type(None))
COMPARED = (int, bool, str)  # equal values of these types are the same


def misses(*args):
    return MISS


def is_constant(value) -> bool:
    """Whether an argument is a constant of the trace: a string or a data type, a tuple of numbers,
    as shapes are, or a function.
    """
    if type(value) is tuple:
        return all(type(one) in CONSTANTS for one in value)
    if isinstance(value, type):
        return value in PYTHON_DTYPES or issubclass(value, np.generic)
    if type(value) is types.FunctionType:
        return not value.__kwdefaults__  # whose changes nobody sees
    if getattr(type(value), "is_jit_function", False):
        return True
    if type(value) is types.BuiltinFunctionType:
        return isinstance(value.__self__, types.ModuleType)
    return type(value) in CONSTANTS or isinstance(value, (np.dtype, np.ufunc))


def holds_values(value) -> bool:
    """Whether a function has values of its own, so that its code does not tell what it computes."""
    return type(value) is types.FunctionType and bool(value.__closure__ or value.__defaults__)


def key_of_constant(value) -> tuple:
    """What calls with equal constants have in common."""
    if type(value) is types.FunctionType and not holds_values(value):
        return type(value), value.__name__, value.__code__, id(value.__globals__)
    if type(value) is types.FunctionType:
        return type(value), value.__name__, id(value), id(value.__code__), id(value.__defaults__)
    if callable(value):
        return type(value), value.__name__, id(value)
    return type(value), repr(value)


def _is_generator(example) -> bool:
    """Whether an argument was a generator of random numbers, which has its class as an example."""
    return isinstance(example, type) and example in GENERATORS


def _test_of_type(at: int, one, scope: dict) -> str:
    """The source of the test that argument `at` has the type of `one`."""
    scope[f"t{at}"] = type(one)
    return f"type(x{at}) is t{at}"


def _tests_of_layout(at: int, one: np.ndarray, scope: dict) -> list[str]:
    """The source of the tests that an array has the data type and the shape of `one`."""
    scope[f"d{at}"], scope[f"z{at}"] = one.dtype, one.shape
    return [f"x{at}.dtype == d{at}", f"x{at}.shape == z{at}"]


def _tests_of_constant(at: int, one, scope: dict) -> list[str]:
    """The source of the tests that an argument is `one`, or a function that computes the same."""
    if type(one) is types.FunctionType:
        names = ("code", "defaults") if holds_values(one) else ("code", "globals")
        scope.update({f"{name}{at}": getattr(one, f"__{name}__") for name in names})
        code = [f"x{at}.__{name}__ is {name}{at}" for name in names]
        if holds_values(one):
            scope[f"c{at}"] = one
            return [f"x{at} is c{at}", *code]
        held = " or ".join(f"x{at}.__{name}__" for name in ("closure", "defaults", "kwdefaults"))
        return [_test_of_type(at, one, scope), *code, f"not ({held})"]
    if callable(one):
        scope[f"c{at}"] = one
        return [f"x{at} is c{at}"]
    scope[f"c{at}"] = one if type(one) in COMPARED else repr(one)
    value = f"x{at}" if type(one) in COMPARED else f"repr(x{at})"
    return [_test_of_type(at, one, scope), f"{value} == c{at}"]


def fast_call(traced: Traced, guards: Guards | None, entry) -> Callable:
    """A function of the arguments: the result by the native code, counted in `entry`, or MISS.

    Native code that is one kernel checks the shapes and data types of arrays itself.
    """
    in_numpy = traced.host_calls or not traced.executable.is_one_kernel
    scope: dict[str, Any] = {
        "native": traced.executable.native_results(), "MISS": MISS, "entry": entry,
        "failures": Exception if in_numpy else (ArithmeticError, Error),
        "begin": RUNNING.begin, "undo": RUNNING.undo, "end": RUNNING.end,
        "contiguous": np.ascontiguousarray, "to_array": np.asarray,
        "overlap": np.may_share_memory, "cut": _cut, "read_only": _read_only, "listed": _listed,
        "only_warns": only_warns, "errstate": current_errstate, "USUAL": USUAL,
        "unchanged": guards and guards.unchanged, "is_from_handler": is_from_handler,
        "parts": _parts, "joined": functools.partial(_joined, traced.pairs),
    }  # fmt: skip
    tests = ["(errstate() is USUAL or only_warns())"]
    tests += [] if guards is None else ["unchanged()"]
    written = {at for at, _ in traced.written}
    arrays = [at for at, one in enumerate(traced.examples) if type(one) is np.ndarray]
    given = []
    for at, one in enumerate(traced.examples):
        parts = not traced.host_calls
        found, form = _tests_of(at, one, at in traced.inputs, at in written, parts, scope)
        tests += found
        if at in arrays and not traced.executable.is_one_kernel:
            tests += _tests_of_layout(at, one, scope)
        given += [form] if at in traced.inputs else []
    tests += _tests_of_overlap(written, arrays, fields_together(traced.structures))
    every = [f"x{at}" for at in range(len(traced.examples))]
    count = len(every) - len(traced.captured)
    names = ", ".join(every[:count])
    scope.update(zip(every[count:], traced.captured, strict=True))
    begin = _begin_of_draws(traced.examples) if traced.host_calls else []
    parameters, flattening, held = unpacked(traced.structures)
    scope.update(held)
    lines = [
        f"def call({', '.join(parameters) or names}):",
        *flattening,
        f"    if not ({' and '.join(tests) or True}):",
        "        return MISS",
        *begin,
        "    try:",
        f"        outputs = native({', '.join(given)})",
        "    except failures as error:",
        *(["        undo()"] if begin else []),
        "        if is_from_handler(error):",
        "            raise",
        "        return MISS",
        *(["    finally:", "        end(outer)"] if begin else []),
        "    entry.calls += 1",
        *(["    outputs = joined(outputs)"] if traced.pairs and not traced.host_calls else []),
        *(
            f"    if outputs[{output}] is not x{at}: x{at}[...] = outputs[{output}]"
            for at, output in traced.written
        ),
        f"    return {_result_form(traced.result, scope)}",
    ]
    exec("\n".join(lines), scope)
    return scope["call"]


def _begin_of_draws(examples: tuple) -> list[str]:
    """The source of what begins a call that may draw from generators."""
    generators = [f"{at}: x{at}" for at, one in enumerate(examples) if _is_generator(one)]
    return [f"    outer = begin({{{', '.join(generators)}}})"]


def is_plain(argument) -> bool:
    """Whether `python_call` can tell arguments like this one."""
    known = (np.ndarray, str, type(None), types.FunctionType, *PYTHON_DTYPES)
    return type(argument) in known or isinstance(argument, np.generic)


def python_call(function: Callable, args: tuple, static: frozenset[int], entry) -> Callable:
    """A function of the arguments: the result by `function` for arguments like these, which have no
    native code, or MISS. Calls are counted in `entry`.
    """
    scope: dict[str, Any] = {"function": function, "entry": entry, "MISS": MISS}
    tests = []
    for at, one in enumerate(args):
        if type(one) in (str, bool, types.FunctionType) or (
            at in static and type(one) in (int, float)
        ):
            tests += _tests_of_constant(at, one, scope)
            continue
        tests.append(_test_of_type(at, one, scope))
        if type(one) is np.ndarray:
            tests += _tests_of_layout(at, one, scope)
    names = ", ".join(f"x{at}" for at in range(len(args)))
    lines = [
        f"def call({names}):",
        f"    if not ({' and '.join(tests) or True}):",
        "        return MISS",
        "    entry.calls += 1",
        f"    return function({names})",
    ]
    exec("\n".join(lines), scope)
    return scope["call"]


def _tests_of_overlap(written: set[int], arrays: list[int], apart: list[range]) -> list[str]:
    """The source of the tests that arrays that change share no memory with others. Those `apart`
    do not, as the fields of a structured array.
    """
    return [
        f"(x{at} is not x{other} and x{at}.base is None is x{other}.base or not "
        f"overlap(x{at}, x{other}))"
        for at in written for other in arrays
        if other != at and (other not in written or at < other)
        and not any(at in one and other in one for one in apart)
    ]  # fmt: skip


def _tests_of(
    at: int, one, is_input: bool, is_written: bool, parts: bool, scope: dict
) -> tuple[list, str]:
    """The source of the tests of an argument like `one`, and of what the native code takes: with
    `parts`, the components of complex numbers.
    """
    if _is_generator(one):
        scope[f"t{at}"] = one
        return [f"type(x{at}) is t{at}"], ""
    if not is_input and type(one) is not np.ndarray:
        return _tests_of_constant(at, one, scope), ""
    tests = [_test_of_type(at, one, scope)]
    if type(one) is np.ndarray:
        scope[f"d{at}"] = one.dtype
        tests += [f"x{at}.dtype == d{at}"] if is_complex(one.dtype) else []
        has_parts = is_complex(one.dtype) and parts
        if one.flags.c_contiguous:
            flag = "carray" if is_written else "c_contiguous"
            return [*tests, f"x{at}.flags.{flag}"], f"parts(x{at})" if has_parts else f"x{at}"
        scope[f"s{at}"] = one.strides
        tests += [f"x{at}.strides == s{at}"] + [f"x{at}.flags.writeable"] * is_written
        return tests, f"{'parts' if has_parts else 'contiguous'}(x{at})"
    if isinstance(one, (complex, np.complexfloating)) and parts:
        return tests, f"parts(x{at})"
    if isinstance(one, np.generic):
        return tests, f"x{at}"
    scope[f"n{at}"] = PYTHON_DTYPES[type(one)].type
    if type(one) is int:
        scope[f"m{at}"] = bound_of(one)
        tests.append(f"-m{at} <= x{at} <= m{at}")
    return tests, f"n{at}(x{at})"


def _result_form(result, scope: dict) -> str:
    """The source of the result of a call, or of a part of it."""
    if type(result) in (tuple, list):
        parts = "".join(_result_form(one, scope) + ", " for one in result)
        return f"({parts})" if type(result) is tuple else f"[{parts}]"
    if type(result) is dict:
        parts = (f"{key!r}: {_result_form(one, scope)}" for key, one in result.items())
        return f"{{{', '.join(parts)}}}"
    name = f"k{len(scope)}"
    if is_named_tuple(result):
        scope[name] = type(result)._make
        return f"{name}({_result_form(tuple(result), scope)})"
    if type(result) is ObjectResult:
        scope[name] = functools.partial(_object_of, result.cls, result.names)
        return f"{name}({_result_form(result.parts, scope)})"
    if type(result) is DictResult:
        scope[name] = functools.partial(_dictionary_of, result.cls)
        parts = (_result_form(one, scope) for one in (result.keys, result.values))
        return f"{name}({', '.join(parts)})"
    if type(result) is ListResult:
        scope[name] = result
        columns = [_result_form(one, scope) for one in result.columns]
        return f"listed({name}, ({', '.join(columns)},))"
    if type(result) is not Result:
        scope[name] = result
        return name
    form = _form_of_array(result)
    if result.alternative is not None:
        flag, python = result.alternative
        form = f"({python.__name__}(outputs[{result.output}]) if outputs[{flag}] else {form})"
    if result.none is not None:
        form = f"(None if outputs[{result.none}] else {form})"
    flag, arguments = result.one_of or (0, ())
    for number, argument in enumerate(arguments):
        if argument is not None:
            view = _form_of_view(f"x{argument}", result.path[result.own_steps :])
            form = f"({view} if outputs[{flag}] == {number} else {form})"
    return form


def _form_of_array(result: Result) -> str:
    """The source of a number or an array of the result."""
    if result.argument is not None:
        return _form_of_view(f"x{result.argument}", result.path)
    whole = f"outputs[{result.output}]"
    if result.python is not None:
        return f"{result.python.__name__}({whole})"
    whole = f"to_array({whole})" if result.is_rank_0 else whole
    whole = whole if result.sizes is None else f"cut({whole}, outputs[{result.sizes}])"
    return _form_of_view(whole, result.path)


def _form_of_view(array: str, path: tuple) -> str:
    for step in path:
        array = f"read_only({array})" if type(step) is ReadOnly else array + _step_form(step)
    return array


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


def _cut(array: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The elements that there are of an array that has memory for more."""
    part = array[tuple(map(slice, sizes.tolist()))]
    return array if part.shape == array.shape else part.copy()


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


def _dictionary_of(cls: type, keys: list, values: list):
    return cls(dict(zip(keys, values, strict=True)))


def _object_of(cls: type, names: tuple[str, ...], values: tuple):
    made = object.__new__(cls)
    vars(made).update(zip(names, values, strict=True))
    return made


def _listed(result: ListResult, columns: tuple) -> list:
    """A list of numbers, or of tuples, of which these are the columns."""
    rest, made = iter(columns), []
    for python, alternative, levels in result.types:
        numbers = _items_of(next(rest), python, levels)
        if alternative is not None:
            pairs = zip(numbers, next(rest).tolist(), strict=True)
            numbers = [alternative(one) if holds else one for one, holds in pairs]
        made.append(numbers)
    return list(zip(*made, strict=True)) if result.is_tuple else made[0]


def _items_of(column: np.ndarray, python: type | None, levels: int) -> list:
    """The items of a list; `levels` is how many lists of lists each is."""
    if levels:
        return [_items_of(row, python, levels - 1) for row in column]
    if column.ndim > 1:
        return [row.copy() for row in column]
    return column.tolist() if python else list(column)
