"""Arrays that grow by rows among arrays of computed sizes: they have memory of their own, and stay
as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.dtypes import bool_, int64
from ...core.shapes import is_static
from ...ir.extents import Extent
from ...ir.graph import Node, Value
from ...ir.indexing import WHOLE, IndexMap, expanded, whole
from ...ir.op import TABLE
from ..not_native import NotNativeError
from .slice_bounds import HUGE

if TYPE_CHECKING:
    from .computed_sizes import _Rewriter

MOST_ROWS = 2**22  # of an array of which a whole part is read


def is_growing(value) -> bool:
    """Whether what takes the place of a value has a size without a limit."""
    return isinstance(value, Value) and not is_static(value.shape)


def is_kept(rewriter: _Rewriter, node: Node) -> bool:
    """Whether a node is added as it is: it extends, reads or sets rows of an array that grows,
    or calls a function that may.
    """
    if node.subgraphs:
        return False
    grows = any(is_growing(rewriter.values[operand]) for operand in node.inputs[:1])
    if node.op is not TABLE["ensure_length"] and not grows and not node.op.callee_attribute:
        return False
    if node.op is TABLE["memory_of"]:  # all rows have been computed
        rewriter.values[node.output] = rewriter.values[node.inputs[0]]
        return True
    if not (node.op.callee_attribute or _has_form(node)):
        return False
    rewriter.keep(node)
    return True


def _has_form(node: Node) -> bool:
    if node.op in (TABLE["ensure_length"], TABLE["shape"]):
        return True
    if node.op not in (TABLE["set_item"], TABLE["strided_slice"]):
        return False
    first, *rest = expanded(node.attrs["index"], len(node.inputs[0].shape or ()))
    if None in (first, *rest):
        return False
    if type(first) is not tuple:
        is_item = not any(type(row) is tuple for row in rest)
        return is_item or all(row == WHOLE for row in rest)
    start, _, step = first
    is_first_rows = start in (None, 0) and step in (None, 1)
    return is_first_rows and node.op is TABLE["strided_slice"]


def all_rows(rewriter: _Rewriter, value: Value, most: int = MOST_ROWS) -> IndexMap:
    """The view of all elements of an array, also of one whose rows have no limit: of that, Python
    runs a call with more rows than `most`.
    """
    view = whole(value)
    if is_static(value.shape):
        return view
    if not rewriter.may_limit and most < HUGE:
        raise NotNativeError("a size that is not known before it runs", rewriter.where)
    sizes = rewriter.added("shape", value, dtype=int64)
    length = rewriter.computed("strided_slice", sizes, index=(0,))
    if most < HUGE:
        rewriter.require(rewriter.computed("less_equal", length, most, dtype=bool_))
    return view._replace(shape=(Extent(most, length), *view.shape[1:]))
