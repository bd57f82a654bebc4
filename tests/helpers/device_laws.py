"""Programs of native code are kernels of a grid too, which give what NumPy does."""

import contextlib
import functools
import os
import signal
from dataclasses import replace

import numpy as np

import allograph as ag
from allograph.runtime.codegen.numpy.emit_numpy import emit_numpy
from allograph.runtime.core.errors import InvalidArgumentError
from allograph.runtime.executors import native_program
from allograph.runtime.gpu import emulator
from allograph.runtime.gpu.devices.device_list import EMULATED, VARIABLE
from allograph.runtime.gpu.grid import (
    grid_nests,
    grid_parts,
    grid_products,
    grid_program,
    grid_rows,
    grid_scans,
    grid_sorting,
)
from allograph.runtime.gpu.grid_kernel import SUCCESS, GridKernel, flat_steps
from allograph.runtime.ir.constant_values import full_constant
from allograph.runtime.lowering.not_native import NotNativeError
from allograph.runtime.lowering.program import Branch, Loop

NO_MACHINE_CODE = "its kernels of a grid are asked for alone"
TRIALS = 3
SECONDS = 2  # of a program, which may run for ever with operands that it does not expect
# Thresholds of modules, at which arrays of a few elements go the ways of large ones.
SMALLEST = {
    grid_nests: {"MANY_RESULTS": 4, "FEW_ELEMENTS": 1, "OF_A_WARP": 3, "OF_A_CHUNK": 2},
    grid_program: {"ONE_BLOCK": 0},
    grid_rows: {"MANY_RESULTS": 4, "OF_A_WARP": 1, "MULTIPROCESSORS": 1},
    grid_products: {"TILE": 2, "ENOUGH_TILES": 0},
    grid_scans: {"SHORT": 2, "MOST_CHUNKS": 3},
    grid_sorting: {"LONGEST": 1, "RUN": 2},
}
ROUNDING = {"rtol": 1e-4, "atol": 1e-5, "equal_nan": True}


@contextlib.contextmanager
def emulated_device():
    """GPU:0 is there inside, emulated by the CPU, for functions that name it."""
    ag.config.get_kernel_compiler()  # which is chosen once
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = EMULATED
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


class TooSlowError(BaseException):
    """A program takes long: it perhaps never ends."""


def on_emulated_devices(law):
    """Each program that the law compiles is the same on an emulated device. It has no machine code
    then, which takes longer: the law without this one compiles it.
    """

    @functools.wraps(law)
    def checked(seed: int) -> None:
        random = np.random.default_rng(seed)
        original = native_program.compile_program

        def compile_program(program, whole=False):
            assert_same_on_a_grid(program, random)
            raise NotNativeError(NO_MACHINE_CODE)

        native_program.compile_program = compile_program
        try:
            law(seed)
        except InvalidArgumentError as error:
            if NO_MACHINE_CODE not in str(error):
                raise
        finally:
            native_program.compile_program = original

    return checked


def assert_same_on_a_grid(program, random) -> None:
    """A program fails on an emulated device where its NumPy plan does, or has the same results."""
    with _some_small_thresholds(random):
        try:
            grids = [grid_program.grid_program(program)] * 2
        except NotNativeError:
            return
        with contextlib.suppress(NotNativeError):  # values of computed sizes stay in one kernel
            grids[1] = in_random_parts(program, random)
    plan = emit_numpy(replace(program, donated=()))
    for trial in range(TRIALS):
        operands = [_operand(value, random, trial) for value in program.inputs]
        given = [one.copy() if one.ndim else one[()] for one in operands]
        with contextlib.suppress(TooSlowError):
            _compare(program, grids[trial % 2], plan, operands, given)


@contextlib.contextmanager
def _some_small_thresholds(random):
    """Some of the thresholds of kernels are small inside."""
    before = {module: dict(vars(module)) for module in SMALLEST}
    for module, values in SMALLEST.items():
        vars(module).update({name: values[name] for name in values if random.random() < 0.3})
    try:
        yield
    finally:
        for module, values in SMALLEST.items():
            vars(module).update({name: before[module][name] for name in values})


def in_random_parts(program, random):
    """The program as several kernels: as if some steps were products, and some loops had some."""
    choices: dict = {}

    def is_apart(step, has_library) -> bool:
        if step not in choices:
            is_outer = isinstance(step, (Loop, Branch))
            choices[step] = bool(random.random() < (0.5 if is_outer else 0.2))
        return choices[step] or original(step, has_library)

    original, grid_parts._is_apart = grid_parts._is_apart, is_apart
    try:
        return grid_parts.program_in_parts(program)
    finally:
        grid_parts._is_apart = original


def _source(grid) -> str:
    """The source of all kernels, with the buffers that they take, and the loops around them."""
    lines = []
    for step in flat_steps(grid.steps):
        if isinstance(step, GridKernel):
            lines.append(f"{step.name} of {step.arguments}:\n{step.code.source}")
        else:
            lines.append(f"{type(step).__name__} {getattr(step, 'flag', step)}")
    return "\n".join(lines)


def _compare(program, grid, plan, operands: list, given: list) -> None:
    expected = None
    with _at_most(SECONDS), np.errstate(all="ignore"), contextlib.suppress(Exception):
        expected = plan.function(*given)
    with _at_most(10 * SECONDS):
        outputs, status = emulator.run(grid, operands)

    def told() -> str:
        return f"{_source(grid)}\n{operands}\n{expected}\n{outputs}"

    if expected is None:
        assert status != SUCCESS, told()
    elif status == SUCCESS:  # native code may fail where its guards do, or its formulas
        for own, other in zip(outputs, expected, strict=True):
            assert (own.dtype, own.shape) == (np.asarray(other).dtype, np.shape(other)), told()
            same = np.allclose if own.dtype.kind == "f" else np.array_equal
            assert same(own, other, **ROUNDING if own.dtype.kind == "f" else {}), told()


def _operand(value, random, trial: int) -> np.ndarray:
    if (known := full_constant(value)) is not None:  # the program is for this value alone
        return known
    dtype, shape = value.dtype.numpy_dtype, value.shape
    if dtype.kind == "f":
        return np.asarray(random.standard_normal(shape).astype(dtype))
    least = -1 if trial % 2 and dtype.kind == "i" else 0
    return np.asarray(random.integers(least, 2 if dtype.kind == "b" else 5, shape).astype(dtype))


@contextlib.contextmanager
def _at_most(seconds: float):
    """Raise TooSlowError where what is inside takes the processor longer."""

    def stop(*_):
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
