"""Kernels on disk: found by the next process, and never the cause of a failure."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.slow
pytest.importorskip("llvmlite")

PROGRAM = """
import allograph as ag

@ag.function(jit_compile=True)
def f(x):
    while ag.reduce_sum(x) > 1:
        x = x * 0.5
    return x

assert f(ag.constant([4.0, 4.0])).numpy().tolist() == [0.5, 0.5]

from allograph.runtime.jit.cache.compilation import _kernels

print("compiled", sum(kernel.is_new for kernel in _kernels.values()))
"""


def command(folder) -> dict:
    script = folder.with_name(folder.name + ".py")
    if not script.exists():
        script.write_text(PROGRAM)
    environment = {**os.environ, "ALLOGRAPH_CACHE_DIR": str(folder)}
    return {"args": [sys.executable, str(script)], "env": environment}


def run(folder) -> int:
    """How many kernels a fresh process compiles with this cache folder."""
    done = subprocess.run(**command(folder), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])


@pytest.fixture(scope="module")
def cache_of_a_process(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    assert run(folder) > 0
    return folder


@pytest.fixture
def stored(cache_of_a_process, tmp_path):
    """A copy of what a process has stored."""
    return shutil.copytree(cache_of_a_process, tmp_path, dirs_exist_ok=True)


def test_a_second_process_compiles_nothing(stored):
    assert run(stored) == 0


def test_what_entries_of_kernels_share_is_compiled_and_stored_once(tmp_path):
    """Also where LLVM loads what it has compiled."""
    for loader in ("auto", "llvm"):
        folder = tmp_path / loader
        given = command(folder)
        given["env"]["ALLOGRAPH_LOADER"] = loader
        subprocess.run(**given, check=True, timeout=120)
        assert len(list(folder.rglob("shared.entry_*.o"))) == 1
        assert all(b"shared.entry." in path.read_bytes() for path in folder.rglob("kernel_*.o"))


def test_truncated_files_are_as_good_as_absent(stored, tmp_path):
    damaged = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[:20])
    assert run(tmp_path) > 0
    assert run(tmp_path) == 0


def test_damaged_machine_code_is_not_run(stored, tmp_path):
    for path in tmp_path.rglob("*.o"):
        code = bytearray(path.read_bytes())
        middle = len(code) // 2
        code[middle : middle + 64] = bytes(64)
        path.write_bytes(code)
    assert run(tmp_path) > 0
    assert run(tmp_path) == 0


def test_kernels_of_another_version_are_left_alone(stored, tmp_path):
    (home,) = tmp_path.glob("kernels-*")
    other = home.rename(tmp_path / "kernels-0.1-0.1-0.1")
    assert run(tmp_path) > 0
    assert list(other.glob("*.py"))


@pytest.mark.slow
def test_processes_that_start_at_once_compile_each_kernel_once(tmp_path):
    together, alone = tmp_path / "together", tmp_path / "alone"
    command(together)  # writes the script, which the processes share
    with ThreadPoolExecutor(4) as pool:
        compiled = list(pool.map(run, [together] * 4))
    assert sum(compiled) == run(alone)


def test_a_process_that_is_killed_leaves_a_cache_that_works(tmp_path):
    for seconds in (0.6, 1.2):
        process = subprocess.Popen(**command(tmp_path))
        time.sleep(seconds)
        process.kill()
        process.wait()
    run(tmp_path)
    assert run(tmp_path) == 0


def test_without_a_writable_place_kernels_live_in_memory(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("not a folder")
    assert run(blocked) > 0


def test_kernels_are_read_from_a_place_that_cannot_be_written(stored, tmp_path):
    (home,) = tmp_path.glob("kernels-*")
    home.chmod(0o555)
    try:
        assert run(tmp_path) == 0
    finally:
        home.chmod(0o755)


WARM = """
import sys
import allograph as ag


@ag.function(jit_compile=True)
def settled(x):
    while ag.reduce_sum(x) > 1.0:
        x = ag.tanh(x) * 0.9
    return x


if "other" in sys.argv:
    from allograph.runtime.jit.cache import files

    files.processor = lambda: "other"
print(settled(ag.constant([1.0, 2.0])).numpy())
print("allograph.runtime.jit.translate" in sys.modules)
"""


def outputs(tmp_path, *runs):
    """What the script prints, run once with each list of arguments."""
    script = tmp_path / "script.py"
    script.write_text(WARM, encoding="utf-8")
    settings = {**os.environ, "ALLOGRAPH_CACHE_DIR": str(tmp_path / "kernels")}
    return [
        subprocess.run(
            [sys.executable, script, *more],
            env=settings,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for more in runs
    ]


def test_a_stored_kernel_is_loaded_without_what_compiling_needs(tmp_path):
    cold, warm = outputs(tmp_path, [], [])
    assert cold[0] == warm[0]
    assert (cold[1], warm[1]) == ("True", "False")


def test_kernels_for_several_processors_lie_side_by_side(tmp_path):
    runs = outputs(tmp_path, [], ["other"], [], ["other"])
    assert len({numbers for numbers, _ in runs}) == 1
    assert [compiles for _, compiles in runs] == ["True", "True", "False", "False"]
