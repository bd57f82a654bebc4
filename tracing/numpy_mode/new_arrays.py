"""Functions of NumPy that make arrays, in NumPy mode."""

from __future__ import annotations

import itertools
import math
import operator
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...python_library.numpy_functions import fill_with_range, spaced
from ...runtime.core.numpy_dtypes import is_exact, is_integer
from ...runtime.ir.op import TABLE as OPS
from ...runtime.numpy_protocol.registry import on_arrays
from ...runtime.ops.array.masking import where
from ...runtime.ops.array.slicing import getitem, set_item
from ...runtime.tensors.apply import constant_of
from .calls.library_calls import call_library
from .calls.samples import as_numpy
from .iteration import TracedRange, items_of
from .lists.record_arrays import TracedRecords
from .lists.traced_list import TracedList
from .refusal import RefusedError, noun, numpy_trace
from .statements.changing_sizes import with_limit
from .statements.tuples import known
from .storage import SelectedStorage, Storage, stored
from .traced_array import MOST_ELEMENTS, TracedArray, elements_of, fresh, stacked
from .traced_scalar import (
    NATIVE,
    PYTHON_DTYPES,
    TracedScalar,
    as_index,
    cast,
    is_mixed,
    may_be_python,
    number_in,
    require,
    require_within,
    scalar_of,
)
from .views import layout

MOST_SET = 8  # computed items of a list that is otherwise known
MOST_ROOM = 2**16  # elements of an array of a computed size
MOST_COLUMNS = 2**6  # along each axis whose size is computed, of an array with several axes


def is_traced(value) -> bool:
    """Whether a value is a number or an array of the graph."""
    return isinstance(value, (TracedScalar, TracedArray))


def holds_traced(value) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(holds_traced, value))
    if isinstance(value, dict):
        return any(map(holds_traced, value.values()))
    return is_traced(value) or isinstance(value, TracedList)


def common_type(values) -> np.dtype:
    """The data type of all of these values, whichever type numbers of one of two types have."""
    rows = itertools.product(*map(types_of, values))
    dtypes = {np.result_type(*map(_example, row)) for row in rows}
    if len(dtypes) > 1:
        raise RefusedError("a data type depends on which of two types a number has")
    return dtypes.pop()


def type_of(value):
    """The data type of a value, or the class of a number of Python's."""
    only, *others = types_of(value)
    if others:
        raise RefusedError("a data type depends on which of two types a number has")
    return only


def types_of(value) -> list:
    """The data types, or the classes of Python's numbers, that a value may have."""
    if isinstance(value, (TracedArray, np.generic)):
        return [value.dtype]
    if type(value) is not TracedScalar and type(value) not in PYTHON_DTYPES:
        raise RefusedError(f"{noun(value)} among arrays of the graph")
    types = value.types if type(value) is TracedScalar else [type(value)]
    return [each if each in (int, float, complex) else np.dtype(each) for each in types]


@on_arrays(np.full_like)
def _full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, **options):
    if options:
        raise RefusedError("a new array with options")
    dtype = np.dtype(dtype or a.dtype)
    if isinstance(a, TracedArray) and a.computed and dtype in NATIVE and shape is None:
        same_shape, item = cast(a.read(), dtype), elements_of(fill_value, dtype)
        return fresh(where(constant_of(np.bool_(True)), item, same_shape))
    return _new(a.shape if shape is None else shape, fill_value, dtype)


on_arrays(np.zeros_like, np.empty_like)(lambda a, *args, **named: _full_like(a, 0, *args, **named))
on_arrays(np.ones_like)(lambda a, *args, **named: _full_like(a, 1, *args, **named))


