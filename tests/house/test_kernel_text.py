"""Writers of kernels build trees. What they still write as text, which is read, only gets less."""

import ast

from source_tree import modules, nodes_of

# The methods of `runtime/codegen/native/kernel_builder.py` that take text.
TAKE_TEXT = {"line", "loop", "loops", "while_loop", "when", "fail_when", "over_threads"}
MOST_TEXTS = 311  # calls of them by what writes kernels


def is_of_a_writer(call):
    owner = call.func.value
    return "writer" in {getattr(owner, "id", ""), getattr(owner, "attr", "")}


def test_no_more_text_is_handed_to_writers_of_kernels():
    texts = 0
    for path in modules("runtime", "library"):
        for node in nodes_of(path):
            is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            texts += is_method and node.func.attr in TAKE_TEXT and is_of_a_writer(node)
    assert texts <= MOST_TEXTS
