"""The operators that converted code calls; it knows this package as `ag__`."""

from ..debuggers import before_breakpoint
from .calls import call_merging, callee, converted_call
from .checked_values import ldu, require_item
from .comprehensions import comprehension, generator, when
from .context_managers import Cleanup, FinallyThatMayJump, discarding, entered
from .control_flow import branch, for_stmt, if_chain, if_stmt, while_stmt
from .items import (
    get_item,
    present,
    put_attribute,
    put_item,
    set_item,
    slice_,
    unpack,
    unpack_each,
    update_item,
)
from .logical import (
    and_,
    assert_stmt,
    chosen,
    compare,
    equals_none,
    held,
    if_exp,
    in_,
    is_singleton,
    known,
    not_,
    or_,
    truth,
    unassigned,
)
from .noted_changes import NOTES, changed
from .raising import PASSING, handled, percent, raised
from .scopes import NO_RESULT, STANDARD, ConversionOptions, FunctionScope, with_function_scope
from .undefined import Undefined, UndefinedReturnValue, delete, ld

__all__ = [
    "NOTES",
    "NO_RESULT",
    "PASSING",
    "STANDARD",
    "Cleanup",
    "ConversionOptions",
    "FinallyThatMayJump",
    "FunctionScope",
    "Undefined",
    "UndefinedReturnValue",
    "and_",
    "assert_stmt",
    "before_breakpoint",
    "branch",
    "call_merging",
    "callee",
    "changed",
    "chosen",
    "compare",
    "comprehension",
    "converted_call",
    "delete",
    "discarding",
    "entered",
    "equals_none",
    "for_stmt",
    "generator",
    "get_item",
    "handled",
    "held",
    "if_chain",
    "if_exp",
    "if_stmt",
    "in_",
    "is_singleton",
    "known",
    "ld",
    "ldu",
    "not_",
    "or_",
    "percent",
    "present",
    "put_attribute",
    "put_item",
    "raised",
    "require_item",
    "set_item",
    "slice_",
    "truth",
    "unassigned",
    "unpack",
    "unpack_each",
    "update_item",
    "when",
    "while_stmt",
    "with_function_scope",
]
