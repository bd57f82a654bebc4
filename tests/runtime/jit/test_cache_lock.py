"""The lock of a kernel that a process compiles."""

import subprocess
import sys
import time

import pytest

pytest.importorskip("fcntl")

from allograph.runtime.jit.cache.cache_lock import compiling

HOLDER = """
import pathlib, sys, time
from allograph.runtime.jit.cache.cache_lock import compiling
with compiling(pathlib.Path(sys.argv[1]), "kernel_01"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds the lock of kernel_01."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()


def seconds_of_wait(folder, name, most_seconds=10.0):
    start = time.monotonic()
    with compiling(folder, name, most_seconds):
        return time.monotonic() - start


def test_nobody_waits_for_a_kernel_that_no_process_compiles(tmp_path):
    assert seconds_of_wait(tmp_path, "kernel_01") < 5
    assert seconds_of_wait(tmp_path, "kernel_01") < 5


def test_other_kernels_do_not_wait(holder, tmp_path):
    assert seconds_of_wait(tmp_path, "kernel_02") < 5


def test_the_wait_ends_after_a_time(holder, tmp_path):
    assert 0.05 <= seconds_of_wait(tmp_path, "kernel_01", 0.05) < 5


def test_a_process_that_is_killed_holds_no_lock(holder, tmp_path):
    holder.kill()
    holder.wait()
    assert seconds_of_wait(tmp_path, "kernel_01") < 5


def test_a_folder_that_cannot_be_written_has_no_lock(tmp_path):
    assert seconds_of_wait(tmp_path / "absent", "kernel_01") < 5
