"""What operations declare about themselves holds, and nobody else keeps lists of operations."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from op_samples import all_samples
from source_tree import ROOT, modules, nodes_of, tree_of

import allograph as ag
from allograph.runtime.core.dtypes import FROM_NUMPY
from allograph.runtime.ir.graph import Node, Value
from allograph.runtime.ir.indexing import Slot
from allograph.runtime.ir.op import TABLE, Op
from allograph.runtime.kernels.vector_math import FORMULAS
from allograph.runtime.lowering.cost_model import formula_length

MODULES = [
    path
    for path in modules("runtime", "tracing", "library", "tools")
    if path.relative_to(ROOT).parts[:2] != ("runtime", "ops")
]
SAMPLES = all_samples()
INTEGERS = ("int8", "uint8", "int32", "int64", "uint64")
EDGES = {"b": [False, True], "f": [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan]}


def edges(dtype):
    """The values of a type at which operations go wrong."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.array([limits.min, limits.max, 0, 1, 2, limits.max // 2], dtype)
    return np.array(EDGES[dtype.kind], dtype)


def declaring(field):
    return sorted(name for name, op in TABLE.items() if getattr(op, field))


# ---- lists elsewhere -----------------------------------------------------------------------------


def is_name_of_op(tree) -> bool:
    """Whether an expression is `node.op.name` or `op.name`."""
    return (
        isinstance(tree, ast.Attribute)
        and tree.attr == "name"
        and "op" in (getattr(tree.value, "attr", ""), getattr(tree.value, "id", ""))
    )


def strings_in(tree) -> list[str]:
    """The strings that a literal consists of; the keys of a dictionary."""
    if isinstance(tree, ast.Dict):
        return [text for key in tree.keys if key is not None for text in strings_in(key)]
    if isinstance(tree, ast.BinOp):
        return strings_in(tree.left) + strings_in(tree.right)
    if isinstance(tree, (ast.Tuple, ast.List, ast.Set)):
        return [text for item in tree.elts for text in strings_in(item)]
    return [tree.value] if isinstance(tree, ast.Constant) and isinstance(tree.value, str) else []


def tables_of(module) -> dict[str, list[str]]:
    """The module's own tables: name -> strings in it."""
    tables: dict[str, list[str]] = {}
    for statement in module.body:
        if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and statement.value:
            targets = getattr(statement, "targets", None) or [statement.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    tables.setdefault(target.id, []).extend(strings_in(statement.value))
    return tables


def names_meant(module, nodes):
    """The strings in a module that stand for operations, with their lines."""
    tables = tables_of(module)
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    has_ops = any(row.name == "ops" for node in imports for row in node.names)

    def of(tree):
        return tables.get(tree.id, []) if isinstance(tree, ast.Name) else strings_in(tree)

    for tree in nodes:
        found: list[str] = []
        if isinstance(tree, ast.Compare):
            sides = [tree.left, *tree.comparators]
            if any(map(is_name_of_op, sides)):
                found = [text for side in sides if not is_name_of_op(side) for text in of(side)]
        elif isinstance(tree, ast.Subscript):
            if isinstance(tree.value, ast.Name) and tree.value.id == "TABLE":
                found = strings_in(tree.slice)
            elif is_name_of_op(tree.slice):
                found = of(tree.value)
        elif isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
            if tree.func.attr == "get" and tree.args and is_name_of_op(tree.args[0]):
                found = of(tree.func.value)
            elif tree.func.attr == "has":
                found = [text for one in tree.args for text in strings_in(one)]
        elif isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            if tree.func.id == "op" and tree.args:  # a pattern
                found = strings_in(tree.args[0])
            elif tree.func.id == "rewrite_ops":
                found = of(tree.args[1])
        elif isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name):
            if tree.value.id in ("ops", "late") and tree.attr.islower():
                found = [tree.attr] if has_ops else []
        yield from ((tree.lineno, text) for text in found)


def test_a_table_with_a_name_that_is_no_operation_is_noticed():
    module = ast.parse('FAILING = {"floor_divide", "truncate_div"}\nx = op.name in FAILING')
    assert [text for _, text in names_meant(module, [*ast.walk(module)])] == [
        "floor_divide",
        "truncate_div",
    ]


@pytest.mark.slow
def test_strings_that_name_operations_are_names_of_operations():
    found = [
        (f"{path.relative_to(ROOT)}:{line}", text)
        for path in MODULES
        for line, text in names_meant(tree_of(path), nodes_of(path))
    ]
    assert len(found) > 100
    assert [row for row in found if row[1] not in TABLE] == []


