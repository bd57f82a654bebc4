"""What a type checker says of programs that use the package: of the examples, and of a sample."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = """
import numpy as np

import allograph as ag


@ag.function
def scaled(x: ag.Tensor, n: int = 2) -> ag.Tensor:
    return x * n + 1 - np.ones(3) / x


@ag.function(jit_compile=True)
def total(x: ag.Tensor) -> ag.Tensor:
    if x > 0:
        return -x
    return 2.0 * x[0] @ x


class Model:
    @ag.function
    def call(self, x: ag.Tensor) -> ag.Tensor:
        return x


reveal_type(scaled(ag.ones([2]), 3) == 2)
reveal_type(total(ag.ones([2])))
reveal_type(Model().call(ag.ones([3])))
reveal_type(ag.debug(total)(ag.ones([3])))
reveal_type(ag.Variable(1.0) * 2)
scaled.explain_retraces()
float(scaled(ag.ones([])))
scaled("text")
total()
"""


# What other packages say is not read: half of the time would go there.
CONFIGURATION = """
[mypy]
follow_imports = silent
ignore_missing_imports = True

[mypy-IPython.*,PIL.*,click.*,dask.*,distributed.*,matplotlib.*,rich.*,scipy.*]
follow_imports = skip
"""


def mypy(folder, *files):
    """What mypy prints of files, with the package under its name."""
    pytest.importorskip("mypy")
    if not (folder / "allograph").exists():
        (folder / "allograph").symlink_to(ROOT)
    (folder / "mypy.ini").write_text(CONFIGURATION, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", f"--cache-dir={folder / 'cache'}", *map(str, files)]
    environment = {**os.environ, "MYPYPATH": str(folder)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stdout


@pytest.mark.slow
def test_the_examples_and_a_sample_have_the_types_that_they_say():
    folder = ROOT / ".mypy_cache" / "tests"  # what mypy has read before is read faster again
    folder.mkdir(parents=True, exist_ok=True)
    sample = folder / "sample.py"
    sample.write_text(SAMPLE, encoding="utf-8")
    printed = mypy(folder, sample, *sorted((ROOT / "examples").glob("*.py"))).splitlines()
    revealed = [line for line in printed if "Revealed type" in line]
    assert len(revealed) == 5
    assert all('"allograph.runtime.tensors.tensor.Tensor"' in line for line in revealed)
    errors = [line.split(": error: ")[1] for line in printed if ": error: " in line]
    assert errors == [
        'Argument 1 to "__call__" of "_Function" has incompatible type "str"; expected "Tensor"  '
        "[arg-type]",
        'Missing positional argument "x" in call to "__call__" of "_Function"  [call-arg]',
    ]
