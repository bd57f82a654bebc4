"""The CPU as a place that is named: functions there have the kernel compiler of the process."""

from __future__ import annotations

from ..jit.backends import Automatic, Backend, backend_of, get_kernel_compiler


class Host(Backend):
    """The CPU, where the process or a block has another device for functions that name none."""

    name = "CPU:0"

    def instead(self) -> tuple[str, str]:
        """The kernel compiler of the process, or the usual one where it has a device instead."""
        name = get_kernel_compiler()
        if backend_of(name).has_devices:
            name = Automatic.name
        return backend_of(name).instead() or (name, "as chosen for the process")


def of_number(number: str) -> Host:
    """The CPU, of which there is one."""
    return Host()
