"""Threads that spin-wait for the next loop: nothing is lost, and nothing is done twice."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.parallel import mailbox

pytestmark = pytest.mark.slow
set_threads = ag.config.threading.set_intra_op_parallelism_threads
SHAPE = (1024, 512)


@pytest.fixture(autouse=True)
def three_threads():
    set_threads(3)
    yield
    set_threads(0)


def shared(function):
    """A compiled function whose loop threads share, and an array for it."""
    native = ag.function(function, jit_compile=True)
    x = ag.constant(np.random.default_rng(0).random(SHAPE).astype(np.float32))
    assert "run_region(" in native.get_concrete_function(x).kernels()[0].source
    return native, x


def until(test):
    """Wait until something holds, but not forever."""
    end = time.monotonic() + 20
    while not test():
        assert time.monotonic() < end
        time.sleep(0.001)


def is_at_rest():
    """Whether the mailbox is free and no thread watches it."""
    words = mailbox.OWNED, mailbox.INSIDE, mailbox.SPINNING
    return not any(map(mailbox.word, words))


def test_calls_in_a_row_and_calls_after_a_rest_give_the_same():
    f, x = shared(lambda x: ag.tanh(x) * x)
    wanted = f(x).numpy()
    for call in range(300):
        assert np.array_equal(f(x).numpy(), wanted)
        if call % 50 == 0:
            until(is_at_rest)
    until(is_at_rest)


def test_a_thread_that_has_worked_spin_waits_for_a_moment():
    f, x = shared(lambda x: ag.exp(x) * x)

    def is_spinning_after_a_call():
        f(x)
        return mailbox.word(mailbox.SPINNING) > 0

    until(is_spinning_after_a_call)
    until(is_at_rest)


SLEEPING = """
import numpy as np, time
import allograph as ag
from allograph.runtime.parallel import mailbox

ag.config.threading.set_intra_op_parallelism_threads(3)
x = ag.ones([1024, 512])
f = ag.function(lambda x: ag.cos(x) * x, jit_compile=True)
wanted = f(x).numpy()
while mailbox.word(mailbox.WORKERS) < 2:
    time.sleep(0.01)
for _ in range(50):
    assert np.array_equal(f(x).numpy(), wanted)
    assert mailbox.word(mailbox.SPINNING) == 0
"""


def test_a_variable_turns_spin_waiting_off():
    environment = {**os.environ, "ALLOGRAPH_SPIN_WAIT": "0"}
    subprocess.run([sys.executable, "-c", SLEEPING], env=environment, check=True, timeout=120)


def test_several_callers_at_once_share_the_pool():
    pairs = [shared(lambda x, k=k: ag.tanh(x * k) + x) for k in (1.5, 2.5, 3.5, 4.5)]
    wanted = [f(x).numpy() for f, x in pairs]

    def work(index):
        f, x = pairs[index]
        return all(np.array_equal(f(x).numpy(), wanted[index]) for _ in range(100))

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    until(is_at_rest)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here"
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_process_has_threads_of_its_own():
    f, x = shared(lambda x: ag.sin(x) * x)
    wanted = f(x).numpy()

    def work(queue):
        queue.put(np.array_equal(f(x).numpy(), wanted))

    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=work, args=(queue,))
    child.start()
    assert queue.get(timeout=60)
    child.join()
