"""How kernels are built, and what is printed."""

from allograph.runtime.codegen.native.kernel_builder import Builder, ParallelRegion
from allograph.runtime.kernel_ir.kernels import KernelIR, statements_in
from allograph.runtime.kernel_ir.nodes import For, If, Let, Name, While, call, lines_of
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
    builder, total, x = Builder(), Name("total"), Name("x")
    builder.let(total, 0)
    with builder.loop("i", 8):
        with builder.when(x["i"] > "limit", "rarely"):
            builder.update(total, "+", x["i"])
        with builder.otherwise(), builder.while_loop(total < 3):
            builder.let(total, total + 1)
    builder.leave("return", (total,))
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
    builder.let("first", 0)
    position = builder.position()
    builder.let("last", "k")
    position.insert([Let(Name("k"), Name("n"))])
    assert text_of(builder) == "    first = 0\n    k = n\n    last = k\n"


def test_a_parallel_region_is_a_function_of_its_own():
    body = statements("y[first] = x[wrapped_index(first, 3)]")
    array = call("array_at", Name("table")[2], (3,), call("np.dtype", "x"))
    region = ParallelRegion(1, [Let(Name("x"), array)], [], body, 4, 2, 3)
    source = KernelIR((region.function(),)).source
    assert source.endswith("        y[first] = x[wrapped_index(first, 3)]\n")
    assert source.startswith("def region_1(address):\n")
    compile(source, "region", "exec")
