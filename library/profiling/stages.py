"""The stages of a graph on its way to machine code, each with the nodes of its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...extend.graphs import (
    Graph,
    Invoke,
    Kernel,
    NativeForm,
    Nest,
    Node,
    Plan,
    Program,
    Step,
    backend,
    backend_of,
    code_and_origins,
    compile_program,
    emit_numpy,
    inner_programs,
    lower,
    native_form,
    nodes_of,
    optimization_steps,
    optimize,
    preparation_steps,
    program_of,
)
from ...extend.kernels import NotNativeError
from .explain import Explanation, explain
from .kernel_lines import nodes_by_line

_STEP = re.compile(r"\s*\d+ (?:nest|call|branch|loop|invoke) ")


class Listing(NamedTuple):
    """The lines of a source, and the nodes that each of them belongs to."""

    lines: list[str]
    nodes: list[tuple[Node, ...]]


class KernelListing(NamedTuple):
    """A kernel, its source, and the nodes of each line."""

    kernel: Kernel
    listing: Listing


class Stages(NamedTuple):
    """What a graph becomes: the graphs after each pass, and what is generated from the last.

    `why_no_kernels` is the reason where there are no kernels.
    """

    graphs: list[tuple[str, Graph]]
    explanation: Explanation
    program: Listing
    plan: Listing
    kernels: list[KernelListing]
    why_no_kernels: str | None


def stages_of(graph: Graph, arrays: list | None = None) -> Stages:
    """The stages of a graph as it was traced. With arrays for its inputs, steps are timed too."""
    graphs = [("as traced", graph), *optimization_steps(graph)]
    optimized = graphs[-1][1]
    form = native_form(optimized)
    graphs += preparation_steps(optimized)
    explanation = explain(optimized, arrays, form)
    plan = plan_listing(emit_numpy(lower(optimized)))
    chosen: Any = backend()
    kernels = kernels_on(chosen, optimized) if chosen.has_devices else kernels_of(form)
    return Stages(graphs, explanation, program_listing(form.program), plan, *kernels)


def simplified(graph: Graph) -> Graph:
    """The graph after all optimizations."""
    return optimize(graph)


def program_listing(program: Program) -> Listing:
    """The printed program. The lines between two steps belong to the first of them."""
    lines = str(program).splitlines()
    nodes: list[tuple[Node, ...]] = [() for _ in lines]
    heads = [index for index, line in enumerate(lines) if _STEP.match(line)]
    ends = [*heads[1:], len(lines)]
    for step, head, end in zip(_printed_steps(program), heads, ends, strict=True):
        left = list(nodes_of(step))
        for index in range(head, end):
            nodes[index] = nodes_of(step)
            is_own = isinstance(step, Nest) and left and f" = {left[0].op.name}(" in lines[index]
            if is_own and index > head:
                nodes[index] = (left.pop(0),)
    return Listing(lines, nodes)


def _printed_steps(program: Program) -> Iterator[Step]:
    """The steps in the order of their lines: those inside a step follow it."""
    for step in program.steps:
        yield step
        if not isinstance(step, Invoke):
            for inner in inner_programs(step):
                yield from _printed_steps(inner)


def plan_listing(plan: Plan) -> Listing:
    """The NumPy program."""
    lines = plan.source.splitlines()
    owners = (plan.lines.get(number) for number in range(1, len(lines) + 1))
    return Listing(lines, [() if node is None else (node,) for node in owners])


def kernels_of(form: NativeForm) -> tuple[list[KernelListing], str | None]:
    """The kernels of a program, and the reason if there are none."""
    program = form.program
    if reason := backend().missing():
        return [], reason
    try:
        kernels = compile_program(program).kernels
    except NotNativeError as error:
        return [], str(error)
    known = dict(_owners(program, {kernel.source for kernel in kernels}))
    return [KernelListing(one, _listing(one.source, known)) for one in kernels], None


def kernels_on(device: Any, graph: Graph) -> tuple[list[KernelListing], str | None]:
    """The same of a graph whose kernels are those of a device."""
    try:
        kernels = device.kernels_of(graph)
    except NotNativeError as error:
        return [], f"the CPU runs it, not {device.name}: {error}"
    listings = [
        Listing([words for words, _ in one.code.lines()], nodes_by_line(one.code, one.origins))
        for one in kernels
    ]
    return [KernelListing(*row) for row in zip(kernels, listings, strict=True)], None


def assembly_of(kernel: KernelListing) -> Listing:
    """The machine instructions of a kernel."""
    one, nodes = kernel.kernel, kernel.listing.nodes
    if not backend_of(one.compiler).has_locations:
        lines = one.assembly().splitlines()
        return Listing(lines, [() for _ in lines])
    from .instruction_lines import Locations, instructions, located_assembly  # loads LLVM

    if hasattr(one, "located"):
        rows = instructions(one.located(Locations(one.code)))
    else:
        rows = located_assembly(one.code, one.types, one.results)
    return _with_owners(rows, nodes)


def machine_code_of(kernel: KernelListing) -> Listing | None:
    """The instructions of a card for a kernel of a device, whose assembly is PTX; None where there
    is nothing that tells them.
    """
    if not hasattr(kernel.kernel, "machine_code"):
        return None
    from .instruction_lines import Locations, instructions  # loads LLVM

    code = kernel.kernel.machine_code(Locations(kernel.kernel.code))
    return _with_owners(instructions(code), kernel.listing.nodes) if code else None


def _with_owners(rows: list[tuple[str, int | None]], nodes: Sequence[tuple[Node, ...]]) -> Listing:
    """Instructions with the nodes of their lines."""
    owners = [() if number is None else nodes[number - 1] for _, number in rows]
    return Listing([words for words, _ in rows], owners)


def _listing(source: str, known: dict[str, list[tuple[Node, ...]]]) -> Listing:
    lines = source.splitlines()
    return Listing(lines, known.get(source) or [() for _ in lines])


def _owners(program: Program, wanted: set[str]) -> Iterator[tuple[str, list[tuple[Node, ...]]]]:
    """The nodes by line of each wanted source, which is that of the program or of steps inside."""
    try:
        code, origins = code_and_origins(program)
    except NotNativeError:
        pass
    else:
        if code.source in wanted:
            yield code.source, nodes_by_line(code, origins)
            return
    for step in program.steps:
        if len(program.steps) > 1:
            yield from _owners(program_of(step), wanted)
        for inner in inner_programs(step) if not isinstance(step, Invoke) else ():
            yield from _owners(inner, wanted)