def test_few_places_ask_for_the_name_of_an_operation():
    asking = re.compile(r"\bop\.name\s*(?:==|!=|in\b|not in\b)")
    places = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in MODULES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if asking.search(line)
    ]
    assert len(places) <= 25, places


def test_every_formula_is_one_for_the_cost_model():
    calls = re.compile(rf"\b({'|'.join({*FORMULAS} - {'magnitude'})})\(")
    computed = [op for op in TABLE.values() if type(op.scalar) is str and calls.search(op.scalar)]
    assert len(computed) > 20
    nodes = [SimpleNamespace(op=op) for op in computed]
    assert [node.op.name for node in nodes if not formula_length(node)] == []


def test_a_field_that_operations_do_not_have_is_an_error():
    body = {"kernel": np.tanh, "inputs": ("x",), "result": lambda x: x, "may_rise": True}
    with pytest.raises(TypeError, match="'tanher' declares may_rise: no such field"):
        Op("tanher", body)


def test_an_operation_without_a_kernel_has_the_name_of_a_numpy_function():
    for name in ("tanher", "pi"):
        with pytest.raises(TypeError, match=f"'{name}' has no kernel, and NumPy has none"):
            Op(name, {"inputs": ("x",), "result": lambda x: x})


def test_the_documentation_of_operations_describes_every_field():
    text = Path(__import__(Op.__module__, fromlist=["Op"]).__file__).read_text(encoding="utf-8")
    described = set(re.findall(r"^(\w+)  ?", ast.get_docstring(ast.parse(text)), re.MULTILINE))
    assert Op.fields <= described


# ---- comparisons and reductions ------------------------------------------------------------------


@pytest.mark.parametrize("name", declaring("negation"))
def test_a_negated_comparison_holds_where_the_other_does_not(name):
    for dtype in INTEGERS:
        x, y = np.meshgrid(edges(dtype), edges(dtype))
        negated = TABLE[TABLE[name].negation]
        assert np.array_equal(~TABLE[name].kernel(x, y), negated.kernel(x, y))


@pytest.mark.parametrize("name", declaring("swapped"))
def test_a_swapped_comparison_means_the_same_with_its_operands_swapped(name):
    for dtype in (*INTEGERS, "float32", "float64"):
        x, y = np.meshgrid(edges(dtype), edges(dtype))
        swapped = TABLE[TABLE[name].swapped]
        assert np.array_equal(TABLE[name].kernel(x, y), swapped.kernel(y, x))


def dtypes_of_reductions(op):
    accepted = {dtype.name for dtype in op.accepts[0]}
    return [dtype for dtype in (*INTEGERS, "bool") if dtype in accepted]


@pytest.mark.parametrize("name", [n for n in TABLE if TABLE[n].identity is not None])
def test_the_identity_element_changes_nothing(name):
    op = TABLE[name]
    for dtype in dtypes_of_reductions(op):
        x = edges(dtype)
        identity = np.asarray(op.identity, dtype)
        assert np.array_equal(op.kernel(identity, x), x)
        assert np.array_equal(op.kernel(x, identity), x)


@pytest.mark.parametrize("name", declaring("combine"))
def test_partial_results_are_combined_to_the_result_of_all(name):
    op = TABLE[name]
    combine = TABLE[op.combine]
    for dtype in dtypes_of_reductions(op):
        first, *some, last = np.random.default_rng(0).choice(edges(dtype), (20, 8))
        whole = first
        for x in (*some, last):
            whole = op.kernel(whole, x)
        # Another thread starts with the identity element, or with what was there before.
        one, other = first, first
        if combine.identity is not None:
            other = np.full_like(first, combine.identity)
        for x in some:
            one = op.kernel(one, x)
        other = op.kernel(other, last)
        assert np.array_equal(combine.kernel(one, other), whole)


# ---- kernels -------------------------------------------------------------------------------------


def results_of(sample):
    with np.errstate(all="ignore"):
        made = sample.op.kernel(*sample.arrays, **sample.attrs)
    return [np.asarray(one) for one in (made if type(made) is tuple else (made,))]


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() & set(declaring("moves_only"))))
def test_data_movement_computes_nothing(name):
    for sample in SAMPLES[name]:
        held = [np.asarray(array).reshape(-1) for array in sample.arrays]
        for made in results_of(sample):
            same = [array for array in held if array.dtype == made.dtype]
            if made.dtype.kind not in "fc" or not same:
                continue
            allowed = np.concatenate([*same, np.array([0, 1], made.dtype)])
            fill = [one for one in sample.attrs.values() if isinstance(one, (int, float))]
            allowed = np.append(allowed, np.array(fill, made.dtype))
            assert np.all(np.isin(made, allowed) | np.isnan(made))


