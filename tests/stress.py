"""Threads, signals and processes, each for some seconds: `python tests/stress.py --seconds 60`.

Each scenario runs in a process of its own, which must end in time, without an error, a crash or a
word on stderr. Ends with status 1 and the names of the scenarios that did not.
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from itertools import count

import numpy as np
import numpy.testing  # before there are threads: forks are not to meet its imports

import allograph as ag

GRACE = 60  # seconds that a scenario may take longer
MOST_GROWTH = 150_000  # kilobytes, after the first half of the time


def in_threads(works, seconds: float, daemon: bool = False) -> None:
    """Call each of the works again and again, each in a thread, with the number of the call."""
    end, errors = time.monotonic() + seconds, []

    def repeat(work) -> None:
        try:
            for number in count():
                if time.monotonic() > end or errors:
                    return
                work(number)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=repeat, args=(work,), daemon=daemon) for work in works]
    for thread in threads:
        thread.start()
    if daemon:
        return
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def in_threads_without_growth(works, seconds: float) -> None:
    """The same; what the process has needed in the first half of the time must be about enough."""
    in_threads(works, seconds / 2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    in_threads(works, seconds / 2)
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert growth < MOST_GROWTH, f"{growth} kB more"


# ---- what the threads do ---------------------------------------------------------------------


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


@ag.function(jit_compile=True)
def squashed(x):
    for _ in ag.range(100):
        x = ag.tanh(x)
    return x


def call_shared_loops(number: int) -> None:
    assert int(longest_path(ag.constant(30_000, ag.int64))) == 307
    assert squashed(ag.ones([300, 400])).shape == (300, 400)


def compile_new_kernel(number: int) -> None:
    factor, size = random.random(), 1 + number % 7
    function = ag.function(lambda x: ag.tanh(x * factor) + factor, jit_compile=True)
    wanted = np.tanh(np.full([40, size], factor)) + factor
    np.testing.assert_allclose(function(ag.ones([40, size], ag.float64)).numpy(), wanted, 1e-12)


def trace_and_drop(number: int) -> None:
    factor = ag.Variable(float(number))

    @ag.function
    def scaled(x):
        for i in ag.range(3):
            if ag.reduce_sum(x) > 1e30:
                x = x - ag.cast(i, ag.float32)
            else:
                x = x * factor
        return x

    once = np.float32(number)  # a power of it is rounded otherwise from 261 on
    assert float(scaled(ag.ones([2]))[0]) == once * once * once


def compile_in_background(number: int) -> None:
    factor = random.random()
    function = ag.function(lambda x: ag.reduce_sum(ag.tanh(x) * factor))
    results = {round(float(function(ag.ones([100]))), 3) for _ in range(70)}
    assert len(results) == 1


def keep_large_results():
    """A work that keeps its last results, whose memory nobody may overwrite."""
    kept: list = []

    def work(number: int) -> None:
        rows = 600 + 10 * (number % 3)
        kept.append((float(number), large_plus(ag.ones([rows, 500]), ag.constant(float(number)))))
        for wanted, result in kept:
            assert (result.numpy() == wanted + 1).all()
        del kept[: -1 - number % 4]

    return work


@ag.function(jit_compile=True)
def large_plus(x, number):
    return x + number


@ag.function(input_signature=[ag.TensorSpec([None, None], ag.float32)])
def any_shape(x):
    return ag.reduce_sum(x * 2.0, axis=0)


def change_shapes(number: int) -> None:
    rows, columns = random.randint(1, 50), random.randint(1, 50)
    assert float(any_shape(ag.ones([rows, columns]))[0]) == 2.0 * rows


# ---- scenarios -------------------------------------------------------------------------------


def signals(seconds: float) -> None:
    """Loops on all threads are interrupted at any moment. Variables are whole, and calls right."""
    total, calls = ag.Variable(ag.zeros([3], ag.int64)), ag.Variable(ag.constant(0, ag.int64))

    @ag.function(jit_compile=True)
    def count_up(limit):
        for _ in ag.range(limit):
            total.assign_add(ag.ones([3], ag.int64))
            calls.assign_add(ag.constant(1, ag.int64))
        return calls.read_value()

    def interrupt() -> None:
        while time.monotonic() < end:
            time.sleep(random.uniform(0.0, 0.2))
            if is_armed.is_set():
                is_armed.clear()
                os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    count_up(ag.constant(1, ag.int64))
    longest_path(ag.constant(30_000, ag.int64))
    is_armed, end = threading.Event(), time.monotonic() + seconds
    sender = threading.Thread(target=interrupt)
    sender.start()
    for number in count():
        if time.monotonic() > end:
            break
        function = (count_up, longest_path, compile_new_kernel)[number % 3]
        begun, done = time.monotonic(), calls.numpy()
        try:
            is_armed.set()
            while is_armed.is_set():
                function(ag.constant(10**14, ag.int64) if number % 3 < 2 else number)
            time.sleep(1)
        except KeyboardInterrupt:
            assert time.monotonic() - begun < 3
        assert len({*total.numpy().tolist(), int(calls.numpy())}) == 1, "variables are torn"
        assert calls.numpy() == done
        assert int(longest_path(ag.constant(30_000, ag.int64))) == 307
        sent = f"{number + 1} signals"
    sender.join()
    print(sent, end="; ")


def forks(seconds: float) -> None:
    """A process forks while other threads compile and trace; each child does both."""
    # From Python 3.12 on, a process with threads is warned of what this scenario is about.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    works = [compile_new_kernel, trace_and_drop, compile_in_background, call_shared_loops]
    in_threads(works, seconds, daemon=True)
    end = time.monotonic() + seconds
    for number in count(1):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for work in works:
                    work(number)
                status = 0
            finally:
                os._exit(status)
        limit = time.monotonic() + 30
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            if time.monotonic() > limit:
                os.kill(child, signal.SIGKILL)
                raise AssertionError(f"child {number} hangs")
            time.sleep(0.002)
        assert ended[1] == 0, f"child {number} ended with {ended[1]}"
        if time.monotonic() > end:
            print(f"{number} children", end="; ")
            return


def exits(seconds: float) -> None:
    """The process ends while daemon threads compile, trace and run kernels."""
    # From Python 3.12 on, a process with threads is warned of what this scenario is about.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    works = [compile_new_kernel, trace_and_drop, compile_in_background, call_shared_loops]
    in_threads(works, 3600, daemon=True)
    time.sleep(random.uniform(0.0, 2.0))


def buffers(seconds: float) -> None:
    """Threads keep large results while others are computed."""
    in_threads_without_growth([keep_large_results() for _ in range(8)], seconds)


def functions(seconds: float) -> None:
    """Sixteen threads trace functions and drop them."""
    in_threads_without_growth([trace_and_drop] * 16, seconds)


def shapes(seconds: float) -> None:
    """Calls with ever new shapes."""
    in_threads_without_growth([change_shapes] * 4, seconds)


def everything(seconds: float) -> None:
    """All of it at once."""
    # From Python 3.12 on, a process with threads is warned of what this scenario is about.
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    works = [compile_new_kernel, trace_and_drop, compile_in_background, call_shared_loops]
    in_threads([*works, *works, keep_large_results(), change_shapes], seconds)


SCENARIOS = (signals, forks, exits, buffers, functions, shapes, everything)


def run(scenario: str, seconds: float) -> str:
    """What is wrong with a scenario in a process of its own; empty if nothing is."""
    command = [sys.executable, __file__, "--seconds", str(seconds), "--only", scenario]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + GRACE)
    except subprocess.TimeoutExpired as error:
        return f"it hangs\n{error.stderr}"
    print(done.stdout, end="")
    return "" if done.returncode == 0 and not done.stderr else f"{done.returncode}\n{done.stderr}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--only", choices=[one.__name__ for one in SCENARIOS])
    options = parser.parse_args()
    if options.only:
        warnings.simplefilter("ignore", ag.errors.RetracingWarning)
        globals()[options.only](options.seconds)
        return 0
    broken = 0
    with tempfile.TemporaryDirectory() as cache:
        os.environ.setdefault("ALLOGRAPH_CACHE_DIR", cache)
        for scenario in SCENARIOS:
            begun = time.monotonic()
            wrong = run(scenario.__name__, options.seconds)
            broken += bool(wrong)
            print(f"{scenario.__name__}: {wrong or 'fine'} ({time.monotonic() - begun:.0f} s)")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
