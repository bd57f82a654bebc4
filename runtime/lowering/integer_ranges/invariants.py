"""What holds of the integers that a loop carries, before each iteration and after the last.

Inequalities that hold before the loop are assumed, and the loop is walked. Those that an iteration
does not preserve are dropped, until all that are left are preserved (Flanagan and Leino, Houdini,
2001).
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.graph import Graph, Node
from ...ir.trip_counts import step_of
from .linear_facts import Linear
from .scalar_values import Truth, Values, is_integer, limits_of

ROUNDS = 5
MOST_STEP = 1 << 15
MOST_ITERATIONS = 1 << 47  # more than can be run


class Loop:
    """A loop whose graphs `visit` walks; it returns them with what was proven."""

    def __init__(self, node: Node, values: Values, visit: Callable[[Graph], Graph]):
        self.node = node
        self.values = values
        self.visit = visit
        self.test, self.body = node.attrs["test"], node.attrs["body"]
        self.outer = len(values.facts.intervals)  # unknowns from here on are the loop's own
        self.starts: dict[int, Linear] = {}
        self.begins: dict[int, tuple[int, int]] = {}  # of the starts, before what the loop checks
        self.carried: dict[int, Linear] = {}
        self.steps: dict[int, tuple[int, int] | None] = {}  # least and most; None: not known
        for at, value in enumerate(self.body.inputs[: node.attrs["carried"]]):
            if is_integer(value):
                self.starts[at] = values.form(node.inputs[at])
                self.begins[at] = values.facts.interval(self.starts[at])
                if self.body.outputs[at] is value:
                    self.carried[at] = self.starts[at]
                else:
                    step = step_of(node, at)
                    self.steps[at] = None if step is None else (step, step)
                    self.carried[at] = values.facts.new(*limits_of(value.dtype))
        self.truth = Truth()  # of the test

    def settled(self) -> dict[str, Graph]:
        """The graphs of the loop. What holds of its results is known then."""
        facts = self.values.facts
        checkpoint = facts.checkpoint()
        assumed = self.first_guess()
        for count in range(ROUNDS + 1):
            if count == ROUNDS:  # nothing more is tried
                assumed, self.steps = [], dict.fromkeys(self.steps)
            self.values.assume(assumed)
            for at, steps in self.steps.items():
                self.assume_feasible(at, steps)
            before = {at: facts.interval(self.carried[at]) for at in self.steps}
            graphs, results = self.walked(assumed)
            kept = [best for best in assumed if facts.proves(best.replaced(results))]
            more = self.guesses_of_steps(results) if count < 2 else []
            more += self.guesses_of_intervals(results, before) if count < 2 else []
            more = [best for best in more if best not in assumed]
            changed_steps = self.check_steps(results)
            at_exit = [best for best in self.limits() if facts.proves(best.replaced(results))]
            facts.undo(checkpoint)
            if kept == assumed and not more and not changed_steps:
                break
            assumed = [*kept, *more]
        self.leave([*at_exit, *assumed])
        return graphs

    def first_guess(self) -> list[Linear]:
        """That an integer is at least, or at most, what it was before the loop."""
        guesses = []
        for at, steps in self.steps.items():
            carried, start = self.carried[at], self.starts[at]
            low, high = self.begins[at]
            least, most = steps or (0, 0)
            if least >= 0:
                guesses += [start - carried, *([carried * -1 + low] if start.terms else [])]
            if most <= 0:
                guesses += [carried - start, *([carried - high] if start.terms else [])]
            if steps is None:
                self.steps[at] = (-MOST_STEP, MOST_STEP)
        return guesses

    def assume_feasible(self, at: int, steps: tuple[int, int] | None) -> None:
        """No loop runs for so long that a small step makes its integer overflow."""
        if steps is None or max(map(abs, steps)) > MOST_STEP:
            return
        low, high = self.begins[at]
        least, most = limits_of(self.body.inputs[at].dtype)
        low, high = (
            low + min(steps[0], 0) * MOST_ITERATIONS,
            high + max(steps[1], 0) * MOST_ITERATIONS,
        )
        if least <= low and high <= most:
            self.values.assume([self.carried[at] - high, self.carried[at] * -1 + low])

    def walked(self, assumed: list[Linear]) -> tuple[dict[str, Graph], dict[int, Linear]]:
        """The graphs, and what an iteration makes of each unknown that the loop carries."""
        values, graphs = self.values, {}
        for key, graph in (("test", self.test), ("body", self.body)):
            for at, (value, operand) in enumerate(zip(graph.inputs, self.node.inputs, strict=True)):
                if at >= self.node.attrs["carried"]:
                    values.same(value, operand)
                    continue
                values.forget([value])
                if at in self.carried:
                    values.forms[value] = self.carried[at]
            graphs[key] = self.visit(graph)
            if key == "test":
                self.truth = values.truth(graphs[key].outputs[0])
                values.assume((*self.truth.if_true, *assumed))  # in intervals narrowed by the test
        results = {
            self.carried[at].unknown: values.form(graphs["body"].outputs[at]) for at in self.steps
        }
        return graphs, results

    def check_steps(self, results: dict[int, Linear]) -> bool:
        """Narrow the steps to what they are, or forget them. Whether less is known than before."""
        is_less = False
        for at, steps in self.steps.items():
            if steps is None:
                continue
            low, high = self.step_made(at, results)
            if steps[0] <= low and high <= steps[1]:
                self.steps[at] = low, high
            else:
                self.steps[at], is_less = None, True
        return is_less

    def step_made(self, at: int, results: dict[int, Linear]) -> tuple[int, int]:
        """The least and the most that an iteration adds."""
        facts, carried = self.values.facts, self.carried[at]
        result = results[carried.unknown]
        least, most = (
            [facts.interval(case - carried) for case in cases.get(result.unknown, (result,))]
            for cases in (facts.smallest, facts.largest)
        )
        return min(low for low, _ in least), max(high for _, high in most)

    def guesses_of_intervals(
        self, results: dict[int, Linear], before: dict[int, tuple[int, int]]
    ) -> list[Linear]:
        """That an integer is in the interval that an iteration leaves it in. `before` are the
        intervals that were assumed. Counters that the test compares need no guess.
        """
        facts, guesses = self.values.facts, []
        compared = {unknown for form in self.limits() for unknown in form.terms}
        for at, steps in self.steps.items():
            carried = self.carried[at]
            low, high = facts.interval(results[carried.unknown])
            least, most = self.begins[at]
            begin, end = before[at]
            if carried.unknown not in compared or not steps or steps[0] != steps[1]:
                guesses += [carried - max(high, most)] if high < end else []
                guesses += [carried * -1 + min(low, least)] if low > begin else []
        return guesses

    def guesses_of_steps(self, results: dict[int, Linear]) -> list[Linear]:
        """That an integer is ahead by no more than so many steps, of which the largest counts.
        Small steps that are the same in each iteration need no guess.
        """
        guesses = []
        counts = [
            (self.carried[at] - self.starts[at]) * steps[0]
            for at, steps in self.steps.items()
            if steps in ((1, 1), (-1, -1))
        ]
        for at, steps in self.steps.items() if counts else ():
            carried, change = self.carried[at], self.carried[at] - self.starts[at]
            low, high = steps or (0, 1)
            is_constant = low == high
            low, high = (low, high) if is_constant else self.step_made(at, results)
            is_small = -MOST_STEP <= low <= high <= MOST_STEP
            may_be_long = is_constant or self.is_sum(carried, results[carried.unknown])
            if low == high if is_small else not may_be_long:
                continue
            guesses += [change - counts[0] * high] if high > 0 or is_constant else []
            guesses += [counts[0] * low - change] if low < 0 or is_constant else []
        return guesses

    def is_sum(self, carried: Linear, result: Linear) -> bool:
        """Whether an iteration adds to an integer."""
        cases = self.values.facts.largest.get(result.unknown, (result,))
        return all(carried.unknown in case.terms for case in cases)

    def limits(self) -> list[Linear]:
        """That an integer goes past the limit of the test by no more than a step."""
        unknowns = {self.carried[at].unknown: steps for at, steps in self.steps.items()}
        limits = []
        for form in self.truth.if_true:
            steps = [unknowns[unknown] for unknown in form.terms if unknown in unknowns]
            if len(steps) == 1 and steps[0] is not None:
                limits.append(form - max(map(abs, steps[0])))
        return limits

    def leave(self, forms: list[Linear]) -> None:
        """What holds of the results, where all of `forms` do."""
        values = self.values
        values.forget(self.node.outputs)
        results: dict[int, Linear] = {}
        for at, carried in self.carried.items():
            output = self.node.outputs[at]
            if at in self.steps:
                results[carried.unknown] = values.facts.new(*limits_of(output.dtype))
                values.forms[output] = results[carried.unknown]
            else:
                values.forms[output] = carried
        starts = {self.carried[at].unknown: self.starts[at] for at in self.steps}
        for form in (*forms, *self.truth.if_false):
            if all(unknown < self.outer or unknown in results for unknown in form.terms):
                is_ended = form in self.truth.if_false
                if is_ended or values.facts.proves(form.replaced(starts)):
                    values.assume([form.replaced(results)])
