"""The loop IR: how kernels are built, what is printed, and what is read from their statements."""

from textwrap import dedent

from allograph.runtime.codegen.native.kernel_scope import called_functions
from allograph.runtime.codegen.native.loop_ir import (
    Builder,
    For,
    If,
    ParallelRegion,
    Simple,
    While,
    names_read,
    names_written,
    printed,
    statements_of,
    walk,
)

KERNEL = """\
    total = 0
    for i in range(8):
        if x[i] > limit:  # rarely
            total += x[i]
        else:
            while total < 3:
                total = total + 1
    return (total,)
"""


def kernel():
    builder = Builder()
    builder.line(1, "total = 0")
    inside = builder.for_loop(1, "i", "range(8)")
    choice = builder.if_block(inside, "x[i] > limit", "rarely")
    builder.line(choice, "total += x[i]")
    repeated = builder.while_loop(builder.else_block(inside), "total < 3")
    builder.line(repeated, "total = total + 1")
    builder.line(1, "return (total,)")
    return builder


def text_of(builder, depth=1):
    return "".join(printed(builder.root, depth))


def test_what_is_built_prints_as_it_was_written():
    assert text_of(kernel()) == KERNEL


def test_statements_are_nested_as_their_depths_say():
    types = [type(statement) for statement in walk(kernel().root)]
    assert types == [Simple, For, If, Simple, While, Simple, Simple]


def test_source_becomes_the_statements_that_print_as_it():
    source = dedent(KERNEL).replace("return (total,)", "a, b = b, a").replace("  # rarely", "")
    assert "".join(printed(statements_of(source), 0)) == source


def test_names_that_are_only_assigned_are_not_read():
    root = kernel().root
    assert names_read(root) == {"range", "x", "i", "limit", "total"}
    assert names_written(root) == {"i", "total"}


def test_an_element_that_is_stored_reads_its_array():
    root = statements_of("y[i, 0] = 1")
    assert names_read(root) == {"y", "i"} and not names_written(root)


def test_a_position_stays_where_it_was_while_more_is_written():
    builder = Builder()
    builder.line(1, "first = 0")
    position = builder.position(1)
    builder.line(1, "last = k")
    position.insert([Simple("k = 1")])
    assert text_of(builder) == "    first = 0\n    k = 1\n    last = k\n"


def test_a_parallel_region_is_a_function_of_its_own():
    body = statements_of("y[first] = x[wrapped_index(first, 3)]")
    region = ParallelRegion(1, ["x = array_at(table[2], (3,), np.int64)"], [], body, 4, 2, 3)
    source = region.printed()
    assert source.endswith("        y[first] = x[wrapped_index(first, 3)]\n")
    assert source.startswith("def region_1(address):\n")
    compile(source, "region", "exec")


def test_functions_are_found_where_they_are_called_and_nowhere_else():
    source = "def kernel(x):\n    y = exp_f32(x.reshaped(3))\n    return larger + np.sum(y)\n"
    assert called_functions(source) == {"exp_f32"}