@pytest.mark.parametrize("name", declaring("only_reshapes"))
def test_reshaping_keeps_the_order_of_elements(name):
    for sample in SAMPLES[name]:
        (made,) = results_of(sample)
        has_nan = made.dtype.kind in "fc"
        assert np.array_equal(made.reshape(-1), sample.arrays[0].reshape(-1), equal_nan=has_nan)


@pytest.mark.parametrize("name", declaring("in_place"))
def test_a_kernel_in_place_gives_what_the_kernel_gives(name):
    for sample in SAMPLES[name]:
        first, *rest = sample.arrays
        before, target = np.array(first), np.array(first)
        made = sample.op.in_place(target, *rest, **sample.attrs)
        assert made is target
        assert np.array_equal(made, sample.op.kernel(first, *rest, **sample.attrs))
        assert np.array_equal(first, before)  # the kernel itself leaves its operand alone


@pytest.mark.parametrize("name", declaring("float_ufunc"))
def test_the_ufunc_for_floats_is_the_kernel_of_floats(name):
    op = TABLE[name]
    for dtype in ("float32", "float64"):
        operands = np.meshgrid(*[edges(dtype)] * len(op.inputs))
        with np.errstate(all="ignore"):
            made, expected = op.float_ufunc(*operands), op.kernel(*operands)
        assert made.dtype == expected.dtype
        assert np.array_equal(made, expected, equal_nan=True)


ELEMENTWISE = sorted(
    name for name, op in TABLE.items() if op.scalar and not op.attrs and not op.may_return_operand
)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_a_result_is_no_operand_unless_that_is_declared(name):
    for sample in SAMPLES[name]:
        for made in results_of(sample):
            assert not any(np.shares_memory(made, array) for array in sample.arrays)


# ---- what may raise ------------------------------------------------------------------------------


def node_of(op, arrays, constants=()):
    """A node on operands of these types; those of the positions `constants` are known."""
    values = [
        Value(FROM_NUMPY[array.dtype], array.shape, "x", array if index in constants else None)
        for index, array in enumerate(arrays)
    ]
    spec = op.result(*values)
    return Node(op, tuple(values), {}, (Value(spec.dtype, spec.shape),))


NEVER_RAISING = [name for name in ELEMENTWISE if TABLE[name].may_raise is not True]


@pytest.mark.parametrize("name", NEVER_RAISING)
def test_what_may_not_raise_does_not_raise_at_the_edges_of_a_type(name):
    op = TABLE[name]
    shared = set.intersection(*({dtype.name for dtype in one} for one in op.accepts))
    for dtype in shared & {*INTEGERS, "bool", "float32", "float64"}:
        arrays = [np.asarray(one) for one in np.meshgrid(*[edges(dtype)] * len(op.inputs))]
        if not node_of(op, arrays).may_raise:
            with np.errstate(all="ignore"):
                op.kernel(*arrays)


@pytest.mark.parametrize("name", ["floor_divide", "floor_mod"])
def test_an_integer_division_may_raise_unless_the_divisor_is_a_constant_other_than_0(name):
    x = np.array([7, -7], np.int32)
    op = TABLE[name]
    assert node_of(op, [x, x]).may_raise
    assert node_of(op, [x, np.int32([2, 0])], constants=(1,)).may_raise
    assert not node_of(op, [x, np.int32([2, -3])], constants=(1,)).may_raise
    assert not node_of(op, [x.astype(np.float32)] * 2).may_raise


def test_an_integer_power_may_raise_unless_the_exponent_is_a_constant_from_0_on():
    x = np.array([7, -7], np.int32)
    op = TABLE["pow"]
    assert node_of(op, [x, x]).may_raise
    assert node_of(op, [x, np.int32([2, -1])], constants=(1,)).may_raise
    assert not node_of(op, [x, np.int32([2, 0])], constants=(1,)).may_raise
    assert not node_of(op, [x.astype(np.uint8)] * 2).may_raise


