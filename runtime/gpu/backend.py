"""A device as a backend of kernels: functions that have it run there."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..core.debug_output import log
from ..core.errors import InvalidArgumentError, ResourceExhaustedError
from ..core.shapes import is_static
from ..executors.compile_pipeline import NativeForm, native_forms, sized_program
from ..ir.graph import dims
from ..ir.node_properties import is_static_graph
from ..ir.op import TABLE
from ..jit.backends import Backend
from ..lowering.not_native import NotNativeError
from ..tensors.tensor import EagerTensor
from .arrays_in_place import called_in_place, holds_device_array
from .complex_views import with_real_views
from .device_arrays import DeviceTensor
from .device_forms import with_device_forms
from .device_program import DeviceProgram
from .device_shapes import DeviceShapes
from .devices.device import Device
from .devices.device_list import device_named, listed
from .grid.grid_parts import large_products, program_in_parts
from .grid.grid_program import DEVICE
from .grid.host_steps import with_host_steps
from .grid.libraries import libraries_of
from .grid_kernel import GridKernel, HostStep, flat_steps
from .guessed_stacks import GuessedStacks
from .host import Host
from .narrow_floats import has_narrow_floats, on_bits
from .placement import SOFT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..core.source_locations import SourceLocation
    from ..executors.executable import Executable
    from ..ir.graph import Graph, Node
    from ..lowering.program import Program

    AnyProgram = DeviceProgram | GuessedStacks


PROGRAMS: WeakKeyDictionary[Executable, AnyProgram | DeviceShapes] = WeakKeyDictionary()
BY_CPU = "by the CPU, between kernels, of copies"
OF_STATES = {"a call of random.state", "a call of random.set_state"}
WHY_NOT: WeakKeyDictionary[Executable, str] = WeakKeyDictionary()  # runs on its device


class DeviceBackend(Backend):
    """What runs the functions that have a device."""

    has_vectors = False
    has_devices = has_locations = True

    def __init__(self, device: Device):
        self.device = device
        self.name = device.name
        self.description = f"run on {device.name}, {device.description}"

    def missing(self) -> None:
        return None

    def placed(self, executable: Executable) -> Callable | None:
        """What runs a graph on tensors, whose results stay on the device. None where it has no form
        for it: then the CPU runs it, or InvalidArgumentError says why it has none.
        """
        if executable.mode == "plan":
            return None
        try:
            program = self._program(executable)
        except NotNativeError as error:
            self._refuse(executable, error)
            return None
        shapes = program if isinstance(program, DeviceShapes) else None
        native = None if isinstance(program, DeviceShapes) else program.native()
        executable.take_over(program, native, shapes)
        PROGRAMS[executable] = program

        def on_tensors(tensors: list) -> list:
            try:
                return program.on_tensors(tensors)
            except (MemoryError, ResourceExhaustedError) as error:
                raise _at_largest(error, executable.graph) from None
            except Exception as error:
                results = executable.recover(error, (tensor.array for tensor in tensors))
                return list(map(EagerTensor, results))

        on_tensors.tensors = DeviceTensor  # type: ignore[attr-defined]
        return on_tensors

    def called(self, function: Any, args: tuple, missed: object) -> Any:
        """The result of a `jit` function with arguments on the device; `missed` for others."""
        if not any(map(holds_device_array, args)):
            return missed
        return called_in_place(self, function, args, missed)

    def program_of(self, executable: Executable) -> AnyProgram | DeviceShapes | None:
        """What runs an executable on the device; None where the CPU runs it."""
        return PROGRAMS.get(executable)

    def _program(self, executable: Executable) -> AnyProgram | DeviceShapes:
        graph = executable.graph
        try:
            return self.of_graph(graph, executable.program)
        except NotNativeError:
            if is_static_graph(graph):
                raise
        return DeviceShapes(graph, self.of_graph)

    def of_graph(self, graph: Graph, program: Program | None = None) -> AnyProgram:
        """The program of an optimized graph. Raises NotNativeError where there is none."""
        make: Callable[[Any], DeviceProgram] = self.program
        original, graph = graph, with_device_forms(graph)
        program = program if graph is original else None
        is_narrow = has_narrow_floats(graph)
        if is_narrow:
            bits = on_bits(graph)
            graph, program = bits.graph, None

            def make(forms):
                return self.program(bits.restored(forms))

        try:
            return self._with_stacks(graph, program, make)
        except NotNativeError:
            if is_narrow:  # the host would compute in float32
                raise
            calling = with_host_steps(graph)
            if calling is graph:
                raise
            with suppress(NotNativeError):
                own = self._with_stacks(calling, None, make)
                steps = _host_steps(own)
                if SOFT[0] or not any(BY_CPU in line for line in steps):
                    for line in steps:
                        log("fallback", "%s: %s", graph.name, line)
                    return own
            raise

    def _with_stacks(
        self, graph: Graph, program: Program | None, make: Callable[[Any], DeviceProgram]
    ) -> AnyProgram:
        """The program of a graph, with arrays for the stacks of its loops if it needs them."""
        try:
            return make(native_forms(graph, program, DEVICE))
        except NotNativeError:
            if not any(node.op is TABLE["stack_push"] for node in graph.walk()):
                raise
        return GuessedStacks(graph, make, self.device.properties().memory)

    def kernels_of(self, graph: Graph) -> tuple[Any, ...]:
        """The kernels of an optimized graph. Raises NotNativeError where there are none."""
        return self.of_graph(graph).native().kernels

    def explained(self, graph: Graph, arrays: list | None = None) -> tuple[str, ...]:
        """What explains a graph says of its kernels here, or of what has no form. With arrays for
        its inputs, launches are timed.
        """
        try:
            program = self.of_graph(graph)
        except NotNativeError as error:
            return (f"the CPU runs it, not {self.name}: {error}",)
        argument_bytes, results = (
            sum(value.size_in_bytes or 0 for value in values)
            for values in (graph.inputs, graph.outputs)
        )
        moved = f"{argument_bytes:,} bytes of arguments go there if they are elsewhere"
        kept = f"{results:,} bytes of results stay until somebody asks"
        head = f"runs on {self.name}, {self.device.description}: {moved}, {kept}"
        times = [] if arrays is None else _measured(program, arrays)
        return (
            head, *map(str, program.native().kernels), *self._products(graph),
            *_host_steps(program), *times,
        )  # fmt: skip

    def _products(self, graph: Graph) -> Iterator[str]:
        """What explains a graph says of its large products."""
        graph = with_device_forms(graph)
        graph = on_bits(graph).graph if has_narrow_floats(graph) else graph
        form = next(native_forms(graph, None, DEVICE))
        products = large_products(form.program)
        library = self.device.products_by() if products else ""
        for node in products:
            shapes = " and ".join(str(dims(value)) for value in node.inputs)
            where = f"by {library}, between kernels" if library else "a loop of the kernel"
            reason = "" if library else f": {self.device.without_library()}"
            yield f"product of {shapes}: {where}{reason}"

    def program(self, forms: Iterable[NativeForm]) -> DeviceProgram:
        """The program of the first form of a graph that has one for the device; else what the first
        one lacks is a NotNativeError.
        """
        lacks: NotNativeError | None = None
        for form in forms:
            try:
                sized = sized_program(form)
                _check_sizes(form.graph)
                prepared = form if sized is None else form._replace(program=sized)
                lowered = with_real_views(prepared).program
                has_library = bool(large_products(lowered) and self.device.products_by())
                program = program_in_parts(lowered, has_library)
                return DeviceProgram(self.device, form, program)
            except NotNativeError as error:
                lacks = lacks or error
        assert lacks is not None
        raise lacks

    def note_refused(self, name: str, reason: str, where: SourceLocation | None) -> None:
        """Log that the CPU runs a function; raise InvalidArgumentError where it may not."""
        head = f"{name} has no form for {self.name}: "
        if not SOFT[0]:
            raise InvalidArgumentError(
                head + reason.removeprefix(head),
                "With config.set_soft_device_placement(True), the CPU runs it.",
                where,
            ) from None
        log("fallback", "%s runs on the CPU, not on %s: %s", name, self.name, reason)

    def _refuse(self, executable: Executable, error: NotNativeError) -> None:
        self.note_refused(executable.source.name, str(error), error.where)
        executable.compiler = Host.name
        WHY_NOT[executable] = str(error)


def _at_largest(error: Exception, graph: Graph) -> Exception:
    """The error of missing memory, at the line of the largest result of a graph."""

    def size(node: Node) -> float:
        sizes = [value.size_in_bytes for value in node.outputs]
        return sum(math.inf if part is None else part for part in sizes)

    node = max((node for node in graph.walk() if node.where), key=size, default=None)
    if node is None or node.where is None:
        return error
    if isinstance(error, ResourceExhaustedError):
        return error.at(node.where)
    error.add_note(f"in user code:\n\n{node.where.excerpt()}")
    return error


def _check_sizes(graph: Graph) -> None:
    """Raise NotNativeError where the memory of a result is not known before the program runs."""
    for value in graph.outputs:
        if not is_static(value.shape):
            raise NotNativeError(f"the size of '{value.name}' is computed")


def _host_steps(program: AnyProgram) -> list[str]:
    """Lines about the steps of the host between the kernels of a program, for people. The states of
    generators only come and go.
    """
    if not isinstance(program, DeviceProgram):
        return []
    steps = [step for step in flat_steps(program.program.steps) if isinstance(step, HostStep)]
    steps = [step for step in steps if str(step) not in OF_STATES]
    libraries = libraries_of(program.device)
    names = [libraries.name_for(step) if libraries else "" for step in steps]
    return [
        f"{step}: by {name}, between kernels" if name else f"{step}: {BY_CPU}"
        for step, name in zip(steps, names, strict=True)
    ]


def _measured(program: AnyProgram, arrays: list) -> list[str]:
    """The times of the launches of a call; none of a program that may be run several times."""
    if not isinstance(program, DeviceProgram):
        return []
    try:
        times = program.measured(arrays)
    except ArithmeticError:
        return ["not timed: a kernel has failed"]
    lines = []
    for step, seconds in times.items():
        name = step.name if isinstance(step, GridKernel) else f"{step.word} {step}"
        total = sum(seconds)
        line = f"{name}: {total * 1e6:,.1f} us"
        line += f" in {len(seconds)} launches" if len(seconds) > 1 else ""
        if isinstance(step, GridKernel) and len(seconds) == 1:
            size = sum(buffer.bytes for buffer in step.parameters)
            rate, most = size / max(total, 1e-9), program.device.properties().bytes_per_second
            line += f", {rate / 1e9:,.1f} GB/s"
            line += f", {rate / most:.0%} of what the device can move" if most else ""
        lines.append(line)
    return lines


def of_number(number: str) -> DeviceBackend:
    """The backend of a device. Raises InvalidArgumentError where there is none such."""
    name = f"GPU:{number}"
    device = device_named(name)
    if device is None:
        raise InvalidArgumentError(f"there is no device {name!r}", listed())
    return DeviceBackend(device)