def _new(shape, value, dtype) -> Any:  # an array, or a structured one
    dtype = np.dtype(dtype)
    if dtype.names is not None and type(value) is int and not value:
        return TracedRecords(dtype, {name: _new(shape, 0, dtype[name]) for name in dtype.names})
    shape_ = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if any(type(size) is TracedArray for size in shape_):
        raise RefusedError("an array as a size")
    shape_ = tuple(map(with_limit, shape_))
    if any(map(_is_computed, shape_[1:])) and numpy_trace().options.grows:
        shape_ = tuple(map(_with_most, shape_))
    is_long = bool(shape_) and _is_computed(shape_[0]) and not _is_limited(shape_[0])
    if is_long and numpy_trace().options.grows:
        return _of_any_length(*shape_, value=value, dtype=dtype)
    if any(np.dtype(bool) in types_of(size) for size in shape_):
        raise RefusedError("a size that is True or False")
    sizes = tuple(size.bound if _is_limited(size) else operator.index(size) for size in shape_)
    if dtype not in NATIVE:
        raise RefusedError(f"a new array of {dtype}")
    layout(dtype, sizes)  # raises NumPy's own errors
    if math.prod(sizes) >= MOST_ELEMENTS:
        raise RefusedError("a new array that is larger than any memory")
    array = fresh(OPS["fill"](list(sizes), elements_of(value, dtype)))
    limited = [size for size in shape_ if _is_limited(size)]
    for size in limited:
        require((size >= 0).tensor)
    key = (slice(None, size if _is_limited(size) else None) for size in shape_)
    return array[tuple(key)] if limited else array


def _of_any_length(length, *rest, value, dtype) -> TracedArray:
    """A new array whose first size is computed and has no limit."""
    count = scalar_of(length).as_int64()
    require((count >= 0).tensor)
    none = _new((0, *rest), value, dtype).read()
    array = TracedArray(Storage(OPS["ensure_length"](none, count.tensor)))[:count]
    if type(value) is not int or value:
        array[...] = value
    return array


def _with_most(size):
    """A size, for which there is memory if it is computed. Python runs calls with a larger one."""
    if not _is_computed(size) or _is_limited(size):
        return size
    number = scalar_of(size).as_int64()
    require_within(number, MOST_COLUMNS)
    require((number >= 0).tensor)
    number.bound = MOST_COLUMNS
    return number


def _is_computed(size) -> bool:
    """Whether a size is an integer that is not computed from arguments alone."""
    is_computed = type(size) is TracedScalar and size.arguments is None
    return is_computed and all(np.issubdtype(each, np.integer) for each in size.types)


def _is_limited(size) -> bool:
    """Whether a size is computed and below a limit."""
    return _is_computed(size) and size.python is int and size.bound <= MOST_ROOM


def zeros(shape, dtype=float, order="C", **options):
    return _created(shape, 0, dtype, order, options)


def _ones(shape, dtype=None, order="C", **options):
    return _created(shape, 1, dtype or float, order, options)


def _full(shape, fill_value, dtype=None, order="C", **options):
    if dtype is None:
        dtype = common_type([fill_value])
    return _created(shape, fill_value, dtype, order, options)


def _created(shape, value, dtype, order, options):
    if order != "C" or options:
        raise RefusedError("a new array with options")
    return _new(shape, value, dtype)


def _index(value):
    return operator.index(value) if is_traced(value) else value


def as_constant(value):
    """A size, an axis, or several of them, as constants of the trace."""
    if type(value) in (list, tuple):
        return type(value)(map(as_constant, value))
    if type(value) is TracedArray:
        raise RefusedError("an array of the graph as an axis or as indices")
    return value.__index__() if type(value) is TracedScalar else value


def _of_constants(function, /, *args, **kwargs):
    """A function of constants: what the graph computes becomes a constant of the trace."""
    named = dict(zip(kwargs, map(_index, kwargs.values()), strict=True))
    result = function(*map(_index, args), **named)
    return _constant(result) if isinstance(result, np.ndarray) else result


