"""Where functions run: `device` as a block, and as an argument of decorators."""

from __future__ import annotations

import re
from contextlib import contextmanager, nullcontext

from ..core.debug_output import log
from ..core.errors import InvalidArgumentError
from ..core.public_names import public
from ..jit.backends import PLACED, backend, placing
from ..tensors.apply import BUILDER
from ..tensors.name_scopes import DEVICE, within
from .host import Host

TYPES = {"CPU", "GPU", "TPU"}
SOFT = [True]  # whether the CPU takes the place of devices that do not exist, or cannot run a graph


@public("device")
@contextmanager
def device(device_name):
    """Functions that are called inside, and operations, run on this device: "GPU:0", or "CPU:0".

    Their results stay on the device until `numpy()` or the CPU asks for them. Inside a function
    that is traced, the whole function runs on the device, and `operation.device` tells what was
    named for each operation.

    A name looks like `/device:GPU:0`, `/gpu:0` or `GPU:0`, with `/job:..`, `/replica:..` and
    `/task:..` before it where wanted; what it leaves open stays as the surrounding `device` says.
    None leaves them all. Where there is no such device, the CPU runs the functions, unless
    `config.set_soft_device_placement(False)` makes that an error.

    >>> @ag.function
    ... def f(x):
    ...     with ag.device("/cpu:0"):
    ...         return ag.tanh(x)
    >>> f.get_concrete_function(1.0).graph.get_operations()[-1].device
    '/device:CPU:0'

    Raises ValueError for a name of another form.
    """
    fields = (
        {} if device_name is None else {**read_device(DEVICE.get()), **read_device(device_name)}
    )
    order = ("job", "replica", "task", "device")
    name = "".join(f"/{key}:{fields[key]}" for key in order if key in fields)
    with within(DEVICE, name), _placed(fields.get("device", "")):
        yield


def read_device(name) -> dict[str, str]:
    """The fields of a device name; ValueError where it is none."""
    fields = {}
    if not isinstance(name, str):
        raise InvalidArgumentError(f"a device is named by a text, not by {name!r}")
    for component in filter(None, name.split("/")):
        field, *rest = component.split(":")
        if field == "device" and len(rest) in (1, 2):
            field, rest = rest[0], rest[1:]
        if field.upper() in TYPES and (not rest or rest[0] == "*" or rest[0].isdigit()):
            fields["device"] = ":".join([field.upper(), *(rest or ["0"])])
        elif (field in ("replica", "task") and len(rest) == 1 and rest[0].isdigit()) or (
            field == "job" and len(rest) == 1 and re.fullmatch(r"[A-Za-z]\w*", rest[0])
        ):
            fields[field] = rest[0]
        else:
            raise InvalidArgumentError(
                f"{component!r} is no part of a device name, in {name!r}",
                "A device is named like '/device:GPU:0', '/gpu:0' or 'GPU:0'.",
            )
    return fields


def _placed(name: str):
    """The context in which functions run on the device of this name."""
    if not name:
        return nullcontext()
    existing, is_cpu = _existing(name), name.startswith("CPU:")
    if existing is None:
        _refuse(name)
        return nullcontext()
    builder = BUILDER.get()
    if builder is None:
        if is_cpu:
            return placing(existing) if _is_elsewhere() else nullcontext()
        from .eager_operations import running_on  # which programs without a device do without

        return running_on(existing)
    while builder is not None:  # the functions that are being traced: one GPU inside is enough
        builder.placement, builder = (is_cpu and builder.placement) or existing, builder.outer
    return nullcontext()


def _is_elsewhere() -> bool:
    """Whether functions that name no device run on another one than the CPU here."""
    return bool(PLACED) or backend().has_devices


def _existing(name: str) -> str | None:
    """The name of the backend of a device, of which `CPU:*` and `GPU:*` are the first; None if
    there is no such device.
    """
    device_type, _, number = name.partition(":")
    if device_type == "CPU":
        return Host.name
    from .devices.device_list import device_named

    name = f"{device_type}:{number.replace('*', '0')}"
    return name if device_type == "GPU" and device_named(name) is not None else None


def _refuse(name: str) -> None:
    """Say that there is no such device: in the log, or as an error."""
    from .devices.device_list import listed

    if not SOFT[0]:
        raise InvalidArgumentError(f"there is no device {name!r}", listed())
    log("fallback", "the CPU takes the place of %s, which does not exist", name)


def backend_on(where: str, name: str) -> str:
    """The name of the backend for the argument `device` of a decorator.

    Raises InvalidArgumentError where there is no such device: the CPU takes nobody's place here.
    """
    from .devices.device_list import listed

    existing = _existing(read_device(name).get("device", ""))
    if existing is None:
        raise InvalidArgumentError(f"{where}: device={name!r}: there is no such device", listed())
    return existing
