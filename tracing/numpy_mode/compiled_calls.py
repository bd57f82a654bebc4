"""The shortest way from a call of a `jit` function to native code: a function written for it."""

from __future__ import annotations

import enum
import functools
import itertools
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...runtime.core.errors import Error
from ...runtime.core.floating_point_state import only_warns
from ...runtime.core.tracebacks import hide_internal_frames, is_from_handler
from ...runtime.executors.bound_calls import bound
from ..functions.call_tests import CallTests, holds_values
from ..functions.fronts import MISS, misses, parameters_of
from ..functions.guards import STATE, Guards
from ..structures.argument_structures import fields_together, flatten_arguments
from .calls.random_generators import RUNNING, generator_types
from .results import (
    DictResult,
    ListResult,
    MaybeResult,
    ObjectResult,
    Output,
    ReadOnly,
    RecordsResult,
    Result,
    is_named_tuple,
)
from .trace import Traced, without_elements
from .traced_scalar import PYTHON_DTYPES, bound_of
from .views import Axes, Item, Part

# Of data types whose numbers kernels return as such.
NUMBERS = {float: "f", int: "iu", bool: "b", complex: "c"}
CONSTANTS = (int, float, complex, bool, str, type(None))


def is_constant(value) -> bool:
    """Whether an argument is a constant of the trace: a string, a data type or a member of an
    enumeration, a tuple of numbers, as shapes are, or a function.
    """
    if type(value) is tuple:
        return all(type(item) in CONSTANTS for item in value)
    if isinstance(value, type):
        return value in PYTHON_DTYPES or issubclass(value, np.generic)
    if type(value) is types.FunctionType or getattr(type(value), "is_jit_function", False):
        return True
    if type(value) is types.BuiltinFunctionType:
        return isinstance(value.__self__, types.ModuleType)
    return type(value) in CONSTANTS or isinstance(value, (np.dtype, np.ufunc, enum.Enum))


def key_of_constant(value) -> tuple:
    """The key of a constant: equal for calls that one trace serves."""
    if type(value) is types.FunctionType and not holds_values(value):
        return type(value), value.__name__, value.__code__, id(value.__globals__)
    if type(value) is types.FunctionType:
        return type(value), value.__name__, id(value), *(id(getattr(value, key)) for key in STATE)
    if callable(value):
        return type(value), value.__name__, id(value)
    return type(value), repr(value)


def _is_generator(example) -> bool:
    """Whether an argument was a generator of random numbers, which has its class as an example."""
    return isinstance(example, type) and example in generator_types()


def fast_call(traced: Traced, guards: Guards | None, entry, parameters: Sequence) -> tuple:
    """Two functions of arguments: the result by native code, or MISS. The second is in Python."""
    tests = _tests_of(traced, guards, parameters)
    entry.make_in_python = functools.cache(functools.partial(_python_call, traced, tests, entry))
    in_python = bound(tests.table.that_calls(entry.make_in_python(), MISS), misses, tests.table)
    words = native_words(traced, tests)
    return in_python if words is None else bound(words, misses, tests.table), in_python


def may_run(traced: Traced, args: tuple) -> bool:
    """Whether native code may run for arguments that have its key."""
    leaves = flatten_arguments(args, is_constant)[0] if traced.structures else args
    values = (*leaves, *traced.captured)
    written = {at for at, _ in traced.written}
    for at, (value, example) in enumerate(zip(values, traced.examples, strict=True)):
        if type(example) is int and at in traced.inputs and abs(value) > bound_of(example):
            return False
        if isinstance(example, np.ndarray):
            is_contiguous = example.flags.c_contiguous
            flag = value.flags.carray if is_contiguous else value.flags.writeable
            has_layout = value.flags.c_contiguous or value.strides == example.strides
            if value.shape != example.shape or not has_layout or (at in written and not flag):
                return False
    pairs = _apart(traced)
    return only_warns() and not any(
        values[at] is values[other] or np.may_share_memory(values[at], values[other])
        for at, other in pairs
    )


def _apart(traced: Traced) -> list[tuple[int, int]]:
    """The pairs of arrays that share no memory, as one of them changes."""
    written, together = {at for at, _ in traced.written}, fields_together(traced.structures)
    arrays = [at for at, example in enumerate(traced.examples) if type(example) is np.ndarray]
    return [
        (at, other) for at, other in itertools.product(sorted(written), arrays)
        if at != other and (other not in written or at < other)
        and not any(at in fields and other in fields for fields in together)
    ]  # fmt: skip


