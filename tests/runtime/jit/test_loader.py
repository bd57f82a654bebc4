"""Kernels on disk run in the next process without LLVM, and give the same there."""

import ctypes
import os
import platform
import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from kernel_compilation import llvm_of

from allograph.runtime.core.errors import InvalidArgumentError
from allograph.runtime.jit import cpu
from allograph.runtime.jit.backends import OWN
from allograph.runtime.jit.cache import compilation, files
from allograph.runtime.jit.entry import entry_library
from allograph.runtime.jit.kernel_types import ArrayType
from allograph.runtime.jit.loader import (
    elf,
    llvm_backend,
    load,
    symbols,
)
from allograph.runtime.jit.loader.elf import ObjectFileError
from allograph.runtime.kernel_ir.reader import kernel_ir
from allograph.runtime.storage import cache_trust

pytestmark = pytest.mark.slow
is_here = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="LLVM places object files elsewhere",
)

PROGRAM = """
import sys

import numpy as np

import allograph as ag

rng = np.random.default_rng(7)
ROW = rng.standard_normal(3000).astype(np.float32)
MATRIX = rng.standard_normal((40, 40))
LARGE = rng.standard_normal((2000, 700))
SQUARE = rng.standard_normal((300, 300)).astype(np.float32)


@ag.function(jit_compile=True)
def formulas(x):
    return ag.reduce_sum(ag.tanh(x) * ag.exp(ag.sin(x)) + ag.math.lgamma(ag.abs(x) + 1.0))


@ag.function(jit_compile=True)
def library(x):
    return ag.sin(x * 1e30) + ag.pow(ag.abs(x), 1.7)


@ag.function(jit_compile=True)
def threads(x):
    return ag.reduce_sum(ag.exp(x) * ag.sqrt(ag.abs(x)), axis=1)


@ag.function(jit_compile=True)
def checks(x, i):
    return ag.gather(x, i)


@ag.function(jit_compile=True)
def algebra(x):
    return ag.linalg.solve(x, ag.matmul(x, x) + 1.0)


@ag.function(jit_compile=True)
def products(x):
    return ag.matmul(x, x) * 0.5


@ag.function(jit_compile=True)
def sorting(x):
    return ag.sort(x)


@ag.function(jit_compile=True)
def random(x):
    return x + ag.random.stateless_normal([3000], seed=[1, 2])


@ag.function(jit_compile=True)
def loops(x):
    turns = 0
    while ag.reduce_sum(x * x) > 1.0:
        x = x * 0.5
        turns += 1
    return x + ag.cast(turns, ag.float32)


def digits(result):
    return np.asarray(result).tobytes().hex()


CALLS = {
    "formulas": lambda: formulas(ROW),
    "library": lambda: library(ROW),
    "threads": lambda: threads(LARGE),
    "checks": lambda: checks(ROW, np.array([1, 5, 2])),
    "algebra": lambda: algebra(MATRIX),
    "products": lambda: products(SQUARE),
    "sorting": lambda: sorting(ROW),
    "random": lambda: random(ROW),
    "loops": lambda: loops(ROW),
}
for name in CALLS:
    print(name, digits(CALLS[name]()))
try:
    checks(ROW, np.array([1, 3000]))
except Exception as error:
    print("raises", type(error).__name__)
print("llvm", "llvmlite.binding" in sys.modules or "llvmlite.ir" in sys.modules)
print("scipy", "scipy.linalg" in sys.modules)
"""


