"""Square roots by Newton's iteration: a `while` that stops at a tolerance.

python examples/newton.py [NUMBER ...]
"""

import sys

import allograph as ag


@ag.function
def square_root(number, tolerance):
    """The square root and the number of steps; a negative number is an error."""
    assert number >= 0, "a negative number has no square root"
    x = ag.maximum(number, 1.0)
    steps = 0
    while ag.abs(x * x - number) > tolerance * number:
        x = (x + number / x) / 2
        steps += 1
    return x, steps


def main(*values):
    for value in values or (2.0, 10.0, 1e6):
        root, steps = square_root(ag.constant(value, ag.float64), 1e-12)
        print(f"the square root of {value:g} is {float(root):.10g}, after {int(steps)} steps")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