def _linspace(start, stop, num=50, endpoint=True, *, dtype=None, **options):
    if not (is_traced(start) or is_traced(stop)):
        return _of_constants(np.linspace, start, stop, num, endpoint, dtype=dtype, **options)
    if options or isinstance(start, TracedArray) or isinstance(stop, TracedArray):
        raise RefusedError("np.linspace with options, or between arrays")
    dtypes = {scalar_of(end).numpy_dtype for end in (start, stop)} - {np.dtype(np.float64)}
    if not all(map(is_exact, dtypes)):
        raise RefusedError("np.linspace of complex or float32 numbers")
    arguments = (start, stop, operator.index(num), endpoint, dtype)
    recorded = partial(call_library, spaced, *arguments)
    return as_numpy(np.linspace, recorded, arguments[:4], {"dtype": dtype})


def _arange(*args, dtype=None, **options):
    if len(args) == 4:
        *args, dtype = args
    if any(map(_is_computed, args)) and not options:
        places = _limited_range(*((0, *args) if len(args) == 1 else args))
        if places is not None:
            return places if dtype is None else places.astype(dtype)
        are_int64 = all(scalar_of(end).numpy_dtype == np.int64 for end in args)
        if numpy_trace().options.grows and are_int64:
            return _long_range(*((0, *args) if len(args) == 1 else args), dtype=dtype)
    if holds_traced(args):
        args = map(_index, args)
    return _constant(np.arange(*args, dtype=dtype, **options))


def _long_range(start, stop, step=1, *, dtype) -> TracedArray:
    """The integers of a range of a computed size that has no limit."""
    numbers = TracedRange(start, stop, step)
    array = _of_any_length(items_of(numbers).count, value=0, dtype=dtype or np.int64)
    call_library(fill_with_range, array, numbers.start, step)
    return array


def _limited_range(start, stop, step=1) -> TracedArray | None:
    """The integers of a range of a computed size that has a limit; None where it has none."""
    bounds = [scalar_of(end).bound for end in (start, stop)]
    types = {end.python if type(end) is TracedScalar else type(end) for end in (start, stop, step)}
    if sum(bounds) > MOST_ROOM or types != {int} or (type(step) is int and step == 0):
        return None
    if type(step) is TracedScalar:
        require((step > 0).tensor)
    is_upward = type(step) is TracedScalar or step > 0
    count = (stop - start + step + (-1 if is_upward else 1)) // step
    count = TracedScalar(OPS["maximum"](count.tensor, scalar_of(0).tensor), int, sum(bounds))
    places = _constant(np.arange(sum(bounds)))[:count]
    places = places if type(step) is int and step == 1 else places * step
    return places if type(start) is int and start == 0 else places + start


def _constant(array: np.ndarray) -> TracedArray:
    if array.dtype not in NATIVE:
        raise RefusedError(f"an array of {array.dtype}")
    return fresh(constant_of(array))


def column_of(tensors: tuple):
    """The elements of a column. Those that are known, as in `[x] + [0] * 100`, are a constant."""
    known = list(map(_known_elements, tensors))
    if sum(element is None for element in known) > MOST_SET:
        return OPS["stack"](*tensors, axis=0)
    zero = np.zeros(tensors[0].dims, tensors[0].dtype.numpy_dtype)
    column = constant_of(np.stack([zero if element is None else element for element in known]))
    for place, tensor in enumerate(tensors):
        if known[place] is None:
            column = set_item(column, place, tensor)
    return column


def _known_elements(tensor) -> np.ndarray | None:
    return tensor.graph_value.constant if hasattr(tensor, "graph_value") else tensor.array


def found_in(source: dict, key: TracedScalar) -> tuple[TracedScalar, Any]:
    """Whether a dictionary of constants has a key, and its item, or else another one."""
    if type(key) is not TracedScalar or not is_integer(key.numpy_dtype) or is_mixed(key):
        raise RefusedError("a computed key of a dictionary that is no integer")
    known = sorted(source)
    keys = _constant(np.array(known, np.int64))
    place = np.searchsorted(keys, key.as_int64())
    place = TracedScalar(OPS["minimum"](place.tensor, scalar_of(len(known) - 1).tensor), int)
    return keys[place] == key, item_of_constants(tuple(source[each] for each in known), place)


