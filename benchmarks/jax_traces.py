"""What `ag.jax.function` costs beside `lax.cond`, `lax.while_loop` and `lax.scan` written by hand:
the equations of the jaxpr, and the time until it is traced, with the decoration.

python benchmarks/jax_traces.py --rounds 30
"""

import argparse
import statistics
import time
from types import FunctionType

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import allograph as ag

XS = np.arange(4, dtype=np.float32)


def steps(n):
    count = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    return count


def steps_by_hand(n):
    def step(state):
        n, count = state
        return lax.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n), count + 1

    return lax.while_loop(lambda state: state[0] != 1, step, (n, 0))[1]


def huber(x):
    if abs(x) < 1:
        return 0.5 * x * x
    return abs(x) - 0.5


def huber_by_hand(x):
    return lax.cond(abs(x) < 1, lambda x: 0.5 * x * x, lambda x: abs(x) - 0.5, x)


def horner(xs, x):
    value = 0.0
    for coefficient in xs:
        value = value * x + coefficient
    return value


def horner_by_hand(xs, x):
    return lax.scan(lambda value, c: (value * x + c, None), 0.0, xs)[0]


def divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def divisor_by_hand(a, b):
    return lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (a, b))[0]


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def fibonacci_by_hand(n):
    return lax.fori_loop(0, n, lambda _, s: (s[1], s[0] + s[1]), (0, 1))[0]


def highest(xs):
    best, out = xs[0], jnp.zeros_like(xs)
    for i, x in enumerate(xs):
        best = jnp.maximum(best, x)
        out[i] = best
    return out


def highest_by_hand(xs):
    def step(state, row):
        (best, out), (i, x) = state, row
        best = jnp.maximum(best, x)
        return (best, out.at[i].set(best)), None

    rows = jnp.arange(len(xs)), xs
    return lax.scan(step, (xs[0], jnp.zeros_like(xs)), rows)[0][1]


def grade(x):
    if x > 9:
        y = 1.0
    elif x > 5:
        y = x - 4
    else:
        y = 6 - x
    return y * 2


def grade_by_hand(x):
    def rest(x):
        return lax.cond(x > 5, lambda x: x - 4, lambda x: 6 - x, x)

    return lax.cond(x > 9, lambda x: 1.0, rest, x) * 2


def power(x, n):
    result = 1.0
    while n > 0:
        if n % 2 == 1:
            result = result * x
        x = x * x
        n = n // 2
    return result


def power_by_hand(x, n):
    def step(state):
        result, x, n = state
        result = lax.cond(n % 2 == 1, lambda: result * x, lambda: result)
        return result, x * x, n // 2

    return lax.while_loop(lambda state: state[2] > 0, step, (1.0, x, n))[0]


def sum_above(xs, limit):
    total, count = 0.0, 0
    for x in xs:
        if x > limit:
            total += x
            count += 1
    return total, count


def sum_above_by_hand(xs, limit):
    def step(state, x):
        def added():
            return state[0] + x, state[1] + 1

        return lax.cond(x > limit, added, lambda: state), None

    return lax.scan(step, (0.0, 0), xs)[0]


def descent(weights, xs, rate):
    for x in xs:
        error = jnp.sum(weights["w"] * x) + weights["b"] - 1.0
        weights = {"w": weights["w"] - rate * error * x, "b": weights["b"] - rate * error}
    return weights


def descent_by_hand(weights, xs, rate):
    def step(weights, x):
        error = jnp.sum(weights["w"] * x) + weights["b"] - 1.0
        return {"w": weights["w"] - rate * error * x, "b": weights["b"] - rate * error}, None

    return lax.scan(step, weights, xs)[0]


PAIRS = [
    (steps, steps_by_hand, (27,)), (huber, huber_by_hand, (0.5,)),
    (horner, horner_by_hand, (XS, 0.5)), (divisor, divisor_by_hand, (12, 18)),
    (fibonacci, fibonacci_by_hand, (10,)), (highest, highest_by_hand, (XS,)),
    (grade, grade_by_hand, (7.0,)), (power, power_by_hand, (1.5, 5)),
    (sum_above, sum_above_by_hand, (XS, 1.0)),
    (descent, descent_by_hand, ({"w": XS, "b": np.float32(0)}, np.ones((3, 4), np.float32), 0.1)),
]  # fmt: skip


def equations(function, arguments) -> int:
    """The number of equations of a jaxpr, with those of the jaxprs in it."""
    return str(jax.make_jaxpr(function)(*arguments)).count(" = ")


def copied(function):
    """The same function with a code object of its own: it is converted once more."""
    code = function.__code__.replace(co_name=function.__name__)
    return FunctionType(code, function.__globals__, function.__name__)


def seconds_to_trace(rows, arguments, rounds: int) -> list[float]:
    """For each `(decorate, function)`, in turns, the median time to decorate and trace a function
    that JAX has not seen.
    """
    times: list[list[float]] = [[] for _ in rows]
    for _ in range(rounds):
        for own_times, (decorate, function) in zip(times, rows, strict=True):
            own = copied(function)
            start = time.process_time()
            jax.make_jaxpr(decorate(own))(*arguments)
            own_times.append(time.process_time() - start)
    return list(map(statistics.median, times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    print("| program | equations | by hand | ms to decorate and trace | by hand | ratio |")
    print("|---|---|---|---|---|---|")
    for function, by_hand, arguments in PAIRS:
        ours = equations(ag.jax.function(function), arguments), equations(by_hand, arguments)
        rows = (ag.jax.function, function), (lambda same: same, by_hand)
        times = seconds_to_trace(rows, arguments, rounds)
        milliseconds = (f"{1000 * seconds:.2f}" for seconds in times)
        row = (function.__name__, *ours, *milliseconds, f"{times[0] / times[1]:.2f}")
        print("|", " | ".join(map(str, row)), "|")


if __name__ == "__main__":
    main()
