"""Functions that tests send to other processes, which import them by their names."""

import os

import numpy as np

import allograph as ag


@ag.function
def halvings(n):
    count = 0
    while n > 1:
        n, count = n // 2, count + 1
    return count


@ag.function(jit_compile=True)
def smoothed(x):
    for _ in range(3):
        x = (x + ag.roll(x, 1, 0) + ag.roll(x, -1, 0)) / 3.0
    return x


@ag.jit
def total(x):
    result = 0.0
    for value in x:
        result += value * value
    return result


@ag.function
def checked(x):
    ag.debugging.assert_less(x, 10, message="too large")  # the line of the error
    return x


class Counter(ag.Module):
    def __init__(self, start):
        super().__init__()
        self.value = ag.Variable(start)

    @ag.function
    def add(self, x):
        return self.value.assign_add(x)


def compiled_kernels(x):
    """The result of a kernel, how many were compiled in this process, and its number."""
    from allograph.runtime.jit.cache.compilation import _kernels

    result = float(ag.reduce_sum(smoothed(x)))
    return result, sum(kernel.is_new for kernel in _kernels.values()), os.getpid()


def threads(_=None):
    """The threads that share one kernel."""
    from allograph.runtime.parallel.mailbox import COUNT
    from allograph.runtime.parallel.thread_pool import CONTROL

    return int(CONTROL[COUNT])


def nested(number):
    """A process pool inside a process of a pool."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        return [int(one) for one in pool.map(halvings, map(ag.constant, range(number)))]


ARRAYS = [np.arange(n, dtype=np.float32) for n in (3, 5, 8)]
