"""Arrays that are on the device already as arguments of `jit`: CuPy's, PyTorch's, JAX's, Numba's.

They have `__cuda_array_interface__`, or `__dlpack__`. The function reads them in place, and what it
changes in them is copied to them on the device. New arrays among its results are tensors on the
device, which those libraries take in place.
"""

from __future__ import annotations

from collections.abc import Sequence
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


_NATIVE: WeakKeyDictionary[Any, _InPlace] = WeakKeyDictionary()  # by the executables of traces


def called_in_place(backend: DeviceBackend, function: Any, args: tuple, missed: object) -> Any:
    """The result of a `jit` function, some of whose arguments are on the device.

    Where it has no form there, or fails, Python runs the function on copies, which go back.
    """
    arrays = [tensor_in_place(value) if is_on_a_device(value) else None for value in args]
    examples = (
        value if array is None else np.empty(array.resident.shape, array.resident.dtype)
        for value, array in zip(args, arrays, strict=True)
    )  # fmt: skip
    entry = function.entry_for(*examples)
    program = None if entry.traced is None else backend.program_of(entry.traced.executable)
    reason = entry.reason or "they share memory, or it fails"
    if program is not None and not _share_memory(arrays, dict(entry.traced.written)):
        native = _NATIVE.setdefault(entry.traced.executable, _InPlace(program, entry.traced))
        result = entry.make_in_python(native)(*args)
        if result is not missed:
            return result
    log("fallback", "%s runs on copies of its arguments: %s", function.__name__, reason)
    return _called_on_copies(backend, function, args, arrays)


class _InPlace:
    """What runs the program of a trace on arguments: its results as the trace arranges them."""

    def __init__(self, program: Any, traced: Any):
        self.program = program
        self.inputs = traced.inputs
        self.written = traced.written
        results = traced.result if type(traced.result) is tuple else (traced.result,)
        self.arrays = {part.output for part in results if _is_whole_array(part)}

    def __call__(self, *operands: Any) -> Sequence[Any]:
        results = self.program.on_tensors(list(map(_tensor, operands)))
        kept = self.arrays.union(output for _, output in self.written)
        outputs: list[Any] = [
            result if at in kept and result.dims else result.numpy()[()]
            for at, result in enumerate(results)
        ]
        places = dict(zip(self.inputs, operands, strict=True))
        for at, output in self.written:
            outputs[output] = _changed(places[at], results[output])
        return outputs


def _is_whole_array(part: Any) -> bool:
    """Whether a result of a trace is a new array, as the program gives it."""
    facts = "argument", "python", "alternative", "none", "sizes", "one_of"
    is_result = hasattr(part, "output") and all(getattr(part, fact) is None for fact in facts)
    return is_result and not part.path and not part.is_rank_0


def _tensor(operand: Any) -> EagerTensor:
    return tensor_in_place(operand) if is_on_a_device(operand) else EagerTensor(np.array(operand))


def _changed(target: Any, result: DeviceTensor) -> Any:
    """An argument with the elements of a result; those of the result for an array of the host."""
    if not is_on_a_device(target):
        return result.numpy()
    _check_writeable(target)
    memory = tensor_in_place(target).resident.memory
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


def _called_on_copies(
    backend: DeviceBackend, function: Any, args: tuple, arrays: list[DeviceTensor | None]
) -> Any:
    if _share_memory(arrays, dict.fromkeys(range(len(args)), 0)):
        raise InvalidArgumentError(
            "arrays on a device share memory, and have no native code", "Copy one of them."
        )
    copies = [
        value if array is None else array.numpy().copy()
        for value, array in zip(args, arrays, strict=True)
    ]
    before = [
        copy if array is None else copy.copy() for copy, array in zip(copies, arrays, strict=True)
    ]
    result = function.python_function(*copies)
    for value, array, copy, old in zip(args, arrays, copies, before, strict=True):
        if array is not None and copy.tobytes() != old.tobytes():
            _check_writeable(value)
            backend.device.copy_in(array.resident.memory, np.ascontiguousarray(copy))
    owners = {id(copy): value for value, copy in zip(args, copies, strict=True)}
    return _on_device(backend, result, owners)


def _on_device(backend: DeviceBackend, result: Any, owners: dict[int, Any]) -> Any:
    """A result with tensors on the device in place of arrays, or the arguments that they are."""
    if id(result) in owners:
        return owners[id(result)]
    if type(result) in (tuple, list):
        return type(result)(_on_device(backend, part, owners) for part in result)
    is_array = type(result) is np.ndarray
    return DeviceTensor(DeviceArray.of(backend.device, result)) if is_array else result
