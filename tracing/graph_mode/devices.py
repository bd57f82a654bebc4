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


_LOGICAL_COUNT = [1]


@public("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that operations may be placed on.

    >>> import allograph as ag
    >>> [device.name for device in ag.config.list_logical_devices("CPU")]
    ['/device:CPU:0']
    """
    name = "/device:" + CPU.rpartition("device:")[2].rpartition(":")[0]
    found = [LogicalDevice(f"{name}:{index}", "CPU") for index in range(_LOGICAL_COUNT[0])]
    return [one for one in found if device_type in (None, one.device_type)]


@public("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")
class LogicalDeviceConfiguration(NamedTuple):
    """The limits of a logical device, which are noted."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_CONFIGURED: list[LogicalDeviceConfiguration] = []


@public(
    "config.set_logical_device_configuration",
    "config.experimental.set_virtual_device_configuration",
)
def set_logical_device_configuration(device, logical_devices) -> None:
    """Give a device several names: all operations run on the one CPU.

    >>> import allograph as ag
    >>> (cpu,) = ag.config.list_physical_devices("CPU")
    >>> two = [ag.config.LogicalDeviceConfiguration()] * 2
    >>> ag.config.set_logical_device_configuration(cpu, two)
    >>> [device.name for device in ag.config.list_logical_devices()]
    ['/device:CPU:0', '/device:CPU:1']
    >>> ag.config.set_logical_device_configuration(cpu, two[:1])

    Raises ValueError for a device that does not exist.
    """
    _check_device(device)
    _CONFIGURED[:] = logical_devices
    _LOGICAL_COUNT[0] = max(len(_CONFIGURED), 1)


@public(
    "config.get_logical_device_configuration",
    "config.experimental.get_virtual_device_configuration",
)
def get_logical_device_configuration(device) -> list[LogicalDeviceConfiguration] | None:
    """What `config.set_logical_device_configuration` said, or None."""
    _check_device(device)
    return list(_CONFIGURED) or None


def _check_device(device) -> None:
    if device not in list_physical_devices():
        raise ValueError(f"{device!r} is not one of {list_physical_devices()}")


@public("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of a type that are in use; of every type for None.

    >>> import allograph as ag
    >>> len(ag.config.get_visible_devices("CPU"))
    1
    """
    return list_physical_devices(device_type)


@public("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices, device_type: str | None = None) -> None:
    """Say which devices are in use. The CPU always is. Raises ValueError for others.

    >>> import allograph as ag
    >>> ag.config.set_visible_devices([], "GPU")
    """
    devices = devices if isinstance(devices, (list, tuple)) else [devices]
    for device in devices:
        _check_device(device)
    if device_type in (None, "CPU") and not devices:
        raise ValueError("the CPU runs all operations: it stays visible")


def _only_for_gpus(device):
    raise ValueError(f"{device!r} is not a GPU, and there is none")


@public("config.experimental.get_memory_growth")
def get_memory_growth(device):
    """Raises ValueError: memory growth is an option of GPUs."""
    return _only_for_gpus(device)


@public("config.experimental.set_memory_growth")
def set_memory_growth(device, enable) -> None:
    """Raises ValueError: memory growth is an option of GPUs."""
    _only_for_gpus(device)


@public("config.experimental.get_device_details")
def get_device_details(device) -> dict:
    """Nothing is known of a CPU: an empty dict."""
    _check_device(device)
    return {}


@public("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """True: an operation has run when its call returns."""
    return True


@public("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable) -> None:
    """Does nothing: an operation has run when its call returns."""


@public("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """False: products of matrices of float32 are never rounded to fewer digits."""
    return False


@public("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled) -> None:
    """Does nothing: products of matrices of float32 are never rounded to fewer digits."""


_SOFT = [True]


@public("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Note a wish; a device that does not exist is always replaced by the CPU."""
    _SOFT[0] = bool(enabled)


@public("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """What `set_soft_device_placement` said; True at first."""
    return _SOFT[0]