def native_words(traced: Traced, tests: CallTests) -> np.ndarray | None:
    """The table of calls that pass tests and run the one kernel of a trace; None where Python has
    to arrange its inputs or results, or runs other code after it.
    """
    executable = traced.executable
    if not executable.is_one_kernel or traced.host_calls:
        return None
    (kernel,) = executable.native.kernels
    donated = executable.source.donated
    gives_numbers = any(not traced.examples[at].shape for at, _ in traced.written)
    if kernel.calls.native is None or gives_numbers:
        return None
    result_parts = _Parts(kernel.outputs, tests, {output for _, output in donated})
    is_tuple = type(traced.result) is tuple
    parts = list(map(result_parts.part, traced.result if is_tuple else (traced.result,)))
    form = "tuple" if is_tuple else "one"
    if None in parts or any(parts.count(part) > 1 for part in parts):  # as constants are copied
        form, parts = "made", result_parts.made(traced.result)
    places, copy = tests.places, tests.table.keep(np.ndarray.copy)
    pairs = [(places[at], output, *copy) for at, output in traced.written]
    changes = len(pairs), tests.table.values, *itertools.chain(*pairs)
    result = tests.table.result(form, parts, *changes)
    changed = {traced.inputs[at] for at, _ in donated if kernel.fails_late}
    whole = {at for at in traced.inputs if np.asarray(traced.examples[at]).flags.c_contiguous}
    restored = {places[at]: traced.examples[at].nbytes for at in changed & whole}
    copied = functools.partial(tests.table.value_of, "called", np.ndarray.copy)
    inputs = [places[at] if at in whole else copied(places[at]) for at in traced.inputs]
    return kernel.calls.native.words(tests.table, inputs, result, True, restored)


class _Parts:
    """The parts of a result. Outputs that are `donated` have the memory of arguments."""

    def __init__(self, outputs, tests: CallTests, donated: set[int]):
        self.outputs = outputs
        self.tests = tests
        self.donated = donated

    def part(self, result) -> list[int] | None:
        table = self.tests.table
        if result is None or type(result) in (int, float, bool, str):
            return table.part("object", *table.keep(result))
        if type(result) is not Result or result.path or result.one_of:
            return None
        whole = self._whole(result)
        return None if whole is None else [*self._choices(result), *whole]

    def made(self, result) -> list[list[int]]:
        """The parts of a result that a function of Python makes of arguments and outputs."""
        table, places, scope = self.tests.table, self.tests.places, dict(FORMS)
        form = _result_form(result, scope)
        names = "".join(f"x{at}, " for at in range(len(places)))
        function = eval(f"lambda {names}*outputs: {form}", scope)
        arguments = [table.part("value", place) for place in places]
        outputs = [
            self._whole(Result(None, at)) or table.part("output", at)
            for at in range(len(self.outputs))
        ]
        return [table.part("object", *table.keep(function)), *arguments, *outputs]

    def _choices(self, result: Result) -> Iterator[int]:
        """The words of what a result is instead, where outputs say so."""
        table = self.tests.table
        choices: list = [] if result.none is None else [(result.none, "object", *table.keep(None))]
        for output, cls in result.others:
            choices.append((output, "called", result.output or 0, *table.keep(cls)))
        for output, *part in choices:
            yield from (*table.part("choice", output, *table.keep(True)), *table.part(*part))

    def _whole(self, result: Result) -> list[int] | None:
        table = self.tests.table
        if result.argument is not None:
            return table.part("value", self.tests.places[result.argument])
        if result.sizes is not None or result.is_rank_0:
            return None
        output, dtype = result.output, self.outputs[result.output].dtype.numpy_dtype
        if self.outputs[output].shape:
            is_new = output not in self.donated
            return table.part("fresh", output, *table.keep(np.ndarray.copy)) if is_new else None
        if result.python is None:
            return table.part("number", output, *table.keep(dtype))
        if dtype.kind in NUMBERS.get(result.python, ""):
            return table.part("output", output)
        return table.part("called", output, *table.keep(result.python))