def item_of_constants(source, key: TracedScalar):
    """`source[key]` for a tuple or list of numbers of one type, of such tuples, or of whole arrays
    of one type, for a read-only array, or for a dictionary with integers as keys.
    """
    if type(source) is dict and source and set(map(type, source)) == {int}:
        is_there, item = found_in(source, key)
        require(is_there.tensor)  # Python raises the error
        return item
    if type(source) is np.ndarray and not source.flags.writeable:
        return fresh(constant_of(source))[key]
    types = set(map(type, source)) if isinstance(source, (tuple, list)) else set()
    if types == {TracedArray} and type(key) is TracedScalar:
        return _one_of(source, key)
    if types == {tuple} and len(set(map(len, source))) == 1:
        return tuple(item_of_constants(column, key) for column in zip(*source, strict=True))
    numbers = list(map(scalar_of, source)) if types <= {TracedScalar, *PYTHON_DTYPES} else []
    number_types = {(each.python, each.numpy_dtype) for each in numbers}
    is_plain = not any(is_mixed(each) or each.none is not None or each.is_large for each in numbers)
    if len(number_types) != 1 or not is_plain or type(key) is not TracedScalar:
        numpy_trace().let_change(source)  # a list of lists, as that of a table
        raise RefusedError(f"a computed index into {noun(source)}")
    table = column_of(tuple(each.tensor for each in numbers))
    bound = max(each.bound for each in numbers)
    return TracedScalar(getitem(table, as_index(key)), numbers[0].python, bound)


def _one_of(arrays, key: TracedScalar) -> TracedArray:
    """One of several arrays, as a computed index says."""
    storages = [array.storage for array in arrays]
    forms = {(type(x.storage), x.dtype, x.template.shape, x.computed) for x in arrays}
    is_plain = len(forms) == 1 and all(array.may_be_one_of for array in arrays)
    if not is_plain or type(storages[0]) is SelectedStorage or not is_exact(key.numpy_dtype):
        raise RefusedError("a computed index into arrays, of which some are views or differ")
    count = constant_of(np.int64(len(storages)))
    index = OPS["wrapped_index"](as_index(key), count)
    return TracedArray(SelectedStorage(index, storages))


def _array(source, dtype=None, **options):
    if isinstance(source, TracedList):
        return _array(source.to_array(), dtype, **options)
    if options and options != {"copy": True}:
        raise RefusedError("np.array with options")
    if type(source) is TracedScalar:
        return fresh(OPS["reshape"](stacked([source], dtype), []))
    if isinstance(source, TracedArray):
        return source.astype(dtype or source.dtype)
    if holds_traced(source):
        return fresh(stacked(source, dtype))
    return _constant(np.array(source, dtype))


# ---- grids and rows by slices ----------------------------------------------------------------


class _BySlices:
    """`np.mgrid` or `np.ogrid`: bounds that the graph computes become constants of the trace."""

    def __init__(self, maker):
        self.maker = maker

    def __getitem__(self, key):
        grids = self.maker[_known_slices(key)]
        return tuple(map(_constant, grids)) if isinstance(grids, tuple) else _constant(grids)


def _known_slices(key):
    if isinstance(key, tuple):
        return tuple(map(_known_slices, key))
    bounds = (key.start, key.stop, key.step)
    return slice(*map(_index, bounds))


class _Joined:
    """`np.r_` or `np.c_` of arrays of rank 1, numbers and slices."""

    def __init__(self, maker, is_column: bool):
        self.maker = maker
        self.is_column = is_column

    def __getitem__(self, key):
        parts = key if isinstance(key, tuple) else (key,)
        if not holds_traced(parts) or any(isinstance(part, str) for part in parts):
            return _constant(self.maker[key])
        grids = _BySlices(self.maker)
        parts = [grids[part] if isinstance(part, slice) else part for part in parts]
        if self.is_column:
            if not all(isinstance(part, TracedArray) and part.ndim in (1, 2) for part in parts):
                raise RefusedError("np.c_ of other things than vectors and matrices")
            columns = [part[:, None] if part.ndim == 1 else part for part in parts]
            return np.concatenate(columns, axis=1)
        dtype = common_type(parts)
        rows = [part if isinstance(part, TracedArray) else fresh(stacked([part], dtype))
                for part in parts]  # fmt: skip
        if any(row.ndim != 1 for row in rows):
            raise RefusedError("np.r_ of other things than vectors and numbers")
        return np.concatenate(rows)


