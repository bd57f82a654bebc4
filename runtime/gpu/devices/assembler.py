"""What NVIDIA's assembler tells about PTX, where it is installed: no card is needed for it."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile

SECONDS = 60
REGISTERS, SPILLED = re.compile(r"Used (\d+) registers"), re.compile(r"(\d+) bytes spill stores")


@functools.lru_cache(256)
def registers_of(ptx: str, architecture: str) -> tuple[int, int] | None:
    """The registers of a thread, and the bytes that do not fit into them; None if `ptxas` is not in
    the PATH, or refuses it.
    """
    program = shutil.which("ptxas")
    if program is None or not ptx:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = [program, f"-arch={architecture}", "-v", file.name, "-o", "/dev/null"]
        told = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    registers, spilled = (pattern.search(told.stderr) for pattern in (REGISTERS, SPILLED))
    if told.returncode or registers is None:
        return None
    return int(registers[1]), int(spilled[1]) if spilled else 0
