"""The fixed programs: benchmark problems, and programs generated from fixed seeds."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator
from pathlib import Path

import gradient_programs
import program_generator
from gradient_laws import Case
from graph_generator import random_graph
from law_kit import load

import allograph as ag
from replay.recorder import Recorder
from replay.stages import derivative_of, described

INTEGER_PROGRAMS = range(1000, 1040)
RAISING_PROGRAMS = range(2000, 2010)
FLOAT_PROGRAMS = range(3000, 3030)
GRAPHS = range(4000, 4040)
ROOT = Path(__file__).parents[2]


def record_programs(recorder: Recorder) -> None:
    """Trace every program; each is a case."""
    for case, trace in programs():
        try:
            trace(recorder)
        except Exception as error:
            recorder.write(case, "refusal", described(error))
        recorder.flush(case)


def programs() -> Iterator[tuple]:
    """Pairs of a name and a function that traces what belongs to it."""
    for name in importlib.import_module("workloads").NAMES:
        module = importlib.import_module(f"workloads.{name}")
        for size, keywords in module.SIZES.items():
            yield f"benchmark {name}, {size}", _benchmark(module, keywords)
    yield "benchmark of a training step", _training_step
    yield "benchmark of an element-wise chain", _chain
    for seed in INTEGER_PROGRAMS:
        yield f"integers {seed}", _integers(program_generator.program(seed))
    for seed in RAISING_PROGRAMS:
        source = program_generator.program(seed, lists=False, raises=True, catches=False)
        yield f"raising {seed}", _integers(source)
    for seed in FLOAT_PROGRAMS:
        yield f"floats {seed}", _floats(seed)
    for seed in GRAPHS:
        yield f"random graph {seed}", lambda recorder, seed=seed: recorder.add(random_graph(seed))


def _benchmark(module, keywords: dict):
    def trace(recorder: Recorder) -> None:
        built = module.graph(ag, keywords)
        function = built[0] if isinstance(built, tuple) else built
        tensors = map(ag.constant, module.inputs(**keywords).values())
        _with_derivative(recorder, function.get_concrete_function(*tensors).frozen)

    return trace


def _training_step(recorder: Recorder) -> None:
    importlib.import_module("training").digits_step()()


def _chain(recorder: Recorder) -> None:
    module = importlib.import_module("arrays")
    for size in (100, module.SIZE):
        concrete = module.chain.get_concrete_function(ag.TensorSpec([size], ag.float32))
        _with_derivative(recorder, concrete.frozen)


def _integers(source: str):
    def trace(recorder: Recorder) -> None:
        features = ag.autograph.experimental.Feature.ALL
        function = ag.function(load(source), experimental_autograph_options=features)
        recorder.codes.append(ag.autograph.to_code(function))
        function.get_concrete_function(*[ag.TensorSpec([], ag.int32)] * 3)

    return trace


def _floats(seed: int):
    def trace(recorder: Recorder) -> None:
        case = Case(gradient_programs.program(seed), random.Random(seed))
        function = case.staged(case.load(ag.function), native=False)
        concrete = function.get_concrete_function(*case.tensors, ag.TensorSpec([], ag.int32))
        _with_derivative(recorder, concrete.frozen, order=2 if seed % 10 == 0 else 1)

    return trace


def _with_derivative(recorder: Recorder, graph, order: int = 1) -> None:
    """The graph, the two graphs of its derivative, and those of their derivatives."""
    recorder.add(graph)
    if not order:
        return
    finished = derivative_of(graph).finish()
    _with_derivative(recorder, finished.forward, order - 1)
    _with_derivative(recorder, finished.backward, order - 1)