BY_SLICES = {np.mgrid: _BySlices(np.mgrid), np.ogrid: _BySlices(np.ogrid),
             np.r_: _Joined(np.r_, False), np.c_: _Joined(np.c_, True)}  # fmt: skip


class _NumPy(types.ModuleType):
    """NumPy, with forms of what is called with slices."""

    def __getattr__(self, name: str):
        value = getattr(np, name)
        return BY_SLICES[value] if name in ("mgrid", "ogrid", "r_", "c_") else value


MODULE = _NumPy("numpy")


def array_of_list(value):
    """The array of a list of computed items; anything else as it is."""
    return value.to_array() if isinstance(value, TracedList) else known(value)


def _contiguous(source, dtype=None, **options):
    array = _asarray(source, dtype, **options)
    array = array if array.ndim else array.reshape(1)  # the rank is at least 1
    return array.copy() if array is source and not array.template.flags.c_contiguous else array


def _asarray(source, dtype=None, **options):
    own = source.dtype if isinstance(source, TracedArray) and dtype is None else np.dtype(dtype)
    if isinstance(source, TracedArray) and not options and own in NATIVE and own == source.dtype:
        return source
    return _array(source, dtype, **options)


def _example_of_type(value):
    """A value of the same type, as `np.result_type` looks at it."""
    if not (is_traced(value) or isinstance(value, (TracedList, list))):
        return value
    return _example(type_of(known(value)))


def _example(type_):
    return type_(0) if isinstance(type_, type) else type_


def _number(dtype):
    def convert(value=0):
        scalar, dtype_ = scalar_of(number_in(value)), np.dtype(dtype)
        if may_be_python(scalar) or not is_exact(scalar.numpy_dtype):
            return TracedScalar(stored(scalar, dtype_))
        return TracedScalar(cast(scalar.tensor, dtype_))

    return lambda value=0: convert(value) if is_traced(value) else dtype(value)


def _of_array(function, form: Callable, /, source, *args, **kwargs):
    """A function that makes an array of another one, or gives it as it is."""
    source = array_of_list(source)
    if not isinstance(source, TracedArray) or not (args or kwargs):
        return form(source, *args, **kwargs)
    recorded = partial(form, source, *args, **kwargs)
    return as_numpy(function, recorded, (source, *args), kwargs)


CREATED: dict[Any, Callable] = {
    np.zeros: zeros, np.empty: zeros, np.ones: _ones, np.full: _full,
    np.ndarray: lambda shape, dtype=float, **options: zeros(shape, dtype, **options),
    np.arange: _arange, np.linspace: _linspace,
    **{function: partial(_of_constants, function) for function in
       (np.logspace, np.geomspace, np.eye, np.identity, np.tri)},
    **{function: partial(_of_array, function, form) for function, form in
       ((np.array, _array), (np.asarray, _asarray), (np.ascontiguousarray, _contiguous))},
    **{dtype.type: _number(dtype.type) for dtype in NATIVE},
    np.result_type: lambda *values: np.result_type(*map(_example_of_type, values)),
}  # fmt: skip


def array_of_number(value):
    """A number of Python's as NumPy makes an array of it, which other operands do not adapt."""
    if not may_be_python(value):
        return value
    number = scalar_of(value)
    if {np.dtype(each) for each in number.types} != {number.numpy_dtype}:
        raise RefusedError("a number of one of two types becomes an array")
    return TracedScalar(number.tensor)
