"""A graph that runs: its NumPy program at once, native code when that is ready."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ...loading import without_collecting
from ..codegen.numpy.numpy_plan import Plan, node_at
from ..core.classes import NamedTuple, cached_property
from ..core.debug_output import log, show
from ..core.errors import Error, InvalidArgumentError, RecursionLimitError
from ..core.floating_point_state import call_in_errstate, enter_errstate, restore
from ..core.tracebacks import is_from_handler
from ..ir.callee import Callee
from ..ir.graph import Graph
from ..ir.node_properties import is_static_graph
from ..ir.rich_display import long_wait
from ..jit.backends import backend, compiler_of_function, compiling_with, warn_without_llvm
from ..lowering.fuse_loop_nests import lower
from ..lowering.not_native import NotNativeError
from ..lowering.program import Program
from ..passes.pipeline import OPTIMIZATIONS, optimize
from ..tensors.listeners import OBSERVERS, TAPES, notify, notify_run
from ..tensors.tensor import EagerTensor, Tensor, out_of_scope
from .kernel_calls import failed_in_kernel
from .tiering import EXPECTED, FUNCTIONS, HotCounter, compile_in_background, note_fault

if TYPE_CHECKING:
    from .compile_pipeline import NativeForm
    from .native_program import Kernel, NativeProgram
    from .shape_specialization import ShapeTable


# The passes that neither remove an operation nor change its line.
HARMLESS = ("inline_calls", "drop_dead_loop_state", "eliminate_dead_code")


def _look(node):
    """The function that a plan for observers calls after the line of a node."""

    def look(start, inputs, outputs):
        notify(node.op, node.where, start, inputs, outputs)

    return look


def _numpy_program(graph: Graph) -> Plan:
    from .on_stack_replacement import numpy_program  # which needs loops

    return numpy_program(graph)


Callee.emit = staticmethod(_numpy_program)


class Executable:
    """Runs a graph on NumPy arrays: `executable(*arrays)` gives a tuple of arrays.

    mode   "plan": NumPy only.
           "native": native code, compiled before the first result. InvalidArgumentError names what
           cannot be compiled.
           "hybrid": what can be compiled is compiled before the first result.
           "auto": the NumPy program, until it has cost enough and native code, compiled in the
           background, takes over. Where the NumPy program is slow, native code at once.

    `compiler` compiles its kernels; by default, that of the function around it, or else the one of
    `config.set_kernel_compiler`. Without one, a graph of any mode but "native" runs on NumPy only.
    """

    def __init__(self, graph: Graph, mode: str = "auto", compiler: str | None = None):
        self.compiler = compiler or compiler_of_function()
        with compiling_with(self.compiler):
            chosen = backend()
        self.mode = "plan" if chosen.refusal and mode != "native" else mode
        self.source = graph
        self.graph = optimize(graph)
        self.program: Program = lower(self.graph)
        show("program", graph.name, self.program)
        self.native: NativeProgram | None = None
        self.why_not_native: str | None = None
        self._native: Callable | None = None  # the function that takes over from the plan
        self.on_tensors: Callable | None = None  # the same from tensors to a tensor, if there is
        self._shapes: ShapeTable | None = None
        self._cost = HotCounter(self.mode == "auto")
        self.on_device = chosen.placed(self)
        if self.on_device is None and self.mode in ("native", "hybrid"):
            self.compile()

    @cached_property
    def plan(self) -> Plan:
        """The NumPy program."""
        return self._plan_of(self.program)

    def __call__(self, *arrays):
        if OBSERVERS:
            return self._observed(arrays)
        native = self._native
        if native is not None:
            try:
                return native(*arrays)
            except Exception as error:
                return self.recover(error, arrays)
        if self._cost.counting:
            return self._measured(arrays)
        return self.run_plan(*arrays)

    @property
    def is_one_kernel(self) -> bool:
        """Whether the native code is a kernel and nothing around it."""
        kernels = () if self.native is None else self.native.kernels
        return len(kernels) == 1 and self._native is kernels[0].function

    def native_results(self) -> Callable:
        """The native code of mode "native", as a function of arrays.

        Its results are arrays that nobody else holds, or donated inputs. It raises ArithmeticError
        where the plan has to decide; then nothing has changed.
        """
        if self.native is None:
            raise InvalidArgumentError(self.why_not_native or "native code for each size apart")
        if self.is_one_kernel:
            (kernel,) = self.native.kernels
            run = kernel.calls.alone(self.source.donated, kernel.fails_late)
            return self._or_without_guards(run) if self.native.has_guards else run
        native = self._native

        def copied(*arrays):
            assert native is not None
            results = native(*arrays)
            return [result.copy() if np.ndim(result) else result[()] for result in results]

        return copied

    def _or_without_guards(self, guarded: Callable) -> Callable:
        """A function that runs native code without guards from the first call on in which the code
        with guards fails.
        """
        run = guarded

        def call(*arrays):
            nonlocal run
            try:
                return run(*arrays)
            except ArithmeticError as error:
                if run is not guarded or is_from_handler(error):
                    raise
                source = self.source.replace(may_guard=False)
                run = Executable(source, self.mode, self.compiler).native_results()
                return run(*arrays)

        return call

    def run_plan(self, *arrays):
        """Run on NumPy, whatever native code there is."""
        token = enter_errstate()
        try:
            return self.plan.function(*arrays)
        except Exception as error:
            raise_at_line(error)
        finally:
            restore(token)

    def recover(self, error: Exception, arrays):
        """The results of the NumPy program after native code failed; any other error is raised.

        This is `with_fallback` without a function around native code, for the sake of call time.
        """
        if not failed_in_kernel(error):
            raise_at_line(error)
        return self.run_plan(*arrays)

    @cached_property
    def _observed_plan(self) -> Plan:
        """A NumPy plan of which the active observers see every operation."""
        from ..codegen.numpy.emit_numpy import emit_numpy

        skipped = tuple(row.name for row in OPTIMIZATIONS if row.name not in HARMLESS)
        return emit_numpy(lower(optimize(self.source, skipped)), look=_look)

    def _observed(self, arrays):
        notify_run(self.source)
        try:
            return call_in_errstate(self._observed_plan.function, *arrays)
        except Exception as error:
            raise_at_line(error)

    def _measured(self, arrays):
        """Run the plan and measure it, to tell when compiling pays."""
        if not self._cost.calls and self._is_slow_plan():
            self._cost.counting = False
            self.compile()
            return self(*arrays)
        return self._cost.run(self.run_plan, arrays, lambda: compile_in_background(self))

    def compile(self) -> None:
        """Compile what has a native form, and let it take over. In mode "native" all must have.

        Where that ends in a fault of the compiler, the NumPy program goes on.
        """
        with compiling_with(self.compiler), long_wait(f"compiling {self.source.name}"):
            try:
                without_collecting(self._compile) if self.mode == "native" else self._compile()
            except Exception as error:
                if isinstance(error, EXPECTED) or is_from_handler(error):
                    raise
                self.why_not_native = note_fault(error)

    def _compile(self) -> None:
        # These load the code generator and its passes: 25 ms.
        from .compile_pipeline import native_forms
        from .native_program import compile_program, compile_sized, refusal

        backend().prepare()
        for form in native_forms(self.graph, self.program):
            try:
                self.native, of_sizes = compile_sized(form), None
                break
            except (ImportError, NotNativeError) as error:
                self.why_not_native, of_sizes = str(error), error
        if self.native is not None:
            self._run_form(form)
            return
        if not is_static_graph(form.graph):
            self._specialize(form)
            if self._shapes is not None and self.mode == "native":
                return  # its calls say what cannot be compiled
        try:
            self.native = compile_program(form.program, whole=self.mode == "native")
        except (ImportError, NotNativeError) as error:
            self.why_not_native = self.why_not_native or str(error)
            log("fallback", "%s runs on NumPy: %s", self.source.name, self.why_not_native)
            if isinstance(error, ImportError):
                warn_without_llvm()
            if self.mode == "native":
                raise refusal(of_sizes or error) from None
            return
        self.why_not_native = None
        if self._shapes is None:
            self._run_form(form)

    def _specialize(self, form: NativeForm) -> None:
        """Run the native program for the shapes of a call from now on, if those decide others."""
        from .shape_specialization import Specializations

        shapes = Specializations(
            form, self._generic(form.program), self.mode == "native", self.compiler
        )
        if shapes.is_useful:
            self.take_over(form.bind_variables(shapes), None, shapes)

    def take_over(
        self, function: Callable, native: NativeProgram | None, shapes: ShapeTable | None = None
    ) -> None:
        """Run this function from now on: of a native program, or of one for each shape."""
        self._native, self.native, self._shapes = function, native, shapes

    def _run_form(self, form: NativeForm) -> None:
        """Run the native program of this form from now on."""
        assert self.native is not None
        self._native = form.bind_variables(self.native.function)
        if [self.native.function] == [kernel.function for kernel in self.native.kernels]:
            self.on_tensors = form.bind_cells(self.native.kernels[0].calls.on_tensors)

    def precompile(self) -> None:
        """Compile now what calls would have compiled in the background, once they were enough."""
        if self.mode == "auto" and self._native is None and self.why_not_native is None:
            self._cost.counting = False
            self.compile()

    def _is_slow_plan(self) -> bool:
        from ..lowering.row_blocking import plan_seconds

        return plan_seconds(self.program) > FUNCTIONS.slow_seconds

    def _plan_of(self, program: Program) -> Plan:
        from ..codegen.numpy.emit_numpy import emit_numpy  # which native code alone does without

        is_auto = self.mode == "auto"
        return emit_numpy(program, replaceable_loop=self._replaceable_loop if is_auto else None)

    def _replaceable_loop(self, node, outer):
        from .on_stack_replacement import replaceable_loop  # which needs loops

        return replaceable_loop(node, outer, self.compiler)

    def _generic(self, program: Program):
        """The function for shapes that have no native code of their own."""
        plan = self.plan if program is self.program else self._plan_of(program)

        def generic(*arrays):
            if self.native is not None:
                return self.native.function(*arrays)
            return call_in_errstate(plan.function, *arrays)

        return generic

    def kernels(self) -> list[Kernel]:
        """The native kernels in use: each has `.source`."""
        programs = [self.native, *(self._shapes.natives() if self._shapes else ())]
        return [kernel for native in programs if native is not None for kernel in native.kernels]


def raise_at_line(error: Exception) -> NoReturn:
    """Raise an error of a NumPy program at the user's line."""
    node = node_at(error.__traceback__)
    where = None if node is None else node.where
    if isinstance(error, Error):
        where = None if error.placed else where  # a graph inside, as that of a `map`, knows it
        raise error.at(where).with_traceback(None) from None
    if node is None:
        raise error
    if where is not None and (isinstance(error, MemoryError) or node.op.always_raises):
        error.add_note(f"in user code:\n\n{where.excerpt()}")
        raise error.with_traceback(None)
    if node.op.runs_python or is_from_handler(error):
        raise error
    if isinstance(error, RecursionError):
        raise RecursionLimitError(
            f"a function calls itself deeper than Python's recursion limit, "
            f"{sys.getrecursionlimit()}, allows",
            "Raise it with sys.setrecursionlimit, or write a loop.",
            where,
        ) from None
    raise InvalidArgumentError(f"{node.op.name}: {error}").at(where) from error


