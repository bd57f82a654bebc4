"""Registers and machine code of PTX, as NVIDIA's assembler and disassembler tell, where they are
installed: no card is needed for it.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

SECONDS = 60
LINE = re.compile(r'\s*//## File ".*", line (\d+)')
ADDRESS = re.compile(r"\s*/\*[0-9a-f]+\*/\s*(.*)")
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


@functools.lru_cache(256)
def machine_code(ptx: str, architecture: str) -> str:
    """The instructions of a card for PTX. The lines that PTX names in `.loc` are named so here.
    Nothing if `ptxas` or `nvdisasm` is not in the PATH, or refuses it.
    """
    assembler, disassembler = map(shutil.which, ("ptxas", "nvdisasm"))
    if assembler is None or disassembler is None or not ptx:
        return ""
    optimized = re.sub(r"(\.target \w+), debug", r"\1", ptx)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(optimized)
        command = [assembler, f"-arch={architecture}", "-lineinfo", str(source), "-o", str(binary)]
        if subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).returncode:
            return ""
        command = [disassembler, "-g", "-c", str(binary)]
        told = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return "\n".join(_instructions(told.stdout))


def _instructions(listing: str) -> Iterator[str]:
    """Those of what `nvdisasm` writes, without addresses, with labels and lines."""
    for line in listing.splitlines():
        if noted := LINE.match(line):
            yield f"\t.loc\t1 {noted[1]} 0"
        elif instruction := ADDRESS.match(line):
            yield f"\t{instruction[1]}"
        elif line.startswith(".L") or line == "kernel:":
            yield line
