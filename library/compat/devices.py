"""The devices there are: the CPU, and GPUs."""

from __future__ import annotations

import sys
from typing import NamedTuple

from ...extend.errors import UnimplementedError
from ...extend.registration import public
from ...extend.tensors import CPU


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
    return [PhysicalDevice(f"/physical_device:{name}", name[:3]) for name in _names(device_type)]


def _names(device_type: str | None) -> list[str]:
    """The names of the devices of a type, the CPU first."""
    names = ["CPU:0"] if device_type in (None, "CPU") else []
    return names + [gpu.name for gpu in (_gpus() if device_type in (None, "GPU") else ())]


def _gpus() -> tuple:
    from ...extend.state import devices_besides_the_cpu  # nobody else needs what GPUs do

    return devices_besides_the_cpu()


_LOGICAL_COUNT = [1]


@public("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that operations may be placed on.

    >>> import allograph as ag
    >>> [device.name for device in ag.config.list_logical_devices("CPU")]
    ['/device:CPU:0']
    """
    name = "/device:" + CPU.rpartition("device:")[2].rpartition(":")[0]
    cpus = [LogicalDevice(f"{name}:{index}", "CPU") for index in range(_LOGICAL_COUNT[0])]
    gpus = [
        LogicalDevice(f"/device:{one}", "GPU")
        for one in _names("GPU" if device_type is None else device_type)
        if one != "CPU:0"
    ]
    return [*(cpus if device_type in (None, "CPU") else ()), *gpus]


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
    """Give the CPU several names: it runs the operations of all of them.

    >>> import allograph as ag
    >>> (cpu,) = ag.config.list_physical_devices("CPU")
    >>> two = [ag.config.LogicalDeviceConfiguration()] * 2
    >>> ag.config.set_logical_device_configuration(cpu, two)
    >>> [device.name for device in ag.config.list_logical_devices()]
    ['/device:CPU:0', '/device:CPU:1']
    >>> ag.config.set_logical_device_configuration(cpu, [])

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


def _check_is_gpu(device) -> None:
    gpus = list_physical_devices("GPU")
    if device not in gpus:
        raise ValueError(f"{device!r} is not a GPU" + ("" if gpus else ", and there is none"))


@public("config.experimental.get_memory_growth")
def get_memory_growth(device) -> bool:
    """True: memory of a GPU is taken when it is needed. Raises ValueError for another device."""
    _check_is_gpu(device)
    return True


@public("config.experimental.set_memory_growth")
def set_memory_growth(device, enable) -> None:
    """Does nothing: memory of a GPU is taken when it is needed. Raises ValueError for others."""
    _check_is_gpu(device)


@public("config.experimental.get_device_details")
def get_device_details(device) -> dict:
    """What is known of a GPU, its name and the version of its instructions; of a CPU nothing."""
    _check_device(device)
    for gpu in _gpus():
        if device.name.endswith(gpu.name):
            about = gpu.properties()
            major_and_minor = about.architecture.removeprefix("sm_")
            capability = int(major_and_minor[:-1]), int(major_and_minor[-1])
            return {"device_name": about.name, "compute_capability": capability}
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


@public("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """The bytes of memory of a device that this process has, and the most that it had.

    Of the CPU it is the memory of the process.

    >>> sorted(ag.config.experimental.get_memory_info("CPU:0"))
    ['current', 'peak']

    Raises ValueError for a device that does not exist.
    """
    gpu = _gpu_named(device)
    if gpu is not None:
        return {"current": gpu.in_use, "peak": gpu.peak}
    now, most = _process_memory()
    return {"current": now, "peak": max(now, most)}


@public("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """The bytes of memory that this process has: `current` of `get_memory_info`.

    >>> ag.config.experimental.get_memory_usage("CPU:0") > 0
    True
    """
    return get_memory_info(device)["current"]


@public("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Let the peak of `get_memory_info` start again from what the process has now.

    >>> ag.config.experimental.reset_memory_stats("CPU:0")

    Raises UnimplementedError where the system does not let it: outside of Linux.
    """
    gpu = _gpu_named(device)
    if gpu is not None:
        gpu.reset_peak()
        return
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")  # the peak of resident memory
    except OSError:
        raise UnimplementedError("this system does not reset the peak of memory") from None


def _process_memory() -> tuple[int, int]:
    """The resident bytes of this process, now and at most."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            sizes = dict(line.split(":", 1) for line in file)
        return tuple(int(sizes[key].split()[0]) * 1024 for key in ("VmRSS", "VmHWM"))  # type: ignore[return-value]
    except (OSError, KeyError):  # not Linux
        most = _peak()
        return most, most


def _peak() -> int:
    """The most resident bytes that the system counted; 0 where it does not count."""
    try:
        import resource  # Unix only
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _gpu_named(device: str):
    """The GPU of a name; None for that of the CPU. Raises ValueError for others."""
    wanted = str(device).upper().split("/")[-1].removeprefix("DEVICE:")
    wanted += "" if ":" in wanted else ":0"
    if wanted == "CPU:0":
        return None
    for gpu in _gpus():
        if gpu.name == wanted:
            return gpu
    raise ValueError(f"there is no device {device!r}, only {', '.join(_names(None))}")


@public("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Note a policy for tensors on several devices; there is one device.

    >>> ag.config.experimental.set_device_policy("silent")
    >>> ag.config.experimental.get_device_policy()
    'silent'

    Raises ValueError for another word than silent, silent_for_int32, warn and explicit.
    """
    policies = (None, "silent", "silent_for_int32", "warn", "explicit")
    if device_policy not in policies:
        raise ValueError(f"the device policy is one of {policies}, not {device_policy!r}")
    _POLICY[0] = device_policy or "silent"


@public("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """What `set_device_policy` said; "silent" at first.

    >>> ag.config.experimental.set_device_policy(None)
    >>> ag.config.experimental.get_device_policy()
    'silent'
    """
    return _POLICY[0]


@public("config.experimental.enable_mlir_bridge", "config.experimental.disable_mlir_bridge")
def enable_mlir_bridge() -> None:
    """Does nothing: no MLIR is involved.

    >>> ag.config.experimental.enable_mlir_bridge()
    """


_POLICY = ["silent"]


@public("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Say whether the CPU takes the place of devices that do not exist, and runs functions that
    have no form for their device. Where it is False, both are InvalidArgumentError.

    >>> ag.config.set_soft_device_placement(False)
    >>> with ag.device("GPU:99"):
    ...     pass
    Traceback (most recent call last):
    ...
    allograph.errors.InvalidArgumentError: there is no device 'GPU:99'...
    >>> ag.config.set_soft_device_placement(True)
    """
    from ...extend.state import SOFT_PLACEMENT

    SOFT_PLACEMENT[0] = bool(enabled)


@public("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """What `set_soft_device_placement` said; True at first."""
    from ...extend.state import SOFT_PLACEMENT

    return SOFT_PLACEMENT[0]
