"""Numba compiles the same kernel source, with the same results."""

import os
import re
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from law_kit import assert_graph_is_python, programs

import allograph as ag
from allograph.runtime.executors.executable import Executable
from allograph.runtime.jit.backends import backend_of
from allograph.runtime.jit.kernel_types import ArrayType
from allograph.runtime.jit.loader.llvm_backend import HAS_SHORT_LOOPS
from allograph.runtime.jit.loop_hints import kernel_function
from allograph.runtime.kernel_ir.reader import kernel_ir
from allograph.runtime.parallel import parallel_for

RANDOM = np.random.default_rng(3)


@pytest.fixture
def numba():
    before = ag.config.get_kernel_compiler()
    ag.config.set_kernel_compiler("numba")
    yield
    ag.config.set_kernel_compiler(before)


def of(function, *arrays):
    """The results of the native code of a function, and its kernels."""
    tensors = [ag.constant(one) for one in arrays]
    concrete = ag.function(function).get_concrete_function(*tensors)
    native = Executable(concrete.frozen, "native")
    return [np.asarray(one) for one in native(*arrays)], native.kernels()


def both(function, *arrays):
    """Check that both compilers give the same bits."""
    ours, _ = of(function, *arrays)
    ag.config.set_kernel_compiler("numba")
    theirs, kernels = of(function, *arrays)
    assert {kernel.compiler for kernel in kernels} == {"numba"}
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype


def settle(x, limit):
    while ag.reduce_sum(x) > limit:
        x = ag.tanh(x) * 0.5
    return x


def collatz(n):
    count = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    return count


