"""Writers of kernels build trees. What is still written as source is read where it is declared."""

import ast

from source_tree import modules, nodes_of

# Who reads source, and what of it: the forms of operations for one element, which they declare;
# kernel functions, which are Python; and one algorithm, elimination, that reads best as Python.
FORMS, FUNCTIONS, ALGORITHM = {"form", "filled"}, {"function_of", "kernel_ir"}, {"statements"}
READERS = {
    "backends/c/entry.py": FUNCTIONS,
    "backends/numba/kernel_syntax.py": {"expression_of", "statement_of"},
    "backends/numba/operators.py": {"OPERATORS"},
    "backends/python/interpreted.py": FUNCTIONS,
    "library/linalg/emit_decompositions.py": ALGORITHM,
    "library/math/emit_segments.py": FORMS,
    "runtime/codegen/native/elements.py": FORMS,
    "runtime/codegen/native/library_calls.py": FORMS,
    "runtime/codegen/native/parallel_iterations.py": FORMS,
    "runtime/codegen/numpy/scalar_operators.py": FORMS,
    "runtime/jit/translate.py": FUNCTIONS,
    "runtime/lowering/cost_model.py": FORMS,
}
READ = (
    {"expression", "expression_of", "statements", "statement_of", "OPERATORS"} | FORMS | FUNCTIONS
)


def read_in(path):
    """The functions of the reader of kernel source that a file imports."""
    names = set()
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(
            ("kernel_ir.reader", "extend.kernels")
        ):
            names |= {alias.name for alias in node.names} & READ
    return names


def test_kernel_source_is_read_where_it_is_declared_and_nowhere_else():
    files = modules("runtime", "library", "backends", "tracing", "autograph")
    for path in files:
        name = str(path)
        allowed = next((names for file, names in READERS.items() if name.endswith(file)), set())
        assert read_in(path) <= allowed, name


def test_no_regular_expression_looks_at_kernel_source():
    folders = ("runtime/lowering", "runtime/codegen", "runtime/executors", "runtime/kernel_ir")
    for path in modules(*folders):
        names = [alias.name for node in nodes_of(path) if isinstance(node, ast.Import)
                 for alias in node.names]  # fmt: skip
        assert "re" not in names, path