def test_a_divisor_of_which_a_part_is_unknown_may_be_0():
    x = Value(FROM_NUMPY[np.dtype("int32")], (2,), "x")
    divisor = Value(x.dtype, (2,), "y", np.array([1, None], object))
    node = Node(TABLE["floor_divide"], (x, divisor), {}, (Value(x.dtype, (2,)),))
    assert node.may_raise


@pytest.mark.parametrize("divisor", [3, -3, 8])
def test_native_loops_divide_by_constants_on_several_threads(divisor):
    x = ag.constant(np.arange(-500_000, 500_000), ag.int64)

    @ag.function(jit_compile=True)
    def divided(x):
        return x // divisor + x % divisor + x**5

    (kernel,) = divided.get_concrete_function(x).kernels()
    assert "parallel_for" in kernel.source or "run_region(" in kernel.source
    array = x.numpy()
    expected = array // divisor + array % divisor + array**5
    assert np.array_equal(divided(x).numpy(), expected)


# ---- axes along which results follow index by index --------------------------------------------

WHOLE, SLOT = (None, None, None), Slot(0)
X = np.arange(120.0).reshape(4, 5, 6)
KEPT_AXES = {
    "matmul": [((X, X[0].T), {}), ((X[:, None], np.moveaxis(X, 1, 2)), {}), ((X[0], X[1].T), {})],
    "strided_slice": [
        ((X, 2), {"index": (SLOT, WHOLE, (0, 4, 2))}),
        ((X,), {"index": (Ellipsis, None, 1)}),
        ((X,), {"index": (None, WHOLE, (None, None, -1))}),
    ],
    "set_item": [
        ((X, X[0], 2), {"index": (SLOT, WHOLE)}),
        ((X, X[0, 0], 2), {"index": (WHOLE, SLOT)}),
        ((X, X[:, :1, :2], 1), {"index": (WHOLE, WHOLE, (SLOT, 3, 1))}),
        ((X, X[:, 0, :1]), {"index": (WHOLE, 0)}),
    ],
    "concat": [((X, X[:, :2]), {"axis": 1}), ((X[0], X[0, 1:]), {"axis": -2})],
    "transpose": [((X,), {"perm": None}), ((X,), {"perm": (1, 2, 0)})],
    "gather": [
        ((X, np.array([[2, 0], [1, 1]])), {"axis": 1, "batch_dims": 0}),
        ((X, np.array([1, 2])), {"axis": -1, "batch_dims": 0}),
        ((X[:2], np.array([[1], [2]])), {"axis": 1, "batch_dims": 1}),
    ],
    "picked_by_arrays": [
        ((X, np.array([3, 0, 3])), {"axes": (0,)}),
        ((X, np.array([3, 0]), np.array([[1], [2], [4]])), {"axes": (0, 2)}),
        ((X, np.array([3, 0]), np.array([[1], [2], [4]])), {"axes": (1, 2)}),
    ],
}


@pytest.mark.parametrize("name", declaring("kept_axes"))
def test_rows_along_kept_axes_are_those_of_the_result(name):
    for inputs, attrs in KEPT_AXES[name]:
        inputs = [np.asarray(one) for one in inputs]
        op, result = TABLE[name], TABLE[name].kernel(*inputs, **attrs)
        maps = op.kept_axes(result.shape, *(one.shape for one in inputs), **attrs)
        assert len(maps) == len(inputs)
        for along in {along for axes in maps for along in axes.values()}:
            rows = np.arange(result.shape[along])[::-2]
            some = [
                next((one.take(rows, at) for at, to in axes.items() if to == along), one)
                for one, axes in zip(inputs, maps, strict=True)
            ]
            np.testing.assert_array_equal(op.kernel(*some, **attrs), result.take(rows, along))


def test_some_axes_of_each_sample_are_kept():
    for name, samples in KEPT_AXES.items():
        for inputs, attrs in samples[:2]:
            shapes = [np.shape(one) for one in inputs]
            result = TABLE[name].kernel(*map(np.asarray, inputs), **attrs).shape
            assert any(TABLE[name].kept_axes(result, *shapes, **attrs))


def test_a_node_is_rewritten_as_a_copy():
    """`replace(node, ...)` keeps what is told of the node: its line, its name, its device."""
    rewritten = [
        f"{path.name}:{call.lineno}"
        for path in modules("runtime", "tracing", "library", "backends")
        for call in nodes_of(path)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Node"
        if {"where", "name"} <= {getattr(argument, "attr", "") for argument in call.args}
    ]
    assert rewritten == []
