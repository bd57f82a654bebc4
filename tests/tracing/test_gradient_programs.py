"""Random programs: the gradient through staged control flow is the one recorded eagerly."""

import linecache
import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

NAMES = ("x", "y", "z")


class Writer:
    """Writes `def f(x, y, n)`; values stay small, loops are short, everything is smooth."""

    def __init__(self, seed: int):
        self.choose = random.Random(seed)
        self.lines = ["def f(x, y, n):", "    z = x * y"]
        self.loops = 0

    def program(self) -> str:
        self.block(1, 3)
        self.lines.append("    return x + 2.0 * y - z")
        return "\n".join(self.lines) + "\n"

    def block(self, depth: int, more: int, breaks: str = "") -> None:
        for _ in range(self.choose.randint(1, 3)):
            kinds = [self.assign, self.assign, self.both]
            if more:
                kinds += [self.branch, self.loop, self.counting]
            if breaks:
                kinds.append(self.leave)
            self.choose.choice(kinds)(depth, more, breaks)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def value(self) -> str:
        a, b = self.choose.choices(NAMES, k=2)
        return self.choose.choice(
            (
                f"ag.tanh({a} + {b})",
                f"ag.sin({a}) * {b}",
                f"{a} * 0.5 - {b}",
                f"{a} * {b} * 0.25",
                f"ag.tanh({a} * ag.reduce_mean({b}))",
                f"ag.sigmoid({a})[::-1] + {b}",
                f"ag.concat([{a}[1:], {b}[:1]], 0)",
                f"ag.stop_gradient({a}) * {b} * 0.5",
            )
        )

    def test(self) -> str:
        name = self.choose.choice(NAMES)
        return f"ag.reduce_sum({name}) {self.choose.choice('<>')} {self.choose.uniform(-1, 1):.3f}"

    def assign(self, depth, more, breaks) -> None:
        self.line(depth, f"{self.choose.choice(NAMES)} = {self.value()}")

    def both(self, depth, more, breaks) -> None:
        self.line(depth, f"x, z = {self.value()}, {self.value()}")

    def branch(self, depth, more, breaks) -> None:
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1, more - 1, breaks)
        if self.choose.random() < 0.6:
            self.line(depth, "else:")
            self.block(depth + 1, more - 1, breaks)

    def loop(self, depth, more, breaks) -> None:
        self.loops += 1
        fuel = f"fuel_{self.loops}"
        self.line(depth, f"{fuel} = n")
        self.line(depth, f"while {fuel} > 0 and {self.test()}:")
        self.line(depth + 1, f"{fuel} -= 1")
        self.block(depth + 1, more - 1, "break")

    def counting(self, depth, more, breaks) -> None:
        self.loops += 1
        self.line(depth, f"for i_{self.loops} in ag.range(n):")
        self.block(depth + 1, more - 1, self.choose.choice(("break", "continue")))

    def leave(self, depth, more, breaks) -> None:
        self.line(depth, f"if {self.test()}:")
        self.line(depth + 1, breaks)


def function_of(source: str):
    name = f"<gradient program {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"ag": ag}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


def slopes(f, x, y, n):
    with ag.GradientTape() as tape:
        tape.watch([x, y])
        made = f(x, y, n)
    return tape.gradient(made, [x, y], unconnected_gradients="zero")


@given(st.integers(0, 10**9))
def test_gradients_of_random_programs(seed):
    source = Writer(seed).program()
    f = function_of(source)
    staged = ag.function(f, jit_compile=False)
    inside = ag.function(lambda x, y, n: slopes(f, x, y, n), jit_compile=False)
    x = ag.constant([0.3, -0.7, 1.1], ag.float64)
    y = ag.constant([-0.2, 0.9, 0.4], ag.float64)
    for n in (0, 1, 3):
        n = ag.constant(n)
        plain = slopes(f, x, y, n)
        for found in (slopes(staged, x, y, n), inside(x, y, n)):
            for one, other in zip(found, plain, strict=True):
                np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-9, atol=1e-11)
