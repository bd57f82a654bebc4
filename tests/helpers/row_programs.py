"""Random normalizations: rows of arrays, and what they are reduced to, in some statements.

`RowProgram(seed)` has the source of `def program(x, w)` and its arguments. A row is the last axis,
or the last two, of arrays of two to four axes, and sometimes any others.
"""

import random

import numpy as np
from device_laws import assert_same_on_a_grid
from large_paths import set_to
from law_kit import load
from program_writer import ProgramWriter

import allograph as ag
from allograph.runtime.executors.compile_pipeline import native_forms
from allograph.runtime.gpu.grid.grid_program import DEVICE

REDUCTIONS = ("max", "min", "sum")
COMMON = ("{x} - {row}", "{x} + {row}", "{row}", "{x} + {y}", "ag.where({x} > {y}, {x}, {y})")
STATEMENTS = {
    "int32": (*COMMON, "{x} // {row}"),
    "float32": (
        *COMMON, "ag.tanh({x} * {row})", "{x} / (1.0 + ag.abs({row}))", "ag.exp({x} * 0.01)",
        "ag.nn.softmax({x}, axis={last})", "ag.sin({x} * 0.1)",
    ),
}  # fmt: skip
STATEMENTS["float64"] = STATEMENTS["float32"]


class RowProgram(ProgramWriter):
    head = "import allograph as ag\n\n\ndef program(x, w):"

    def __init__(self, seed: int):
        super().__init__(random.Random(seed))
        rank = self.pick([2, 2, 3, 4])
        shape = [*(self.pick([2, 3]) for _ in range(rank - 1)), self.pick([5, 33, 40])]
        dtype = self.pick([*STATEMENTS])
        own = [self.pick([size, 1]) if self.happens(0.3) else size for size in shape]
        values = np.random.default_rng(seed)
        self.arguments = [values.integers(-3, 4, sizes).astype(dtype) for sizes in (shape, own)]
        axes = [[rank - 2, rank - 1]] if self.happens(0.3) else [[rank - 1]] * 3
        axes.append(sorted(self.choose.sample(range(rank), self.pick([1, 2]))))
        names, results = ["x", "x", "w"], []
        for _ in range(self.pick([2, 3, 4, 6])):
            row = f"ag.reduce_{self.pick(REDUCTIONS)}({self.pick(names)}, {self.pick(axes)}, True)"
            x, y, name = self.pick(names), self.pick(names), self.fresh("v")
            written = self.pick(STATEMENTS[dtype]).format(x=x, y=y, row=row, last=rank - 1)
            self.line(1, f"{name} = {written}")
            names += [name, name]
            results.append(name)
        self.line(1, f"return {results[-1]}, {self.pick(results)}")


def assert_device_normalizes_rows(seed: int) -> None:
    """A random program of rows is the same on a device, where all rows are worth sharing."""
    program = RowProgram(seed)
    function = ag.function(load(program.text()), device="CPU:0")
    graph = function.get_concrete_function(*map(ag.constant, program.arguments)).executable.graph
    with set_to({"WORTH_SHARING_ROWS": 1, "SHORTEST_ROW": 1}):
        *_, form = native_forms(graph, None, DEVICE)
        assert_same_on_a_grid(form.program, np.random.default_rng(seed))
