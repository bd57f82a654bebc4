"""Kernels are compiled in threads of their own, and each of them once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.jit import backends
from allograph.runtime.jit.cache import compilation

pytestmark = pytest.mark.slow


@pytest.fixture
def held(monkeypatch):
    """Compilations begin, and end when the event that this gives is set."""
    ag.function(lambda x: x * 1.75 + 1.0, jit_compile=True)(ag.constant(2.0))  # what kernels share
    compile_kernel, may_end = compilation._new, threading.Event()
    may_end.begun = []

    def slow(*about):
        may_end.begun.append(threading.current_thread().name)
        may_end.wait()
        return compile_kernel(*about)

    monkeypatch.setattr(compilation, "_new", slow)
    yield may_end
    may_end.set()


def until(test):
    """Wait until something holds, but not forever."""
    end = time.monotonic() + 20
    while not test():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_long_compilation_holds_up_no_kernel_that_is_there(held):
    held.set()
    known = ag.function(lambda x: x * 3.25 + 1.0, jit_compile=True)
    assert float(known(ag.constant(2.0))) == 7.5
    held.clear()
    other = ag.function(lambda x: x * 7.25 - 1.0, jit_compile=True)
    results = []
    thread = threading.Thread(target=lambda: results.append(float(other(ag.constant(2.0)))))
    thread.start()
    until(lambda: len(held.begun) == 2)
    assert float(known(ag.constant(4.0))) == 14.0
    again = ag.function(lambda x: x * 3.25 + 1.0, jit_compile=True)
    assert float(again(ag.constant(2.0))) == 7.5
    assert not results
    held.set()
    thread.join()
    assert results == [13.5]


def test_the_libraries_that_a_kernel_calls_are_begun_while_llvm_optimizes_it(monkeypatch):
    begun = []
    monkeypatch.setattr(compilation, "_begin", begun.append)
    draw = ag.function(lambda seed: ag.random.stateless_uniform([99], seed), jit_compile=True)
    draw(ag.constant([5, 7]))
    assert {"entry", "philox"} <= set(begun)


def test_the_library_of_all_kernels_is_begun_before_the_trace_of_the_first_one(monkeypatch):
    events = []
    monkeypatch.setattr(type(backends.OWN), "prepare", lambda _: events.append("prepared"))
    ag.function(lambda x: events.append("traced") or x, jit_compile=True)(ag.constant(2.0))
    assert events[:2] == ["prepared", "traced"]


def test_the_thread_that_asks_writes_the_library_of_all_kernels(monkeypatch):
    begun = {}
    monkeypatch.setattr(compilation, "_begin", begun.__setitem__)
    monkeypatch.setattr(compilation, "_is_there", lambda name: False)
    monkeypatch.setattr(compilation, "_entry_functions", lambda: threading.current_thread().name)
    compilation.begin_entry_library.__wrapped__()
    with ThreadPoolExecutor(1, "other") as other:
        assert other.submit(begun["entry"]).result() == threading.current_thread().name


def test_threads_that_need_the_same_kernel_compile_it_once(held):
    def work():
        function = ag.function(lambda x: x * 9.75 - 3.0, jit_compile=True)
        results.append(float(function(ag.constant(2.0))))

    results = []
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: held.begun)
    held.set()
    for thread in threads:
        thread.join()
    assert results == [16.5] * 4
    assert held.begun == ["allograph compilation"]


def test_the_error_of_a_compilation_reaches_all_who_wait_and_the_next_one_begins_anew(monkeypatch):
    compile_kernel = compilation._new

    def broken(*about):
        raise OSError("no memory for machine code")

    monkeypatch.setattr(compilation, "_new", broken)
    function = ag.function(lambda x: x * 0.625 - 3.0, jit_compile=True)
    with pytest.raises(OSError, match="machine code"):
        function(ag.constant(2.0))
    monkeypatch.setattr(compilation, "_new", compile_kernel)
    assert float(function(ag.constant(2.0))) == -1.75


def test_what_another_process_has_stored_since_it_was_looked_for_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_CACHE_DIR", str(tmp_path))
    ag.function(lambda x: x * 5.75 + 1.0, jit_compile=True)(ag.constant(2.0))
    name = [name for name, kernel in compilation._kernels.items() if kernel.is_new][-1]
    again = compilation._Compilation(name, written=None)  # which cannot be compiled
    assert not again.compiled().is_new
