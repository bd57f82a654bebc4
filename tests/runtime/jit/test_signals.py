"""A signal ends native loops and compilations soon, and leaves everything whole."""

import signal
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("llvmlite")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="os.kill ends a process there"),
]

START = '''
import os, signal, threading, time
import allograph as ag

signal.signal(signal.SIGINT, signal.default_int_handler)  # programs in the background ignore it

def interrupted(call, after=0.3, sent=signal.SIGINT):
    """How many seconds after a signal a call ends with KeyboardInterrupt."""
    threading.Timer(after, os.kill, (os.getpid(), sent)).start()
    begun = time.monotonic()
    try:
        call()
    except KeyboardInterrupt:
        return time.monotonic() - begun - after
    return 1e9

ag.config.threading.set_intra_op_parallelism_threads(3)
FAR = ag.constant(10**14, ag.int64)

@ag.function(jit_compile=True)
def until_negative(x):
    while x >= 0.0:
        x = x * 0.5 + 1.0
    return x

@ag.function(jit_compile=True)
def longest_path(limit):
    best = ag.constant(0, ag.int64)
    start = ag.constant(1, ag.int64)
    while start < limit:
        x, steps = start, ag.constant(0, ag.int64)
        while x != 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            steps += 1
        if steps > best:
            best = steps
        start += 1
    return best

until_negative(ag.constant(-1.0)), longest_path(ag.constant(30_000, ag.int64))
'''


def run(tmp_path, script):
    """The output of a script, which follows START."""
    file = tmp_path / "script.py"
    file.write_text(START + textwrap.dedent(script))
    quiet = "ignore:This process:DeprecationWarning"  # of forks beside threads, from 3.12 on
    command = [sys.executable, "-W", quiet, file]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


LOOPS = {
    "a loop of scalars": "until_negative, ag.constant(1.0)",
    "a loop that threads share": "longest_path, FAR",
    "a long sum": "total, FAR",
    "one iteration that does not end": "stuck, ag.constant(10**6, ag.int64)",
    "a loop of array operations": "squashed, ag.ones([300, 400])",
}
FUNCTIONS = """
@ag.function(jit_compile=True)
def total(n):
    result = ag.constant(0, ag.int64)
    for i in ag.range(n):
        result += i * i % 7
    return result

@ag.function(jit_compile=True)
def stuck(n):
    best = ag.constant(0, ag.int64)
    for i in ag.range(n):
        x = ag.cast(i, ag.int64)
        while x != 7:
            if x != 5000:
                x = ag.constant(7, ag.int64)
        if x > best:
            best = x
    return best

@ag.function(jit_compile=True)
def squashed(x):
    while ag.reduce_sum(x) > 0.0:
        x = ag.tanh(x)
    return x
"""


def test_every_loop_ends_within_a_second(tmp_path):
    script = """
    for name, (function, argument) in LOOPS.items():
        function.get_concrete_function(argument).kernels()
        assert interrupted(lambda: function(argument)) < 1, name
        assert interrupted(lambda: function(argument), 0.1) < 1, name
        assert longest_path(ag.constant(30_000, ag.int64)).numpy() == 307, name
    """
    loops = "".join(f"    {name!r}: ({call}),\n" for name, call in LOOPS.items())
    run(tmp_path, f"{FUNCTIONS}\nLOOPS = {{\n{loops}}}\n" + textwrap.dedent(script))


def test_variables_are_as_before_the_call(tmp_path):
    script = """
    v, w = ag.Variable(ag.zeros([3])), ag.Variable(0.0)

    @ag.function(jit_compile=True)
    def count(n):
        for _ in ag.range(n):
            v.assign_add(ag.ones([3]))
            w.assign_add(1.0)

    count(ag.constant(2, ag.int64))
    assert interrupted(lambda: count(FAR)) < 1
    assert v.numpy().tolist() == [2, 2, 2] and w.numpy() == 2
    count(ag.constant(1, ag.int64))
    assert v.numpy().tolist() == [3, 3, 3] and w.numpy() == 3
    """
    run(tmp_path, script)


def test_whatever_a_handler_raises_ends_the_loop(tmp_path):
    script = """
    for error in (ValueError, TypeError, MemoryError, BaseException):
        def handler(*_):
            raise error("from the handler")

        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            until_negative(ag.constant(1.0))
        except error as caught:
            print(caught)
    """
    assert run(tmp_path, script) == 4 * "from the handler\n"


def test_a_handler_that_returns_lets_the_loop_go_on_and_may_run_kernels(tmp_path):
    script = """
    handled = []
    signal.signal(signal.SIGALRM, lambda *_: handled.append(int(longest_path(small))))
    small, large = ag.constant(30_000, ag.int64), ag.constant(3_000_000, ag.int64)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.1)
    result = longest_path(large).numpy()
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert result == longest_path(large).numpy()
    print(set(handled))
    """
    assert run(tmp_path, script) == "{307}\n"


def test_waiting_for_the_compiler_is_interrupted_and_the_kernel_is_found_later(tmp_path):
    script = """
    from allograph.runtime.jit.cache import compilation
    compile_kernel, begun = compilation._new, []

    def slow(*about):
        begun.append(about)
        time.sleep(2)
        return compile_kernel(*about)

    compilation._new = slow
    f = ag.function(lambda x: x * 0.123 + 4.0, jit_compile=True)
    assert interrupted(lambda: f(ag.ones([3]))) < 1
    assert f(ag.zeros([3])).numpy().tolist() == [4, 4, 4]
    assert len(begun) == 1
    """
    run(tmp_path, script)


def test_a_kernel_that_has_ended_leaves_the_clock_asleep(tmp_path):
    script = """
    from allograph.runtime.jit.loader.shared_words import CLOCK, TICK, WORDS
    latest = time.monotonic() + 60

    def is_asleep():
        before = int(WORDS[TICK])
        time.sleep(0.2)
        return WORDS[CLOCK.word] == 0 and WORDS[TICK] == before

    while not is_asleep():
        assert time.monotonic() < latest
    assert interrupted(lambda: until_negative(ag.constant(1.0))) < 1
    """
    run(tmp_path, script)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no fork here")
def test_a_loop_of_a_child_process_is_interrupted_too(tmp_path):
    script = """
    child = os.fork()
    if child == 0:
        is_soon = interrupted(lambda: longest_path(FAR)) < 1
        os._exit(0 if is_soon else 3)
    assert os.waitpid(child, 0)[1] == 0
    """
    run(tmp_path, script)


def test_other_threads_are_left_alone(tmp_path):
    script = """
    results = []
    limit = ag.constant(2_000_000, ag.int64)
    thread = threading.Thread(target=lambda: results.append(longest_path(limit).numpy()))
    thread.start()
    assert interrupted(lambda: until_negative(ag.constant(1.0)), 0.1) < 1
    thread.join()
    assert results == [longest_path(limit).numpy()]
    """
    run(tmp_path, script)
