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
EXPLAINED = """
import sys

sys.modules["llvmlite"] = None

import allograph as ag

double = ag.function(lambda x: ag.reduce_sum(x * 2.0))
print(double.get_concrete_function(ag.TensorSpec([5000], ag.float32)).explain())
"""
OF_ARRAYS = """
import sys

sys.modules["llvmlite"] = None

import allograph as ag


@ag.jit
def halved(x):
    while x > 1:
        x = x / 2
    return x


print([halved(12.0) for _ in range(3)])
"""
OPTIONAL = (
    "click",
    "dask",
    "llvmlite",
    "matplotlib",
    "ml_dtypes",
    "numba",
    "PIL",
    "onnx",
    "platformdirs",
    "rich",
    "scipy",
    "sklearn",
    "threadpoolctl",
)


@pytest.mark.slow
def test_a_function_runs_and_keeps_running_with_one_warning(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(blocked=OPTIONAL), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "(1000,) True\n")
    assert done.stderr.count("Warning") == 1
    assert "pip install 'allograph[native]'" in done.stderr


@pytest.mark.slow
def test_an_explanation_says_that_the_compiler_is_missing(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(EXPLAINED, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    first, *_, last = done.stdout.strip().splitlines()
    assert "0% of 2 operations are native" in first
    assert last == "all operations: llvmlite is not installed; pip install 'allograph[native]'"


@pytest.mark.slow
def test_a_function_of_arrays_runs_without_llvm(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(OF_ARRAYS, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout == "[0.75, 0.75, 0.75]\n", done.stderr
