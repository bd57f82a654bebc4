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


@ag.function(jit_compile=True)
def three(x, y, z):
    return x * 2 + y + z


@ag.function(jit_compile=True)
def scaled(x, factor, *, shift=1):
    return x * factor + shift


class Scale:
    def __init__(self):
        self.weight = ag.Variable(np.ones(4, np.float32))

    @ag.function
    def __call__(self, x):
        return x * self.weight


STATE = {f"s{index}": index for index in range(20)}
GLOBALS = {**STATE, "__name__": "settings_of_a_user"}
exec("def total(x):\n    return x + (" + " + ".join(STATE) + ")", GLOBALS)


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
        limit=1.5e-6,
    )
    yield Workload(
        "two more arguments",
        {"three": lambda: three(tensor, tensor, tensor), "one": lambda: small(tensor)},
        reference="one",
        limit=0.6e-6,
        difference=True,
    )
    scale = Scale()
    scale(tensor)
    yield Workload(
        "other spellings of a small call",
        {
            "keywords and a number": lambda: scaled(x=tensor, factor=2, shift=3),
            "method, reads a variable": lambda: scale(tensor),
            "positions": lambda: small(tensor),
        },
        reference="positions",
        limit=1e-6,
        difference=True,
    )
    yield from guard_workloads(tensor)
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


def guard_workloads(tensor):
    """Twenty globals that a trace has read, compared on every call."""
    plain = ag.function(GLOBALS["total"], autograph=False)
    guarded = ag.function(GLOBALS["total"], autograph=False, guard_globals=True)
    assert plain(tensor).numpy().tolist() == guarded(tensor).numpy().tolist()
    yield Workload(
        "20 guards of globals",
        {"guarded": lambda: guarded(tensor), "plain": lambda: plain(tensor)},
        reference="plain",
        limit=20 * 60e-9,
        difference=True,
    )


def _process(code):
    """A new interpreter whose byte code is cached, as in all but a user's very first run."""
    environment = dict(os.environ, PYTHONPYCACHEPREFIX=tempfile.gettempdir() + "/allograph-bench")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return lambda: subprocess.run([sys.executable, "-c", code], check=True, env=environment)
