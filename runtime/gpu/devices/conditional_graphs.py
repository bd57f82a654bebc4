"""Loops of launches that the card ends: conditional nodes of CUDA graphs, where the driver has them
and NVIDIA's `libcudadevrt.a` is installed.

The last kernel of an iteration tells the node by `cudaGraphSetConditional` whether there is another
one. That is no instruction but a function of this library, which the driver links to the kernel.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...core.debug_output import log
from ...core.errors import InternalError
from ..grid_kernel import SUCCESS
from .cuda_driver import call, driver

SINCE = 12040  # the version of drivers that have conditional nodes which loop
# The truth value of a test, two status words, and the word by which the host ends kernels.
PTX = f"""
.version 8.0
.target sm_75
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 node, .param .b32 value);
.visible .entry kernel(
    .param .u64 node, .param .u64 truth, .param .u64 status, .param .u64 before, .param .u64 word)
{{
    .reg .pred %goes_on, %holds;
    .reg .b64 %node, %truth, %status, %before, %word, %number;
    .reg .b32 %value;
    .reg .b16 %byte;
    ld.param.u64 %node, [node];
    ld.param.u64 %truth, [truth];
    ld.param.u64 %status, [status];
    ld.param.u64 %before, [before];
    ld.param.u64 %word, [word];
    cvta.to.global.u64 %truth, %truth;
    cvta.to.global.u64 %status, %status;
    cvta.to.global.u64 %before, %before;
    cvta.to.global.u64 %word, %word;
    ld.global.u8 %byte, [%truth];
    setp.ne.u16 %goes_on, %byte, 0;
    ld.global.u64 %number, [%status];
    setp.eq.u64 %holds, %number, {SUCCESS};
    and.pred %goes_on, %goes_on, %holds;
    ld.global.u64 %number, [%before];
    setp.eq.u64 %holds, %number, {SUCCESS};
    and.pred %goes_on, %goes_on, %holds;
    ld.volatile.global.u32 %value, [%word];
    setp.eq.u32 %holds, %value, 0;
    and.pred %goes_on, %goes_on, %holds;
    selp.u32 %value, 1, 0, %goes_on;
    {{
    .param .b64 first;
    .param .b32 second;
    st.param.b64 [first], %node;
    st.param.b32 [second], %value;
    call.uni cudaGraphSetConditional, (first, second);
    }}
    ret;
}}
"""


@functools.cache
def library() -> str | None:
    """The path of the library that has the function; None where it is not installed."""
    try:
        from cuda.pathfinder import find_static_lib
    except ImportError:  # of an old version
        return None
    try:
        return find_static_lib("cudadevrt")
    except RuntimeError:
        return None


def telling_kernel() -> Any:
    """The kernel that tells a node whether to go on; None where there can be none."""
    if call("cuDriverGetVersion") < SINCE or library() is None:
        return None
    try:
        return call("cuModuleGetFunction", _linked(), b"kernel")
    except InternalError as error:  # as where the library is newer than the driver
        log("fallback", "loops of launches ask the host: %s", error)
        return None


def _linked() -> Any:
    """A module of the kernel and the library."""
    api, path = driver(), library()
    assert path is not None
    state, data = call("cuLinkCreate", 0, [], []), PTX.encode() + b"\0"
    try:
        of_ptx, of_library = (
            getattr(api.CUjitInputType, f"CU_JIT_INPUT_{name}") for name in ("PTX", "LIBRARY")
        )
        call("cuLinkAddData", state, of_ptx, data, len(data), b"tell", 0, [], [])
        call("cuLinkAddFile", state, of_library, path.encode(), 0, [], [])
        image, size = call("cuLinkComplete", state)
        return call("cuModuleLoadData", ctypes.string_at(image, size))
    finally:
        call("cuLinkDestroy", state)


def loop_graph(
    context: Any, tell: Any, words: Sequence[int], capture: Callable[[Any, Callable], None]
) -> Any:
    """A graph that launches what `capture(graph, last)` puts into a graph, with `last(stream)` at
    its end, until a kernel says that it is enough. `words` are the addresses that this one reads.
    """
    api = driver()
    graph = call("cuGraphCreate", 0)
    node = call(
        "cuGraphConditionalHandleCreate", graph, context, 1, api.CU_GRAPH_COND_ASSIGN_DEFAULT
    )
    about = api.CUgraphNodeParams()
    about.type = api.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
    about.conditional.handle = node
    about.conditional.type = api.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_WHILE
    about.conditional.size = 1
    about.conditional.ctx = context
    name = "cuGraphAddNode_v2" if hasattr(api, "cuGraphAddNode_v2") else "cuGraphAddNode"
    call(name, graph, None, None, 0, about)
    values = (ctypes.c_uint64 * (1 + len(words)))(int(node), *words)
    size = ctypes.sizeof(ctypes.c_uint64)
    first = ctypes.addressof(values)
    addresses = (ctypes.c_uint64 * len(values))(*range(first, first + len(values) * size, size))

    def last(stream: Any) -> None:
        shape = 1, 1, 1, 1, 1, 1, 0
        call("cuLaunchKernel", tell, *shape, stream, ctypes.addressof(addresses), 0)

    capture(body_of(about), last)
    return graph


def body_of(about: Any) -> Any:
    """The graph of an iteration, which the driver has made."""
    return about.conditional.phGraph_out[0]
