"""What allograph itself costs: a call of a small function, and the import."""

import os
import subprocess
import sys
import tempfile

import numpy as np
from harness import Workload

import allograph as ag


@ag.function(jit_compile=True)
def small(x):
    return x * 2 + 1


def workloads():
    array = np.arange(4, dtype=np.float32)
    tensor = ag.constant(array)
    assert small(tensor).numpy().tolist() == [1.0, 3.0, 5.0, 7.0]
    yield Workload(
        "small call, x*2+1 on 4 float32",
        {
            "allograph": lambda: small(tensor),
            "numpy": lambda: array * np.float32(2) + np.float32(1),
        },
        limit=3e-6,
    )
    yield Workload(
        "import and first name, fresh process",
        {
            "allograph": _process("import allograph; allograph.function"),
            "numpy": _process("import numpy"),
        },
        reference="numpy",
        limit=0.060,
        difference=True,
    )


def _process(code):
    """A new interpreter whose byte code is cached, as in all but a user's very first run."""
    environment = dict(os.environ, PYTHONPYCACHEPREFIX=tempfile.gettempdir() + "/allograph-bench")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return lambda: subprocess.run([sys.executable, "-c", code], check=True, env=environment)
