"""The devices there are: one CPU."""

from __future__ import annotations

from typing import NamedTuple

from ...runtime.core.public_names import public
from ...runtime.tensors.tensor import CPU


@public("config.PhysicalDevice")
class PhysicalDevice(NamedTuple):
    """A device of the machine."""

    name: str
    device_type: str


@public("config.LogicalDevice")
class LogicalDevice(NamedTuple):
    """A device that operations may be placed on."""

    name: str
    device_type: str


@public("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of a type; of every type for None.

    >>> import allograph as ag
    >>> [device.name for device in ag.config.list_physical_devices()]
    ['/physical_device:CPU:0']
    >>> ag.config.list_physical_devices("GPU")
    []
    """
    found = [PhysicalDevice("/physical_device:CPU:0", "CPU")]
    return [one for one in found if device_type in (None, one.device_type)]


@public("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that operations may be placed on.

    >>> import allograph as ag
    >>> [device.name for device in ag.config.list_logical_devices("CPU")]
    ['/device:CPU:0']
    """
    found = [LogicalDevice("/device:" + CPU.rpartition("device:")[2], "CPU")]
    return [one for one in found if device_type in (None, one.device_type)]


_SOFT = [True]


@public("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Note a wish; a device that does not exist is always replaced by the CPU."""
    _SOFT[0] = bool(enabled)


@public("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """What `set_soft_device_placement` said; True at first."""
    return _SOFT[0]
