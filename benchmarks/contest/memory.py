"""Peak memory of this process."""

from __future__ import annotations

import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_mb() -> float:
    """Peak resident memory in MB of 2**20 bytes; on Windows, of the working set."""
    if STATUS.exists():  # Linux's getrusage also counts what the parent held when it started us
        (line,) = (line for line in STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    if sys.platform == "win32":
        return _working_set() / 2**20
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def _working_set() -> int:
    import ctypes
    from ctypes import wintypes

    # PROCESS_MEMORY_COUNTERS: two numbers of 32 bits, then sizes; the peak is the first size.
    class Counters(ctypes.Structure):
        _fields_ = [
            ("cb", wintypes.DWORD),
            ("faults", wintypes.DWORD),
            *((f"size{index}", ctypes.c_size_t) for index in range(8)),
        ]

    counters = Counters(cb=ctypes.sizeof(Counters))
    process = ctypes.windll.kernel32.GetCurrentProcess
    process.restype = wintypes.HANDLE
    query = ctypes.windll.kernel32.K32GetProcessMemoryInfo
    query.argtypes = [wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD]
    query(process(), ctypes.byref(counters), counters.cb)
    return counters.size0
