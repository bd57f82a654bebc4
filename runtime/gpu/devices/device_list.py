"""Which devices there are beside the CPU, and why there are no others."""

from __future__ import annotations

import functools
import os

from ...core.errors import InvalidArgumentError
from . import cuda_driver
from .device import Device

VARIABLE = "ALLOGRAPH_DEVICE"
# Its values: functions that name no device run on GPU:0, the first card, or what the CPU emulates.
FIRST, EMULATED = "GPU:0", "emulated"


def is_emulated() -> bool:
    """Whether the CPU emulates GPU:0. Raises InvalidArgumentError for another ALLOGRAPH_DEVICE."""
    value = os.environ.get(VARIABLE, "")
    if value not in ("", FIRST, EMULATED):
        raise InvalidArgumentError(
            f"{VARIABLE}={value!r}: there is no such device",
            f'Set it to "{FIRST}" or "{EMULATED}", or leave it out.',
        )
    return value == EMULATED


def missing() -> str | None:
    """Why there is no GPU; None if there is one."""
    return None if is_emulated() else cuda_driver.missing()


def devices() -> tuple[Device, ...]:
    """The devices of this process besides the CPU."""
    return _devices(is_emulated())


@functools.cache
def _devices(emulated: bool) -> tuple[Device, ...]:
    if emulated:
        from .emulated_device import EmulatedDevice  # what only tests need

        return (EmulatedDevice(),)
    if missing() is not None:
        return ()
    from .cuda_device import CudaDevice

    return tuple(map(CudaDevice, range(cuda_driver.count())))


def device_named(name: str) -> Device | None:
    """The device of a name such as GPU:0; None if there is none such."""
    return next((device for device in devices() if device.name == name), None)


def listed() -> str:
    """The devices there are, and why no others, in words."""
    names = ", ".join(["CPU:0", *(device.name for device in devices())])
    reason = missing()
    return f"There is {names}" + (f"; no GPU: {reason}." if reason else ".")
