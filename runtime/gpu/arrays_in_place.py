"""Arrays that are on the device already as arguments of `jit`: CuPy's, PyTorch's, JAX's, Numba's.

They have `__cuda_array_interface__`, or `__dlpack__`, and may be in tuples, lists and dictionaries.
The function reads them in place, and what it changes in them is copied to them on the device. New
arrays among its results are tensors on the device, which those libraries take in place.
"""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ..core.debug_output import log
from ..core.errors import InvalidArgumentError
from ..tensors.tensor import EagerTensor
from .device_arrays import DeviceArray, DeviceTensor, tensor_in_place
from .dlpack import interface_of, is_on_a_device

if TYPE_CHECKING:
    from .backend import DeviceBackend


# The tensors of the arguments of a call, by the addresses of these.
_KNOWN: ContextVar[dict[int, DeviceTensor]] = ContextVar("_KNOWN")
UNKNOWN = object()
# Copies of arguments and of their parts, each with what it is a copy of, by the ids of the copies.
Owners = dict[int, tuple[Any, Any]]
_NATIVE: WeakKeyDictionary[Any, _InPlace] = WeakKeyDictionary()  # by the executables of traces


def holds_device_array(value: object) -> bool:
    """Whether an argument is an array on a device, or a tuple, a list or a dictionary with one."""
    parts = _parts_of(value)
    return is_on_a_device(value) if parts is None else any(map(holds_device_array, parts))


def called_in_place(backend: DeviceBackend, function: Any, args: tuple, missed: object) -> Any:
    """The result of a `jit` function, some of whose arguments are on the device.

    Where it has no form there, or fails, Python runs the function on copies, which go back.
    """
    known = _KNOWN.set({})
    try:
        entry = function.entry_of(tuple(_mapped(_example, value) for value in args))
        native = _native_of(backend, entry.traced, args)
        result = missed if native is None else entry.make_in_python(native)(*args)
        if result is not missed:
            return result
        reason = entry.reason or "they share memory, or it fails"
        log("fallback", "%s runs on copies of its arguments: %s", function.__name__, reason)
        return _called_on_copies(backend, function, args)
    finally:
        _KNOWN.reset(known)


def _native_of(backend: DeviceBackend, traced: Any, args: tuple) -> _InPlace | None:
    """The program of a trace for these arguments; None without one, or where they share memory."""
    program = None if traced is None else backend.program_of(traced.executable)
    if program is None:
        return None
    if traced.written:
        leaves = _leaves(traced.structures or (None,) * len(args), args)
        if _share_memory(list(map(_in_place, leaves)), dict(traced.written)):
            return None
    native = _NATIVE.get(traced.executable)
    return native or _NATIVE.setdefault(traced.executable, _InPlace(program, traced))


