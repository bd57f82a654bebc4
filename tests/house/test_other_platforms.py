"""The package on Windows and on macOS, as far as one system can play another: what only Linux has
is taken away before the package is imported.
"""

import os
import platform
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("llvmlite")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        (sys.platform, platform.machine()) != ("linux", "x86_64"),
        reason="the systems that are played run on x86-64",
    ),
]

# What a system does not have: modules, and functions and numbers of `os`.
SYSTEMS = {
    "Windows": {
        "platform": "win32", "system": "Windows", "machine": "AMD64",
        "modules": ("fcntl", "resource", "termios", "pwd", "grp", "posix_ipc"),
        "missing": ("fork", "register_at_fork", "geteuid", "getuid", "getegid", "sched_getaffinity",
                    "sched_setaffinity", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY",
                    "fchmod", "killpg", "getpgid", "setsid", "mkfifo", "uname", "statvfs"),
        "name": "nt",
    },
    "macOS": {
        "platform": "darwin", "system": "Darwin", "machine": "x86_64", "modules": (),
        "missing": ("sched_getaffinity", "sched_setaffinity", "posix_fadvise", "posix_fallocate"),
        "name": "posix",
    },
}  # fmt: skip

PRETEND = """
import ctypes, multiprocessing.pool, os, pathlib, platform, shutil, subprocess, sys, tempfile, types
import click.testing, llvmlite.binding, numpy, scipy.linalg  # they know their system

class OfPathlib(types.ModuleType):
    name = os.name
    __getattr__ = staticmethod(os.__dict__.__getitem__)

if hasattr(pathlib, "os"):  # it asks `os.name` which class a path has
    pathlib.os = OfPathlib("os")
for name in {modules!r}:
    sys.modules[name] = None
for name in {missing!r}:
    if hasattr(os, name):
        delattr(os, name)
os.name, sys.platform = {name!r}, {platform!r}
platform.system, platform.machine = lambda: {system!r}, lambda: {machine!r}

opened = open
def without_proc(path, *arguments, **options):
    if str(path).startswith(("/proc/", "/sys/")):
        raise FileNotFoundError(2, "No such file or directory", path)
    return opened(path, *arguments, **options)
import builtins
builtins.open = without_proc
"""

WORK = """
import numpy as np
import allograph as ag
from allograph.runtime.jit.loader import elf

@ag.jit
def total(a):
    result = 0.0
    for i in range(len(a)):
        result += a[i]
    return result

@ag.jit
def waves(a, out):
    for i in ag.prange(len(a)):
        t = 0.0
        for k in range(50):
            t += np.sin(a[i] + k)
        out[i] = t

@ag.function(jit_compile=True)
def root(x):
    guess = x
    while ag.abs(guess * guess - x) > 1e-6 * x:
        guess = 0.5 * (guess + x / guess)
    return guess

assert not elf.IS_SUPPORTED
assert total(np.arange(4.0)) == total(np.arange(4.0)) == 6.0
assert "native code" in total.inspect(), total.inspect()
out = np.empty(20_000)
waves(np.arange(20_000.0), out)
assert abs(out[3] - sum(np.sin(3.0 + k) for k in range(50))) < 1e-9
assert abs(root(ag.constant(2.0)).numpy() - 2**0.5) < 1e-6
try:
    total("text")
except TypeError:
    pass
assert not ag.kernel_cache.problem()
assert ag.kernel_cache.kernels()
"""


@pytest.fixture(params=SYSTEMS)
def run(request, tmp_path):
    """Runs a program in a process that takes this system for another one; gives its output."""
    system = SYSTEMS[request.param]

    def run(work):
        program = tmp_path / "program.py"
        program.write_text(PRETEND.format(**system) + textwrap.dedent(work), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-P", program], capture_output=True, text=True, check=False,
            cwd=tmp_path, env={**os.environ, "ALLOGRAPH_CACHE_DIR": str(tmp_path / "cache"),
                               "ALLOGRAPH_KEY_FILE": str(tmp_path / "key" / "key")},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_functions_run_natively_and_are_kept_on_disk(run):
    run(WORK)


COMMANDS = """
from pathlib import Path
from allograph.tools.commands import allograph

def told(*words):
    done = click.testing.CliRunner().invoke(allograph, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output

source = "import allograph as ag\\n\\ndef double(x):\\n    return ag.tanh(x) * 2.0\\n"
Path("model.py").write_text(source)
Path("script.py").write_text("print(sum(range(10)))\\n")
assert "tanh" in told("graph", "model.py:double", "float32[5]")
assert "native" in told("explain", "model.py:double", "float32[5]")
assert "native" in told("explain", "--listing", "model.py:double", "float32[5]")
told("explore", "model.py:double", "float32[5]", "--output", "page.html")
assert "kernel" in told("cache", "warm", "model.py:double", "float32[5]")
assert "model.py" in told("cache", "list")
assert "removed" in told("cache", "clear")
assert told("check", "model.py") == ""
"""


def test_the_commands_work(run):
    run(COMMANDS)


FILES = """
import numpy as np
import allograph as ag

module = ag.Module()
module.v = ag.Variable([1.0, 2.0])
module.f = ag.function(lambda x: module.v * x, input_signature=[ag.TensorSpec([], ag.float32)])
ag.saved_model.save(module, "saved")
assert ag.saved_model.load("saved").f(ag.constant(3.0)).numpy().tolist() == [3.0, 6.0]
ag.io.write_file("text.txt", "words")
assert ag.io.read_file("text.txt").numpy() == b"words"
path = ag.train.Checkpoint(v=module.v).save("checkpoints/ck")
module.v.assign([0.0, 0.0])
ag.train.Checkpoint(v=module.v).restore(path)
assert module.v.numpy().tolist() == [1.0, 2.0]
doubled = ag.data.Dataset.range(4).map(lambda x: x * 2, num_parallel_calls=2)
assert sorted(int(x) for x in doubled) == [0, 2, 4, 6]
ag.config.experimental.get_memory_info("CPU:0")
try:
    ag.config.experimental.reset_memory_stats("CPU:0")
except ag.errors.UnimplementedError:
    print("told")
"""


def test_files_are_written_and_read(run):
    assert run(FILES) == "told\n"


def test_without_llvm_functions_run_on_numpy(run):
    program = """
        sys.modules["llvmlite"] = None
        import allograph as ag

        @ag.function
        def doubled(x):
            return x * 2.0

        print(doubled(ag.constant(2.0)).numpy())
    """
    assert run(program) == "4.0\n"
