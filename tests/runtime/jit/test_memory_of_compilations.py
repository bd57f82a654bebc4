"""A compilation gives back the memory that it took."""

import gc
import sys
from pathlib import Path

import pytest

from allograph.runtime.jit.loader import llvm_backend

SOURCE = (
    "define double @shared.f{0}(double %x) {{\n  %y = fmul double %x, {0}.0\n  ret double %y\n}}\n"
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_compilations_do_not_pile_up():
    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    for number in range(20):
        llvm_backend.object_code(SOURCE.format(number))
    before = resident()
    for number in range(20, 80):
        llvm_backend.object_code(SOURCE.format(number))
    assert resident() - before < 1_500_000  # llvmlite alone keeps 25 to 80 KB of each