def _parts_of(value: Any) -> list | None:
    """The parts of a tuple, a list or a dictionary; None for any other value."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, (tuple, list)) else None


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """A value with what a function gives for each array on a device in it; itself without one."""
    if not holds_device_array(value):
        return value
    parts = _parts_of(value)
    if parts is None:
        return function(value)
    parts = [_mapped(function, part) for part in parts]
    if isinstance(value, tuple):
        return getattr(type(value), "_make", type(value))(parts)  # a named tuple's takes them all
    mapped = copy.copy(value)  # with what else it has
    _fill(mapped, list(value), parts)
    return mapped


def _fill(target: list | dict, keys: list, parts: list) -> None:
    """Let a list or a dictionary have these parts, in place of its own; a dictionary, by keys."""
    if isinstance(target, list):
        target[:] = parts
    else:
        target.clear()
        target.update(zip(keys, parts, strict=True))


def _leaves(structures: Sequence, values: Sequence) -> list:
    """The arguments of a trace: the parts of those of a call, as its structures divide them."""
    leaves = []
    for structure, value in zip(structures, values, strict=True):
        if structure is None:
            leaves.append(value)
        else:
            parts = _parts_of(value)
            # Slices and structured arrays are of the host.
            nothing = [None] * len(structure.parts)
            leaves += _leaves(structure.parts, nothing if parts is None else parts)
    return leaves


def _in_place(value: Any) -> DeviceTensor | None:
    """The tensor of an argument that is on a device, which is made once in a call."""
    known = _KNOWN.get()
    tensor = known.get(id(value))
    if tensor is None and is_on_a_device(value):
        tensor = known[id(value)] = tensor_in_place(value)
    return tensor


def _example(value: Any) -> Any:
    """An array of the host with the type of one on a device; another value is its own example."""
    tensor = _in_place(value)
    return value if tensor is None else np.empty(tensor.resident.shape, tensor.resident.dtype)


class _InPlace:
    """What runs the program of a trace on arguments: its results as the trace arranges them."""

    def __init__(self, program: Any, traced: Any):
        self.program = program
        self.inputs = traced.inputs
        self.written = traced.written
        results = traced.result if type(traced.result) is tuple else (traced.result,)
        arrays = {part.output for part in results if _is_whole_array(part)}
        self.kept = arrays.union(output for _, output in self.written)  # which stay there

    def __call__(self, *operands: Any) -> Sequence[Any]:
        results = self.program.on_tensors(list(map(_tensor, operands)))
        outputs: list[Any] = [
            result if at in self.kept and result.dims else result.numpy()[()]
            for at, result in enumerate(results)
        ]
        places = dict(zip(self.inputs, operands, strict=True))
        for at, output in self.written:
            outputs[output] = _changed(places[at], results[output])
        return outputs


def _is_whole_array(part: Any) -> bool:
    """Whether a result of a trace is a new array, as the program gives it."""
    facts = "argument", "python", "none", "sizes", "one_of"
    is_result = hasattr(part, "output") and all(getattr(part, fact) is None for fact in facts)
    return is_result and not (part.path or part.is_rank_0 or part.others)


def _tensor(operand: Any) -> EagerTensor:
    tensor = _in_place(operand)
    return EagerTensor(np.array(operand)) if tensor is None else tensor


def _changed(target: Any, result: DeviceTensor) -> Any:
    """An argument with the elements of a result; those of the result for an array of the host."""
    tensor = _in_place(target)
    if tensor is None:
        return result.numpy()
    _check_writeable(target)
    memory = tensor.resident.memory
    memory.device.copy(memory, result.resident.memory)
    return target


def _check_writeable(target: Any) -> None:
    if interface_of(target)["data"][1]:
        raise TypeError(f"a {type(target).__name__} that the function changes is read-only")


def _share_memory(arrays: list[DeviceTensor | None], written: dict[int, int]) -> bool:
    """Whether an array that changes shares memory with another one."""
    ends = {
        at: (start, start + array.resident.memory.size)
        for at, array in enumerate(arrays) if array is not None
        for start in [array.resident.device.address(array.resident.memory)]
    }  # fmt: skip
    return any(
        at != other and ends[at][0] < ends[other][1] and ends[other][0] < ends[at][1]
        for at in written if at in ends
        for other in ends
    )  # fmt: skip


def _called_on_copies(backend: DeviceBackend, function: Any, args: tuple) -> Any:
    owners: Owners = {}
    pairs: list[tuple[Any, np.ndarray]] = []

    def copied(value: Any) -> np.ndarray:
        own = tensor_in_place(value).numpy().copy()
        pairs.append((value, own))
        return own

    copies = [_mapped(copied, value) for value in args]
    if _share_memory(
        [tensor_in_place(value) for value, _ in pairs], dict.fromkeys(range(len(pairs)), 0)
    ):
        raise InvalidArgumentError(
            "arrays on a device share memory, and have no native code", "Copy one of them."
        )
    _note(owners, copies, args)
    before = [own.copy() for _, own in pairs]
    try:
        result = function.python_function(*copies)
    finally:  # what it changes before it raises is changed
        _copy_back(backend, pairs, before)
        for value, own in zip(args, copies, strict=True):
            _give_back(backend, value, own, owners)
    return _on_device(backend, result, owners)


def _copy_back(
    backend: DeviceBackend, pairs: list[tuple[Any, np.ndarray]], before: list[np.ndarray]
) -> None:
    """Let arrays on the device have the elements that their copies have now, if these changed."""
    for (value, own), old in zip(pairs, before, strict=True):
        if own.tobytes() != old.tobytes():
            _check_writeable(value)
            memory = tensor_in_place(value).resident.memory
            backend.device.copy_in(memory, np.ascontiguousarray(own))


def _note(owners: Owners, copies: Sequence, values: Sequence) -> None:
    """Note of which values others are copies, and so of their parts."""
    for own, value in zip(copies, values, strict=True):
        owners[id(own)] = own, value
        _note(owners, _parts_of(own) or [], _parts_of(value) or [])


def _give_back(backend: DeviceBackend, value: Any, own: Any, owners: Owners) -> None:
    """Let the lists and dictionaries of the caller have the items that their copies have now."""
    old, new = _parts_of(value) or [], _parts_of(own) or []
    for pair in zip(old, new, strict=False):
        if owners.get(id(pair[1]), (None, UNKNOWN))[1] is pair[0]:
            _give_back(backend, *pair, owners)
    items = [_on_device(backend, item, owners) for item in new]
    is_same = len(items) == len(old) and all(map(operator.is_, items, old))
    if isinstance(value, dict):
        is_same = is_same and list(own) == list(value)
    if isinstance(value, (list, dict)) and not is_same:
        _fill(value, list(own), items)


def _on_device(backend: DeviceBackend, result: Any, owners: Owners) -> Any:
    """A result with tensors on the device in place of arrays, or the arguments that they are."""
    if id(result) in owners:
        return owners[id(result)][1]
    if type(result) is dict:
        return {name: _on_device(backend, part, owners) for name, part in result.items()}
    if type(result) in (tuple, list):
        return type(result)(_on_device(backend, part, owners) for part in result)
    is_array = type(result) is np.ndarray
    return DeviceTensor(DeviceArray.of(backend.device, result)) if is_array else result