def _python_call(traced: Traced, tests: CallTests, entry, native=None) -> Callable:
    """The same for arguments that pass the tests, in Python; MISS where `native` code fails."""
    in_numpy = traced.host_calls or not traced.executable.is_one_kernel
    count = len(traced.examples) - len(traced.captured)
    scope: dict[str, Any] = {
        **{f"x{count + at}": array for at, array in enumerate(traced.captured)},
        "native": native or traced.executable.native_results(), "MISS": MISS,
        "failures": Exception if in_numpy else (ArithmeticError, Error), "entry": entry,
        "begin": RUNNING.begin, "undo": RUNNING.undo, "end": RUNNING.end,
        "contiguous": np.ascontiguousarray, **FORMS,
        **{f"to_{cls.__name__}": dtype.type for cls, dtype in PYTHON_DTYPES.items()},
        "is_from_handler": is_from_handler,
    }  # fmt: skip
    begin = _begin_of_draws(traced.examples) if traced.host_calls else []
    names = ", ".join(tests.parameters)
    operands = (_form_of(at, traced) for at in traced.inputs)
    lines = [
        f"def call({names}):",
        *(f"    {line}" for line in tests.unpacking),
        *begin,
        "    try:",
        f"        outputs = native({', '.join(operands)})",
        "    except failures as error:",
        *(["        undo()"] if begin else []),
        "        if is_from_handler(error):",
        "            raise",
        "        return MISS",
        *(["    finally:", "        end(outer)"] if begin else []),
        "    entry.calls_in_python += 1",
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
    generators = [f"{at}: x{at}" for at, example in enumerate(examples) if _is_generator(example)]
    return [f"    outer = begin({{{', '.join(generators)}}})"]


def is_plain(argument) -> bool:
    """Whether `python_call` can tell arguments like this one, and may keep it."""
    known = (np.ndarray, str, type(None), types.FunctionType, *PYTHON_DTYPES)
    is_known = type(argument) in known or isinstance(argument, np.generic)
    return is_known and not holds_values(argument)


def python_call(jit_function, args: tuple, entry) -> Callable:
    """A function of the arguments: the result by the Python function for arguments like these,
    which have no native code, or MISS. Calls are counted in `entry`.
    """
    function, static = jit_function.python_function, jit_function.jit_static
    tests = CallTests(len(args), parameters=parameters_of(jit_function.jit_signature))
    tests.untraced()
    tests.unchanged(jit_function.jit_binding)
    for at, argument in enumerate(args):
        if type(argument) in (str, bool, types.FunctionType) or (
            at in static and type(argument) in (int, float)
        ):
            tests.constant(at, argument)
        elif type(argument) is np.ndarray:
            tests.array(at, without_elements(argument), False)
        else:
            tests.of_class(at, type(argument))

    def call(*args):
        entry.calls_in_python += 1
        try:
            return function(*args)
        except Exception as error:
            hide_internal_frames(error)
            raise

    return bound(tests.table.that_calls(call, MISS), misses, tests.table)


def _tests_of(traced: Traced, guards: Guards | None, parameters: Sequence) -> CallTests:
    """The tests of a call that the native code serves."""
    count = len(traced.examples) - len(traced.captured)
    tests = CallTests(count, traced.structures, traced.captured, parameters)
    tests.untraced()
    tests.without_floating_point_errors()
    if guards is not None:
        tests.unchanged(guards)
    written = {at for at, _ in traced.written}
    for at, example in enumerate(traced.examples):
        if _is_generator(example):
            tests.of_class(at, example)
        elif type(example) is np.ndarray:
            tests.array(at, example, at in written)
        elif at not in traced.inputs:
            tests.constant(at, example)
        elif type(example) is int:
            tests.require("int", at, bound_of(example))
        else:
            tests.of_class(at, type(example))
    for at, other in _apart(traced):
        tests.apart(at, traced.examples[at], other, traced.examples[other])
    return tests


def _form_of(at: int, traced: Traced) -> str:
    """The source of what native code takes of an argument."""
    example = traced.examples[at]
    if isinstance(example, np.ndarray):
        return f"x{at}" if example.flags.c_contiguous else f"contiguous(x{at})"
    if isinstance(example, np.generic) or traced.executable.is_one_kernel:
        return f"x{at}"
    return f"to_{type(example).__name__}(x{at})"


def _result_form(result, scope: dict) -> str:
    """The source of the result of a call, or of a part of it."""
    if type(result) in (tuple, list):
        parts = "".join(_result_form(part, scope) + ", " for part in result)
        return f"({parts})" if type(result) is tuple else f"[{parts}]"
    if type(result) is dict:
        parts = (f"{key!r}: {_result_form(part, scope)}" for key, part in result.items())
        return f"{{{', '.join(parts)}}}"
    if type(result) is MaybeResult:
        other, part = (_result_form(each, scope) for each in (result.other, result.part))
        return f"({other} if outputs[{result.is_other}] else {part})"
    name = f"k{len(scope)}"
    if is_named_tuple(result):
        scope[name] = functools.partial(tuple.__new__, type(result))
        return f"{name}({_result_form(tuple(result), scope)})"
    if type(result) is ObjectResult:
        scope[name] = functools.partial(_object_of, result.cls, result.names)
        return f"{name}({_result_form(result.parts, scope)})"
    if type(result) is DictResult:
        scope[name] = functools.partial(_dictionary_of, result.cls)
        parts = (_result_form(part, scope) for part in (result.keys, result.values))
        return f"{name}({', '.join(parts)})"
    if type(result) is ListResult:
        scope[name] = result
        columns = [_result_form(part, scope) for part in result.columns]
        return f"listed({name}, ({', '.join(columns)},))"
    if type(result) is RecordsResult:
        scope[name] = functools.partial(_records_of, result.dtype)
        return f"{name}([{', '.join(map(_form_of_array, result.fields))}])"
    if type(result) is not Result:
        scope[name] = result
        return name
    form = _form_of_array(result)
    for number, (flag, cls) in enumerate(result.others):
        scope[f"{name}_{number}"] = cls
        form = f"({name}_{number}(outputs[{result.output}]) if outputs[{flag}] else {form})"
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
        return f"[{''.join(_entry_form(entry) + ', ' for entry in step.key or (Ellipsis,))}]"
    if type(step) is Axes:
        return f".transpose({step.order})"
    return f".{step.name}" if type(step) is Part else f".reshape({step.shape})"


def _entry_form(entry) -> str:
    if type(entry) is Output:
        return f"int(outputs[{entry.position}])"
    if type(entry) is slice:
        parts = (entry.start, entry.stop, entry.step)
        return ":".join("" if part is None else _entry_form(part) for part in parts)
    return "..." if entry is Ellipsis else "None" if entry is None else str(int(entry))


def _cut(array: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The elements that there are of an array that has memory for more."""
    part = array[: sizes.item()] if array.ndim == 1 else array[tuple(map(slice, sizes.tolist()))]
    return array if part.shape == array.shape else part.copy()


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view


def _dictionary_of(cls: type, keys: list, values: list):
    return cls(dict(zip(keys, values, strict=True)))


def _records_of(dtype: np.dtype, fields: list):
    records = np.empty(fields[0].shape, dtype)
    for name, field in zip(dtype.names or (), fields, strict=True):
        records[name] = field
    return records


def _object_of(cls: type, names: tuple[str, ...], values: tuple):
    instance = object.__new__(cls)
    vars(instance).update(zip(names, values, strict=True))
    return instance


def _listed(result: ListResult, columns: tuple) -> list:
    """A list of numbers, or of tuples, of which these are the columns."""
    rest, columns_of_items = iter(columns), []
    for python, others, levels in result.types:
        numbers = _items_of(next(rest), python, levels)
        for other in others:
            pairs = zip(numbers, next(rest).tolist(), strict=True)
            numbers = [other(number) if holds else number for number, holds in pairs]
        if python is list:
            numbers = _lists_of(numbers, next(rest), next(rest))
        columns_of_items.append(numbers)
    return list(zip(*columns_of_items, strict=True)) if result.is_tuple else columns_of_items[0]


def _lists_of(numbers: list, blocks: list, items: list) -> list:
    """The lists that have these numbers, each a block of the items."""
    places = {number: blocks[number] for number in numbers}
    lists = {number: items[at : at + size] for number, (at, size, _) in places.items()}
    return [lists[number] for number in numbers]


def _items_of(column: np.ndarray, python: type | None, levels: int) -> list:
    """The items of a list; `levels` is how many lists of lists each is."""
    if levels:
        return [_items_of(row, python, levels - 1) for row in column]
    if column.ndim > 1:
        return [row.copy() for row in column]
    return column.tolist() if python else list(column)


FORMS = {"to_array": np.asarray, "cut": _cut, "read_only": _read_only, "listed": _listed}
