"""Which loops over batches threads share, and in how many chunks (see `chunked_loop.py`)."""

from __future__ import annotations

from ...core import thresholds
from ...ir.graph import Graph, Node
from ...ir.op import TABLE
from ...ir.rewrite import rewrite, with_subgraphs
from ..cost_model import COPY_BYTES, Target, iteration_cost
from ..fuse_loop_nests import lower, part
from ..independent_iterations import parallel_iterations
from ..matmul_schedule import product_sizes
from ..program import Loop, Program, producers_of
from ..schedule import loop_schedule
from .batch_axes import BatchAxes, batch_axes
from .chunked_loop import ChunkedLoop, is_filled


def split_batches(graph: Graph, target: Target) -> Graph:
    """The graph with its loops over batches divided for threads, where that pays. Nodes that nobody
    reads any more stay.
    """
    if target.cores == 1 or not graph.has("while", "if", "call"):
        return graph

    def visit(node: Node) -> Node | list[Node]:
        divided = _split(node, graph, target) if "carried" in node.attrs else None
        if divided is not None:
            return divided
        return with_subgraphs(node, lambda inner: split_batches(inner, target))

    return rewrite(graph, visit)


def _split(loop: Node, graph: Graph, target: Target) -> list[Node] | None:
    """The nodes that take the place of a loop; None where threads cannot share its batch, or that
    does not pay.
    """
    batch = batch_axes(loop)
    if batch is None:
        return None
    program = lower(part((loop,), loop.outputs, graph.nodes))
    cost = iteration_cost(program)
    chunks = _number_of_chunks(loop, batch, cost)
    if chunks is None or _has_schedule(program, target):
        return None
    if _copying(loop, batch, graph) > thresholds.MOST_COPYING * cost:
        return None
    read = graph.values_read()
    others = set(range(loop.attrs["carried"])).difference(batch.states, batch.written)
    scalars = tuple(at for at in sorted(others) if loop.outputs[at] in read)
    nodes = ChunkedLoop(loop, batch, chunks, scalars, graph.producers()).nodes()
    return nodes if nodes is not None and _pays(nodes) else None


def _number_of_chunks(loop: Node, batch: BatchAxes, cost: float) -> int | None:
    """Into how many chunks of one size a batch is divided: as many as may be, of enough work."""
    if cost < thresholds.PARALLEL_FROM:
        return None
    least, enough = (1, 1)
    if loop.attrs["body"].has("matmul"):
        least, enough = thresholds.ROWS_OF_PRODUCTS, thresholds.ENOUGH_ROWS
    sizes = {
        count: batch.size // count
        for count in range(2, thresholds.MOST_BATCH_CHUNKS + 1)
        if batch.size % count == 0 and batch.size // count >= least
    }
    most = cost / thresholds.CHUNK_COST
    fitting = [count for count, size in sizes.items() if size >= enough and count <= most]
    return max(fitting, default=min(sizes, default=None))


def _copying(loop: Node, batch: BatchAxes, graph: Graph) -> float:
    """About how many nanoseconds it takes to copy arrays whose items are set, for the other axes,
    and back.
    """
    starts = [loop.inputs[at] for at in batch.written]
    copied = [value for value in starts if not is_filled(graph.producers().get(value))]
    return 2 * sum(value.size_in_bytes or 0 for value in copied) / COPY_BYTES


def _has_schedule(program: Program, target: Target) -> bool:
    """Whether threads share the loop of a program as it is, or the work of one iteration."""
    step, producers = _loop_of(program), producers_of(program)
    return loop_schedule(step, producers, target) is not None or any(
        product_sizes(node).cost >= thresholds.PARALLEL_FROM
        for node in step.node.attrs["body"].nodes
        if node.op is TABLE["matmul"]
    )


def _pays(nodes: list[Node]) -> bool:
    """Whether threads share the outer loop."""
    loop = next(node for node in nodes if "carried" in node.attrs)
    program = lower(part((loop,), loop.outputs, nodes))
    return parallel_iterations(_loop_of(program), producers_of(program)) is not None


def _loop_of(program: Program) -> Loop:
    return next(step for step in program.steps if isinstance(step, Loop))
