"""The loop IR: how kernels are built, what is printed, and what is read from their statements."""

from allograph.runtime.codegen.native.kernel_scope import called_functions
from allograph.runtime.codegen.native.loop_ir import (
    Builder,
    For,
    If,
    ParallelRegion,
    Simple,
    While,
    may_fail,
    names_read,
    names_written,
    printed,
    walk,
)

KERNEL = [
    (1, "total = 0"),
    (1, "for i in range(8):"),
    (2, "if x[i] > limit:  # rarely"),
    (3, "total += x[i]"),
    (2, "else:"),
    (3, "while total < 3:"),
    (4, "total = total + 1"),
    (1, "return (total,)"),
]


def built(lines, depth=1):
    builder = Builder(depth)
    for line in lines:
        builder.line(*line)
    return builder


def text_of(builder, depth=1):
    return "".join(printed(builder.root, depth))


def test_what_is_built_prints_as_it_was_written():
    assert text_of(built(KERNEL)) == "".join(f"{'    ' * at}{line}\n" for at, line in KERNEL)


def test_statements_are_nested_as_their_depths_say():
    types = [type(statement) for statement in walk(built(KERNEL).root)]
    assert types == [Simple, For, If, Simple, While, Simple, Simple]


def test_spaces_before_a_line_are_a_further_depth():
    builder = built([(1, "for i in range(2):"), (1, "    y[i] = 0"), (1, "done = True")])
    assert [type(one) for one in builder.root] == [For, Simple]


def test_names_that_are_only_assigned_are_not_read():
    root = built(KERNEL).root
    assert names_read(root) == {"range", "x", "i", "limit", "total"}
    assert names_written(root) == {"i", "total"}


def test_an_element_that_is_stored_reads_its_array():
    root = built([(1, "y[i, 0] = 1")]).root
    assert names_read(root) == {"y", "i"} and not names_written(root)


def test_a_position_stays_where_it_was_while_more_is_written():
    builder = built([(1, "first = 0")])
    position = builder.position(1)
    builder.line(1, "last = k")
    position.insert([Simple("k = 1")])
    assert text_of(builder) == "    first = 0\n    k = 1\n    last = k\n"


def test_a_checked_index_may_fail_wherever_it_stands():
    assert may_fail(built([(1, "if checked_index(i, 3) > 0:"), (2, "pass")]).root)
    assert may_fail(built([(1, "for i in range(2):"), (2, "y = x[wrapped_index(i, 3)]")]).root)
    assert not may_fail(built([(1, "wrapped_index_of = x[i]")]).root)


def test_a_parallel_region_notes_failures_in_its_table():
    body = built([(2, "y[first] = x[wrapped_index(first, 3)]")], depth=2).root
    region = ParallelRegion(1, ["x = array_at(table[2], (3,), np.int64)"], [], body, 4, 2, 3)
    source = region.printed()
    assert "x[noted_wrapped_index(table, first, 3)]" in source
    assert source.startswith("def region_1(address):\n")
    compile(source, "region", "exec")


def test_functions_are_found_where_they_are_called_and_nowhere_else():
    source = "def kernel(x):\n    y = exp_f32(x.reshaped(3))\n    return larger + np.sum(y)\n"
    assert called_functions(source) == {"exp_f32"}
