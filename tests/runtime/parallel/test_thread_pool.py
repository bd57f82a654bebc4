"""How many threads share the work of large loops."""

import os
import subprocess
import sys

import pytest

import allograph as ag
from allograph.runtime.parallel import thread_pool

pytestmark = pytest.mark.slow
threading = ag.config.threading


@pytest.fixture(autouse=True)
def as_before():
    yield
    threading.set_intra_op_parallelism_threads(0)
    threading.set_inter_op_parallelism_threads(0)


def test_the_number_that_was_set_is_given():
    threading.set_intra_op_parallelism_threads(3)
    threading.set_inter_op_parallelism_threads(4)
    assert threading.get_intra_op_parallelism_threads() == 3
    assert threading.get_inter_op_parallelism_threads() == 4


def test_by_default_the_machine_decides():
    assert threading.get_intra_op_parallelism_threads() == 0


def test_a_negative_number_is_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="-1 threads"):
        threading.set_intra_op_parallelism_threads(-1)


# ---- products of matrices --------------------------------------------------------------------

NUMPY_ONLY = """
import threadpoolctl, numpy as np

def blas():
    rows = threadpoolctl.threadpool_info()
    return sorted(row["num_threads"] for row in rows if row["user_api"] == "blas")
"""
NATIVE = """
import allograph as ag

@ag.function(jit_compile=True)
def product(x):
    return x @ x + 1.0
"""


def printed(script, **environment):
    """The lines that a process prints."""
    given = {"OPENBLAS_NUM_THREADS": "2", "ALLOGRAPH_THREADS": "", **environment}
    done = subprocess.run(
        [sys.executable, "-c", NUMPY_ONLY + script],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split("\n")[:-1]


def test_numpys_products_have_the_threads_that_were_set():
    script = """
import allograph as ag
print(*blas())
for number in (1, 0, 1, 0, 0):
    ag.config.threading.set_intra_op_parallelism_threads(number)
    print(*blas())
"""
    usual, *others = printed(script)
    assert others == ["1", usual, "1", usual, usual]


def test_a_library_that_is_loaded_later_has_them_too_and_loses_them():
    pytest.importorskip("numba")
    script = """
import os
print(*blas())
ag.config.threading.set_intra_op_parallelism_threads(1)
product(ag.ones([64, 64]))
import scipy.linalg
print(*blas())
ag.config.threading.set_intra_op_parallelism_threads(0)
print(*blas())
print(os.environ["OPENBLAS_NUM_THREADS"])
"""
    usual, limited, restored, variable = printed(NATIVE + script)
    assert (limited, restored, variable) == ("1 1", f"{usual} {usual}", "2")


def test_the_environment_sets_them_when_native_code_is_loaded():
    pytest.importorskip("numba")
    script = "product(ag.ones([64, 64])); import scipy.linalg; print(*blas())"
    assert printed(NATIVE + script, ALLOGRAPH_THREADS="1") == ["1 1"]


@pytest.mark.parametrize("value", ["many", "-1", "2.5"])
def test_a_number_of_threads_that_is_none_is_told(value, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_THREADS", value)
    with pytest.warns(UserWarning, match=f"ALLOGRAPH_THREADS='{value}' is not a number"):
        assert thread_pool._wanted() == 0


def test_nobody_looks_for_libraries_unless_a_number_is_set():
    script = """
import sys
del sys.modules["threadpoolctl"]
import allograph as ag
ag.config.threading.get_intra_op_parallelism_threads()
ag.config.threading.set_intra_op_parallelism_threads(0)
print("threadpoolctl" in sys.modules)
ag.config.threading.set_intra_op_parallelism_threads(1)
print("threadpoolctl" in sys.modules)
"""
    assert printed(script) == ["False", "True"]