# ---- calls with eager tensors ------------------------------------------------------------------


class Execution(NamedTuple):
    """How a graph and its derivatives run: the mode, and what compiles kernels."""

    mode: str = "auto"
    compiler: str | None = None

    def run(self, graph: Graph, tensors: list) -> list[Tensor]:
        """Run a graph on eager tensors."""
        return run_graph(graph, tensors, executable_of(graph, self), self)

    def run_unrecorded(self, graph: Graph, tensors: list) -> list[Tensor]:
        """The same, although tapes record."""
        return _run(executable_of(graph, self), tensors)


def run_graph(graph: Graph, tensors: list, executable, execution: Execution) -> list[Tensor]:
    """Run a graph on eager tensors by its `executable`, and record it on the tapes."""
    if TAPES:
        from ..gradients.call_gradients import run_and_record  # it loads the gradients of graphs

        outputs = run_and_record(graph, tensors, execution)
        if outputs is not None:
            return outputs
    return _run(executable, tensors)


def _run(executable, tensors) -> list[Tensor]:
    if executable.on_device is not None and not OBSERVERS:
        return executable.on_device(tensors)
    arrays = []
    for tensor in tensors:
        if not isinstance(tensor, EagerTensor):
            raise out_of_scope(tensor)
        arrays.append(tensor.array)
    return [EagerTensor(array) for array in executable(*arrays)]


def executable_of(graph: Graph, execution: Execution):
    """The executable of a graph, created once. Without a native form it runs as a NumPy program."""
    executables = graph.facts.executables
    if execution not in executables:
        try:
            executables[execution] = Executable(graph, *execution)
        except InvalidArgumentError:
            executables[execution] = Executable(graph, "auto", execution.compiler)
    return executables[execution]
