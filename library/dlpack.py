"""DLPack: tensors shared with other libraries in the same memory."""

from __future__ import annotations

import numpy as np

from ..extend.errors import SymbolicValueError
from ..extend.registration import public
from ..extend.tensors import EagerTensor, SymbolicTensor, tensor_in_place

CPU = (1, 0)  # DLPack's number for the device, and which one
CUDA = 2


class _Capsule:
    """A bare capsule as an object with the protocol."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **options):
        return self._capsule

    def __dlpack_device__(self):
        return CPU


@public("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor):
    """A DLPack capsule of a tensor, to be read once by another library.

    Libraries with `from_dlpack` take the tensor itself, without this function.

    >>> import allograph as ag
    >>> ag.experimental.dlpack.from_dlpack(ag.experimental.dlpack.to_dlpack(ag.constant([1, 2])))
    <ag.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>
    """
    return tf_tensor.__dlpack__()


@public("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule) -> EagerTensor:
    """The tensor of a DLPack capsule, or of any array with `__dlpack__`; the memory is shared.

    So is that of an array of a GPU, with `__cuda_array_interface__` or `__dlpack__`.

    Do not change the array afterwards: tensors do not change. Raises TypeError for other objects.
    """
    if isinstance(dlcapsule, SymbolicTensor):
        raise SymbolicValueError(f"{dlcapsule} has no value while tracing")
    place: tuple = getattr(dlcapsule, "__dlpack_device__", tuple)()
    if hasattr(dlcapsule, "__cuda_array_interface__") or place[:1] == (CUDA,):
        return tensor_in_place(dlcapsule)
    source = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    return EagerTensor(np.from_dlpack(source))
