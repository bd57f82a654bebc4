"""Damaged and hostile files of every format end with a value or a documented error.

A few per format here; a thousand each with `--hypothesis-profile=fuzz`, as `make fuzz` runs it.
"""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

SCRIPT = Path(__file__).parents[1] / "helpers" / "hostile_files.py"
FORMATS = (
    "manifest", "saved graphs", "saved tensors", "checkpoint", "checkpoint state", "dataset",
    "specification", "records", "gzip", "zlib", "table", "example", "tensor", "weights", "graph",
    "object file", "model", "configuration", "onnx", "words", "png", "jpeg", "gif", "bmp",
    "image file", "strings", "sequence", "sparse example",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs signals that interrupt")
@pytest.mark.parametrize("names", [FORMATS[at::6] for at in range(6)], ids=", ".join)
def test_a_hostile_file_runs_no_code_and_ends_with_a_value_or_an_error(names):
    if "object file" in names:
        pytest.importorskip("llvmlite")
    pytest.importorskip("onnx")
    pytest.importorskip("PIL")
    chosen = settings()
    seed = 0 if chosen.derandomize else random.SystemRandom().randrange(10**6)
    command = [sys.executable, SCRIPT, ",".join(names), str(chosen.max_examples // 2), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}\n{done.stderr[-3000:]}"


def test_every_format_is_changed():
    sys.path.insert(0, str(SCRIPT.parent))
    from hostile_files import FORMATS as known

    assert FORMATS == tuple(known)
