"""Elements in the memory of a device."""

from __future__ import annotations

from collections.abc import Callable

from ....extend.errors import InvalidArgumentError
from ....extend.state import SOFT_PLACEMENT, devices_besides_the_cpu, read_device
from ....extend.tensors import EagerTensor, tensor_on
from ..elements.element_structure import Placed
from ..elements.nodes import Node


class OnDevice(Node):
    """The elements with copies in the memory of a device."""

    def __init__(self, source, *, device):
        self.source = source
        self.device = device

    def elements(self):
        return map(self.placed, self.source.elements())

    def placed(self, flat: tuple) -> Placed:
        """An element with tensors on the device, but for strings."""
        element = Placed(flat)
        element.tensors = [
            EagerTensor(array) if array.dtype.kind == "O" else tensor_on(self.device, array)
            for array in flat
        ]
        return element

    def cardinality(self):
        return self.source.cardinality()


def copying(device_name: str) -> Callable:
    """The function of a dataset that puts its elements on a device, if there is such a device."""
    name = read_device(device_name).get("device", "").replace("*", "0")
    exists = any(device.name == name for device in devices_besides_the_cpu())
    if not (exists or name.startswith("CPU") or SOFT_PLACEMENT[0]):
        raise InvalidArgumentError(f"there is no device {device_name!r}")

    def copied(dataset):
        if not exists:
            return dataset
        return dataset._create(OnDevice, [dataset], dataset.element_spec, device=name)

    return copied
