"""How kernels are built, and what is printed."""

from allograph.runtime.codegen.native.kernel_builder import Builder, ParallelRegion
from allograph.runtime.kernel_ir.nodes import For, If, KernelIR, Let, While, lines_of, statements_in
from allograph.runtime.kernel_ir.reader import statements

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
    builder.line("total = 0")
    with builder.loop("i", "range(8)"):
        with builder.when("x[i] > limit", "rarely"):
            builder.line("total += x[i]")
        with builder.otherwise(), builder.while_loop("total < 3"):
            builder.line("total = total + 1")
    builder.line("return (total,)")
    return builder


def text_of(builder):
    return "".join(f"{line}\n" for line, _ in lines_of(builder.statements(), 1))


def test_what_is_built_prints_as_it_was_written():
    assert text_of(kernel()) == KERNEL


def test_statements_are_nested_as_their_contexts_are():
    types = [type(statement) for statement in statements_in(kernel().statements())]
    assert types[:3] == [Let, For, If] and types[4:6] == [While, Let]


def test_a_position_stays_where_it_was_while_more_is_written():
    builder = Builder()
    builder.line("first = 0")
    position = builder.position()
    builder.line("last = k")
    position.insert(["k = 1"])
    assert text_of(builder) == "    first = 0\n    k = 1\n    last = k\n"


def test_lines_with_the_same_words_are_statements_of_their_own():
    builder = Builder()
    builder.line("total = 0")
    builder.line("total = 0")
    first, second = builder.statements()
    assert first is not second


def test_a_parallel_region_is_a_function_of_its_own():
    body = statements("y[first] = x[wrapped_index(first, 3)]")
    region = ParallelRegion(1, ["x = array_at(table[2], (3,), np.int64)"], [], body, 4, 2, 3)
    source = KernelIR((region.function(),)).source
    assert source.endswith("        y[first] = x[wrapped_index(first, 3)]\n")
    assert source.startswith("def region_1(address):\n")
    compile(source, "region", "exec")
