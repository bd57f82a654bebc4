"""Without the optional packages everything runs on NumPy."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys

for name in {blocked}:
    sys.modules[name] = None  # importing it now fails

import allograph as ag


@ag.function
def settle(x):
    while ag.reduce_sum(x) > 1:
        x = ag.tanh(x) * 0.9
    return x


for _ in range(200):
    settled = settle(ag.constant([1.0, 2.0] * 500))
print(settled.shape, bool(ag.reduce_sum(settled) <= 1))
"""
OPTIONAL = (
    "click",
    "llvmlite",
    "matplotlib",
    "ml_dtypes",
    "numba",
    "platformdirs",
    "rich",
    "scipy",
    "sklearn",
    "threadpoolctl",
)


@pytest.mark.slow
def test_a_function_runs_and_keeps_running_without_a_word(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(blocked=OPTIONAL), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "(1000,) True\n", "")