def slope(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x
        while ag.reduce_sum(y) < 100.0:
            y = y * ag.exp(0.1 * y)
    return tape.gradient(y, x)


SAMPLES = {
    "a loop of vectors": (settle, RANDOM.random(37).astype("f"), np.float32(1.0)),
    "a loop of scalars": (collatz, np.int32(27)),
    "stacks that grow": (slope, RANDOM.random(40).astype("f")),
    "a matrix product": (ag.matmul, RANDOM.random((37, 90)), RANDOM.random((90, 41))),
    "reductions": (
        lambda x: (ag.reduce_max(x, 1), ag.reduce_sum(x, 0), ag.argmin(x, 1)),
        RANDOM.random((30, 50)).astype("f"),
    ),
    "small integers wrap": (lambda x: x * x - 7, np.arange(256, dtype=np.uint8)),
    "64-bit unsigned": (lambda x: (x * x) % 10, np.arange(2**63, 2**63 + 50, dtype=np.uint64)),
    "sorting": (ag.sort, RANDOM.random(3000).astype("f")),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.usefixtures("numba")
def test_both_compilers_give_the_same_results(name):
    ag.config.set_kernel_compiler("allograph")
    both(*SAMPLES[name])


@pytest.mark.slow
@pytest.mark.usefixtures("numba")
def test_a_function_compiles_while_numba_compiles_its_caller():
    from numba import njit

    halves = ag.jit(lambda x: 0.5 * x)

    @njit
    def calls(x):
        return halves(x) + 1.0

    results = []
    thread = threading.Thread(target=lambda: results.append(calls(3.0)), daemon=True)
    thread.start()
    thread.join(120)
    assert results == [2.5]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.usefixtures("numba")
def test_a_process_forks_when_numba_is_at_rest():
    from allograph.backends.numba.compiler_lock import compiling, global_compiler_lock
    from allograph.runtime.core.locks import LLVM

    entered = threading.Event()

    def compiles():
        with compiling():
            entered.set()
            time.sleep(0.2)

    thread = threading.Thread(target=compiles)
    thread.start()
    entered.wait()
    child = os.fork()
    if child == 0:
        free = global_compiler_lock._lock.acquire(blocking=False) and LLVM.acquire(blocking=False)
        os._exit(0 if free else 1)
    assert os.waitpid(child, 0)[1] == 0
    thread.join()


# Hypothesis tries 0 first. Numba takes eight seconds for its program, and a fifth of one for this.
SHORT = 46


@pytest.mark.slow
@programs(1)
@given(st.integers(0, 10**9))
def test_random_programs_compute_what_python_does(seed):
    ag.config.set_kernel_compiler("numba")
    try:
        assert_graph_is_python(seed + SHORT, native=True)
    finally:
        ag.config.set_kernel_compiler("auto")


@pytest.mark.slow
@pytest.mark.usefixtures("numba")
def test_a_failing_kernel_leaves_the_error_to_the_plan():
    divide = ag.function(lambda x, y: x // y, jit_compile=True)
    with pytest.raises(ag.errors.InvalidArgumentError, match="zero"):
        divide(ag.constant([1, 2]), ag.constant([1, 0]))


@pytest.mark.slow
@pytest.mark.usefixtures("numba")
def test_both_compilers_have_kernels_of_their_own():
    x = np.ones(5, np.float32)
    _, (numba,) = of(ag.sin, x)
    ag.config.set_kernel_compiler("allograph")
    _, (ours,) = of(ag.sin, x)
    assert numba.source == ours.source
    assert numba.name != ours.name


STORED = """
import sys
import numpy as np
import allograph as ag
from allograph.runtime.jit.cache import compilation

new, compiled = compilation._new, []
compilation._new = lambda name, written: compiled.append(name) or new(name, written)

def tanh(x):
    return ag.tanh(x) * 2.0

def gradient(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y, step = x, 0
        while ag.reduce_sum(y) > 0.1:
            y = ag.sin(y) * 0.5
    return tape.gradient(y, x)

def drawn(x):
    return ag.random.stateless_uniform([9], [1, 2], x[0], 2.0 * x[0])

for function in (tanh, gradient, drawn):
    compiled.clear()
    results = ag.function(function, jit_compile=True)(ag.constant(np.ones(9, np.float32)))
    is_new = any(name.startswith("kernel") for name in compiled)
    print(is_new, "numba" in sys.modules, *results.numpy())
"""


@pytest.mark.slow
def test_a_stored_kernel_of_numba_is_not_compiled_again(tmp_path):
    """It loads without Numba, unless it calls a function of mathematics that Numba brings: only
    the last one does.
    """
    own = {"ALLOGRAPH_KERNEL_COMPILER": "numba", "ALLOGRAPH_CACHE_DIR": str(tmp_path)}

    script = tmp_path / "script.py"
    script.write_text(STORED, encoding="utf-8")

    def lines():
        command, variables = [sys.executable, script], {**os.environ, **own}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=variables)
        return [line.split(" ", 2) for line in done.stdout.splitlines()]

    first, again = lines(), lines()
    assert [results for *_, results in first] == [results for *_, results in again]
    assert [said for *said, _ in first] == [["True", "True"]] * 3
    assert [said for *said, _ in again] == [["False", "False"]] * 2 + [["False", "True"]]


def test_an_unknown_compiler_is_refused():
    with pytest.raises(ag.errors.InvalidArgumentError, match="'gcc': no such compiler"):
        ag.config.set_kernel_compiler("gcc")


def test_without_numba_the_choice_names_the_cure(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"pip install 'allograph\[numba\]'"):
        ag.config.set_kernel_compiler("numba")


def test_versions_that_do_not_fit_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "allograph.backends.numba.numba_translate", None)
    function = ag.function(lambda x: x * 3.25, jit_compile=True, kernel_compiler="numba")
    with pytest.raises(ag.errors.InvalidArgumentError, match="does not load beside this llvmlite"):
        backend_of("numba").translator()
    with pytest.raises(ag.errors.InvalidArgumentError) as caught:
        function(ag.constant(1.0))
    assert "function(ag.constant(1.0))" in str(caught.value)


@kernel_function(inline=False, vectors=False)
def halved(x):
    room = np.zeros((2, *x.shape))
    for i in range(x.shape[0]):
        room[1, i] = x[i] * 0.5
    x[:] = room[1, :]
    if x[0] > 1e9:
        raise KeyboardInterrupt


@pytest.mark.slow
def test_functions_that_numba_lowers_keep_their_hints_and_have_no_messages():
    source = "def kernel(x):\n    halved(x)\n    return (x, )\n"
    types = (ArrayType(np.dtype(np.float64), (3,)),)
    code = backend_of("numba").translator()(
        "kernel", kernel_ir(source), {"np": np, "halved": halved}, types, types
    )
    assert "noinline" in code
    assert "llvm.loop.vectorize.enable" in code
    assert "unicode" not in code


def lowered(lines, **scope):
    """The assembly of a kernel of two arrays of 64 numbers."""
    source = (
        f"def kernel(x, y):\n{textwrap.indent(textwrap.dedent(lines), ' ' * 4)}    return (y, )\n"
    )
    type_ = ArrayType(np.dtype(np.float64), (64,))
    return backend_of("numba").translator()(
        "kernel", kernel_ir(source), {"np": np, **scope}, (type_, type_), (type_,)
    )


@pytest.mark.slow
def test_loops_that_numba_lowers_have_the_hints_of_our_own_compiler():
    short = lowered("for i in range(16):\n    y[i] = x[i] * 2\n")
    assert HAS_SHORT_LOOPS in short
    assert "llvm.loop" not in short
    body = "".join(f"    y[i] = y[i] * x[i + {n}] + {n}\n" for n in range(40))
    long = lowered(f"for i in range(20, 60):\n{body}")
    assert HAS_SHORT_LOOPS not in long
    assert "llvm.loop.unroll.disable" in long
    apart = lowered(
        "for i in range(one_by_one(64)):\n    y[0] += x[i]\n", one_by_one=parallel_for.one_by_one
    )
    assert "llvm.loop.vectorize.enable" in apart


@pytest.mark.slow
def test_small_arrays_are_on_the_stack_and_those_of_the_caller_are_disjoint():
    code = lowered("a = np.zeros((3, 4))\na[1, 2] = x[0]\ny[:] = a[1, 2]\n")
    assert re.search(r"alloca double, i64 12, align 64", code)
    assert "call ptr @NRT_MemInfo_alloc_aligned" not in code.split("@kernel.kernel.numba")[1]
    assert code.count("noalias") >= 4  # two arrays, of the kernel and of what it calls


@pytest.mark.slow
@pytest.mark.usefixtures("numba")
def test_results_of_a_size_that_the_caller_does_not_know_outlive_the_call():
    def grown(x, n):
        total = ag.zeros([], ag.float64)
        for _ in ag.range(n):
            total += ag.reduce_sum(ag.sin(x))
            x = x * 1.5
        return total

    def slope(function):
        x = ag.constant(np.full((2, 3), 0.5))
        with ag.GradientTape() as tape:  # the backward pass reads what the loop has saved
            tape.watch(x)
            y = function(x, ag.constant(5))
        return tape.gradient(y, x).numpy()

    np.testing.assert_allclose(slope(ag.function(grown, jit_compile=True)), slope(grown))


@pytest.mark.slow
def test_a_range_whose_end_begins_as_a_literal_has_one_type():
    inner = "    for i in range(n):\n        y[i] = n\n    n = n + np.int64(x[1])\n"
    assert "define" in lowered(f"n = 0\nwhile n < x[0]:\n{inner}")


@pytest.mark.slow
@pytest.mark.usefixtures("numba")
def test_ranges_of_numba_are_those_of_python():
    def ranges(x, n):
        rows = [ag.cast(0, ag.int64)] * 5
        for i in ag.range(n):
            rows[0] += i
        for i in ag.range(2, n):
            rows[1] += i
        for i in ag.range(n, 1, -2):
            rows[2] += i
        for i in ag.range(1, n, 3):
            rows[3] = 10 * rows[3] + i
        for i in ag.range(n, n - 7, -1):
            rows[4] = rows[4] * 2 + i
        return ag.stack([ag.cast(one, ag.int64) for one in rows]) + x

    for n in (0, 2, 17):
        both(ranges, np.zeros(5, np.int64), np.int64(n))