def run(folder, program=PROGRAM, **settings) -> dict[str, str]:
    """What a program prints in a process of its own: a word and the rest of each line."""
    script = folder / "program.py"
    script.write_text(program, encoding="utf-8")
    given = {**os.environ, "ALLOGRAPH_CACHE_DIR": str(folder / "kernels"), **settings}
    done = subprocess.run(
        [sys.executable, script], env=given, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What the program prints in a process that compiles, and in the next ones."""
    folder = tmp_path_factory.mktemp("stored")
    first, second = run(folder), run(folder)
    return first, second, run(folder, ALLOGRAPH_THREADS="1")


NAMES = ("formulas", "library", "threads", "checks", "algebra", "products", "sorting")
NAMES += ("random", "loops")


@pytest.mark.parametrize("name", [*NAMES, "raises"])
def test_a_second_process_computes_the_same(runs, name):
    first, second, on_one_thread = runs
    assert first[name] == second[name]
    if name != "algebra":  # the last digits of BLAS are its own affair
        assert on_one_thread[name] == first[name]


UNCOMPILED_CALLS = """
from allograph.runtime.executors import bound_calls

bound_calls.when_compiled = lambda *library: None
"""


def test_results_are_the_same_before_the_functions_that_call_kernels_are_compiled(runs, tmp_path):
    first, *_ = runs
    found = run(tmp_path, UNCOMPILED_CALLS + PROGRAM)
    assert found == first


def test_the_functions_that_call_kernels_are_stored_by_a_process_that_ends_at_once(tmp_path):
    run(tmp_path, ASSEMBLY)
    assert len(list(tmp_path.rglob("shared.calls_*.o"))) == 1


@is_here
def test_a_second_process_does_without_llvm(runs):
    assert [one["llvm"] for one in runs] == ["True", "False", "False"]


@is_here
def test_blas_and_lapack_are_there_without_the_rest_of_scipy(runs):
    assert [one["scipy"] for one in runs] == ["False"] * 3


def test_a_function_of_blas_is_the_one_that_scipy_calls():
    x, y = np.random.default_rng(3).standard_normal((2, 101))
    size, step = ctypes.c_int(101), ctypes.c_int(1)
    given = (ctypes.byref(size), x.ctypes, ctypes.byref(step), y.ctypes, ctypes.byref(step))
    kind = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_void_p] * 5)
    ways = symbols._address_in_scipy, symbols._address_by_scipy
    ours, theirs = (kind(way("blas", "ddot"))(*given) for way in ways)
    assert ours == theirs == pytest.approx(np.dot(x, y))


ASSEMBLY = """
import sys

import allograph as ag

double = ag.function(lambda x: x * 2.0, jit_compile=True)
x = ag.constant([1.0, 2.0])
double(x)
print("before", "llvmlite.binding" in sys.modules)
(kernel,) = double.get_concrete_function(x).kernels()
print("text", "ret" in kernel.assembly())
"""


def test_the_instructions_of_a_stored_kernel_can_be_read(tmp_path):
    assert run(tmp_path, ASSEMBLY) == {"before": "True", "text": "True"}
    assert run(tmp_path, ASSEMBLY)["text"] == "True"


# ---- what is left to LLVM --------------------------------------------------------------------

TEXT = """
def kernel(x):
    total = 0.0
    for i in range(len(x)):
        total += sin_l64(x[i])
    return (total,)
"""
SCALED = """def kernel(x):
    total = 0.0
    for i in range(5):
        total += x[i] * 0.3
    return (total,)
"""
X = np.arange(5.0)


def object_file(name: str, text: str = TEXT) -> bytes:
    return llvm_backend.object_code(llvm_of(text, [X], [0.0], name))


def changed(code: bytes, type: int, to: int | None = None, addend: int | None = None) -> bytes:
    """An object file whose first relocation of code, of those of the type `type`, has another type
    or addend.
    """
    file, made = elf._ObjectFile(code), bytearray(code)
    section = next(one for one in file.sections if one.type == elf.RELA)
    for at in range(section.offset, section.offset + section.size, elf.RELOCATION.size):
        offset, info, old = elf.RELOCATION.unpack_from(code, at)
        if info & 0xFFFFFFFF == type:
            info += 0 if to is None else to - type
            elf.RELOCATION.pack_into(made, at, offset, info, old if addend is None else addend)
            return bytes(made)
    raise AssertionError(f"no relocation of type {type}")


@is_here
def test_code_is_loaded_without_llvm(monkeypatch):
    monkeypatch.setattr(llvm_backend, "loaded", None)
    function, _, regions = load.load(object_file("alone"), "alone")
    assert (function(X), regions) == ((np.sin(X).sum(),), [])


@is_here
def test_llvm_loads_new_code_that_is_not_known_here(monkeypatch):
    monkeypatch.setattr(elf, "loaded", refuse)
    function, _, regions = load.load(object_file("by_llvm"), "by_llvm", is_new=True)
    assert (function(X), regions) == ((np.sin(X).sum(),), [])
    with pytest.raises(ObjectFileError, match="not today"):
        load.load(object_file("stored"), "stored")


@pytest.mark.parametrize("reason", ["another system", "no permission"])
def test_llvm_loads_code_where_we_cannot(monkeypatch, reason):
    if reason == "another system":
        monkeypatch.setattr(elf, "IS_SUPPORTED", False)
    else:
        reserve, _ = elf._memory_functions()
        monkeypatch.setattr(elf, "_memory_functions", lambda: (reserve, refuse_to_protect))
    function, *_ = load.load(object_file("elsewhere"), "elsewhere")
    assert function(X) == (np.sin(X).sum(),)


def test_a_variable_leaves_all_code_to_llvm(monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_LOADER", "llvm")
    monkeypatch.setattr(elf, "loaded", None)
    function, _, regions = load.load(object_file("chosen"), "chosen")
    assert (function(X), regions) == ((np.sin(X).sum(),), [])


def test_an_unknown_loader_is_an_error(monkeypatch):
    code = object_file("refused")
    monkeypatch.setenv("ALLOGRAPH_LOADER", "lvm")
    with pytest.raises(InvalidArgumentError, match="ALLOGRAPH_LOADER=lvm: no such loader"):
        load.load(code, "refused")


@is_here
def test_another_type_of_relocation_is_an_error():
    with pytest.raises(ObjectFileError, match="relocation of type 10"):
        elf.loaded(changed(object_file("relocated", SCALED), elf.PC32, to=10))


@is_here
def test_the_content_of_another_library_is_not_reached_by_distance():
    code = changed(object_file("distant"), elf.REX_GOTPCRELX, to=elf.PC32)
    with pytest.raises(ObjectFileError, match="a distance to '"):
        elf.loaded(code)


@is_here
def test_a_distance_of_more_than_32_bits_is_an_error():
    code = changed(object_file("far", SCALED), elf.PC32, addend=1 << 31)
    with pytest.raises(ObjectFileError, match="more than 32 bits"):
        elf.loaded(code)


@is_here
def test_instructions_refer_to_constants_by_their_distance():
    assembly = llvm_backend.assembly(llvm_of(SCALED, [X], [0.0], "near"))
    assert "(%rip)" in assembly
    assert "movabs" not in assembly


@is_here
def test_a_symbol_that_nobody_defines_is_an_error():
    code = object_file("named").replace(b"\0sin\0", b"\0s!n\0")
    with pytest.raises(ObjectFileError, match="no library has the function 's!n'"):
        elf.loaded(code)


@is_here
def test_a_kernel_that_is_not_in_its_file_is_an_error():
    with pytest.raises(ObjectFileError, match="no function 'other'"):
        load.load(object_file("present"), "other")


@pytest.mark.parametrize("beginning", [b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x7fELF\x01"])
def test_a_file_for_another_system_is_an_error(beginning):
    with pytest.raises(ObjectFileError, match="not an object file"):
        elf.loaded(beginning.ljust(200, b"\0"))


DAMAGE = """
import random
import sys

from allograph.runtime.jit.loader import load
from allograph.runtime.jit.loader.elf import ObjectFileError

code = open(sys.argv[1], "rb").read()
choose = random.Random(5)
counts = {"loaded": 0, "refused": 0}
for _ in range(3000):
    damaged = bytearray(code)
    if choose.random() < 0.2:
        del damaged[choose.randrange(1, len(code)) :]
    for _ in range(choose.choice([1, 1, 2, 8])):
        damaged[choose.randrange(len(damaged))] = choose.randrange(256)
    try:
        load.load(bytes(damaged), "damaged")
        counts["loaded"] += 1
    except ObjectFileError:
        counts["refused"] += 1
print(counts["loaded"], counts["refused"])
"""


@is_here
def test_a_damaged_object_file_is_loaded_or_refused(tmp_path):
    (tmp_path / "damaged.o").write_bytes(object_file("damaged"))
    command = [sys.executable, "-c", DAMAGE, tmp_path / "damaged.o"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    loaded, refused = map(int, done.stdout.split())
    assert loaded + refused == 3000
    assert refused > 1000


@is_here
def test_a_stored_file_that_cannot_be_loaded_is_compiled_again(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compilation, "_kernels", {})
    code = kernel_ir(TEXT)
    types = (ArrayType(X.dtype, X.shape),)
    kernel = code, types, (np.dtype(float),)
    assert OWN.compiled(*kernel).is_new
    useless = b"\x7fELF of another kind"
    for path in tmp_path.rglob("*.o"):  # of the kernel, and of the library of entries
        path.write_bytes(cache_trust.signature(path.name, useless) + useless)
    monkeypatch.setattr(compilation, "_kernels", {})
    again = OWN.compiled(*kernel)
    assert again.is_new
    assert again.function(X) == (np.sin(X).sum(),)


def refuse(code):
    raise ObjectFileError("not today")


def refuse_to_protect(address, size, flags) -> int:
    return -1  # as mprotect does


# ---- the processor ---------------------------------------------------------------------------


FEATURES = ("avx", "avx512f", "fma")


def test_the_processor_has_what_llvm_says():
    from llvmlite import binding

    theirs = binding.get_host_cpu_features()
    for feature in FEATURES:
        assert cpu.has(feature) == theirs.get(feature, False)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores are not chosen here")
def test_all_cores_are_one_processor():
    script = "from allograph.runtime.jit import cpu; print(cpu.identity())"
    told = set()
    for core in os.sched_getaffinity(0):
        command = f"import os; os.sched_setaffinity(0, [{core}]); {script}"
        done = subprocess.run(
            [sys.executable, "-c", command], capture_output=True, text=True, check=True
        )
        told.add(done.stdout)
    assert len(told) == 1


@is_here
@pytest.mark.parametrize("entry", ["vendor_id", "cpu family", "model", "stepping", "flags"])
def test_another_model_or_feature_is_another_processor(monkeypatch, entry):
    mine, entries = cpu.identity(), cpu._cpuinfo()
    changed = {**entries, entry: entries[entry] + " 1"}
    monkeypatch.setattr(cpu, "_cpuinfo", lambda: changed)
    assert cpu.identity.__wrapped__() != mine


@is_here
def test_the_clock_rate_does_not_identify_a_processor(monkeypatch):
    mine, entries = cpu.identity(), cpu._cpuinfo()
    monkeypatch.setattr(cpu, "_cpuinfo", lambda: {**entries, "cpu MHz": "1"})
    assert cpu.identity.__wrapped__() == mine


@is_here
def test_only_the_first_processor_is_read(tmp_path, monkeypatch):
    file = tmp_path / "cpuinfo"
    file.write_text("model\t\t: 3\nflags\t\t: fpu avx\n\nmodel\t\t: 4\nflags\t\t: fma\n\n")
    monkeypatch.setattr(cpu, "CPUINFO", str(file))
    assert cpu._cpuinfo.__wrapped__() == {"model": "3", "flags": "fpu avx"}


def test_code_does_without_the_features_that_the_system_leaves_out(monkeypatch):
    monkeypatch.setattr(llvm_backend, "UNLISTED", ("sse2", "no such feature"))
    found = llvm_backend.features().split(",")
    assert "-sse2" in found or "+sse2" not in found
    assert not any("no such feature" in one for one in found)


COLUMNS = """
define double @kernel(double* %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %sum = phi double [0.0, %entry], [%added, %loop]
  %at = mul i64 %i, 7
  %p = getelementptr double, double* %a, i64 %at
  %x = load double, double* %p
  %added = fadd fast double %sum, %x
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret double %added
}
"""


def test_columns_are_not_read_by_gather_instructions():
    assert "gather" not in llvm_backend.assembly(COLUMNS)


@pytest.mark.parametrize("path", ["absent", "empty"])
def test_where_the_system_does_not_list_features_llvm_is_asked(tmp_path, monkeypatch, path):
    (tmp_path / "empty").write_text("")
    monkeypatch.setattr(cpu, "CPUINFO", str(tmp_path / path))
    monkeypatch.setattr(cpu, "_cpuinfo", cpu._cpuinfo.__wrapped__)
    assert cpu.identity.__wrapped__() is None
    assert {feature: cpu.has.__wrapped__(feature) for feature in FEATURES} == {
        feature: cpu.has(feature) for feature in FEATURES
    }


def test_kernels_are_stored_for_the_processor_that_llvm_sees(monkeypatch):
    monkeypatch.setattr(cpu, "identity", lambda: None)
    monkeypatch.setattr(llvm_backend, "processor", lambda: "one")
    first = files.processor.__wrapped__()
    monkeypatch.setattr(llvm_backend, "processor", lambda: "another")
    assert files.processor.__wrapped__() != first


LATE = """
import os, sys
import allograph as ag
from allograph.runtime.jit.cache import compilation

f = ag.function(lambda x: ag.sin(x) * 2.0 + 1.0, jit_compile=True)
f(ag.constant([1.0, 2.0]))


class Late:
    def __init__(self, functions):
        self.functions = functions

    def __del__(self, write=os.write):
        for function in self.functions:
            try:
                function()
            except TypeError:
                write(1, b"refused ")


kernels = [one for one in compilation._kernels.values() if isinstance(one, compilation.Compiled)]
sys.late = Late([one.function for one in kernels])
"""


def test_kernels_may_be_called_until_the_process_has_ended(tmp_path):
    script = tmp_path / "late.py"
    script.write_text(LATE)
    environment = {**os.environ, "PYTHONMALLOC": "debug"}  # which overwrites what is freed
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused "), done.stderr


def test_the_entries_of_kernels_have_their_variables_in_registers_without_the_passes_for_loops():
    source = entry_library.written()
    before, after = (
        re.findall(r"= alloca i\d+", code)
        for code in (source, str(llvm_backend.optimized(source, is_library=True)))
    )
    assert len(before) > 10
    assert len(after) == 1  # a function of C writes to it
