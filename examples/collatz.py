"""Find the start below a limit with the most Collatz steps: two nested `while` loops on integers.

python examples/collatz.py [LIMIT]
"""

import sys
import time

import allograph as ag


@ag.function(jit_compile=True)
def longest(limit):
    """The start that takes the most steps to reach 1, and the number of steps."""
    best_start = best = ag.constant(0, ag.int64)
    start = ag.constant(1, ag.int64)
    while start < limit:
        x = start
        steps = ag.constant(0, ag.int64)
        while x != 1:
            if x % 2 == 0:
                x = x // 2
            else:
                x = 3 * x + 1
            steps += 1
        if steps > best:
            best = steps
            best_start = start
        start += 1
    return best_start, best


def timed(limit):
    """The seconds of a call, and its results: start and steps."""
    begin = time.perf_counter()
    start, steps = longest(limit)
    return time.perf_counter() - begin, int(start), int(steps)


def main(limit=100_000):
    limit = ag.constant(limit, ag.int64)
    first, _, _ = timed(limit)
    again, start, steps = timed(limit)
    print(f"below {int(limit)}, {start} takes the most steps: {steps}")
    print(f"first call {first:.2f} s (traced and compiled), second call {again * 1e3:.1f} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
