"""The operators that converted code calls; it knows this package as `ag__`."""

from ..debuggers import before_breakpoint
from ..forms import known
from .calls import call_merging, callee, converted_call
from .checked_values import item_read, ldu, require_item
from .comprehensions import (
    comprehension,
    display,
    each,
    fresh,
    gathered,
    generator,
    named_generator,
    starred,
    starred_arguments,
    when,
)
from .context_managers import Cleanup, FinallyThatMayJump, entered
from .control_flow import branch, for_stmt, if_chain, if_stmt, while_stmt
from .items import (
    attribute,
    attribute_of,
    get_item,
    present,
    put_attribute,
    put_item,
    rest,
    set_inner_item,
    set_item,
    slice_,
    unpack,
    unpack_each,
    update_inner_item,
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
    is_,
    not_,
    or_,
    subject,
    truth,
    unassigned,
)
from .noted_changes import NOTES, changed
from .raising import TraceSignal, as_traced, handled, percent, raised, shown, string
from .scopes import NO_RESULT, STANDARD, ConversionOptions, FunctionScope, with_function_scope
from .undefined import Undefined, UndefinedReturnValue, delete, ld
