"""Nothing that a file says is executed: the calls that could are where only our own code goes."""

import ast
from pathlib import Path

import pytest
from source_tree import ROOMS, ROOT, modules, nodes_of

PACKAGE = modules(*ROOMS)
# What runs text or bytes as code, or makes objects of any class.
EXECUTES = {
    "eval", "exec", "compile", "__import__", "import_module", "importlib.import_module",
    "literal_eval", "ast.literal_eval", "types.FunctionType", "types.CodeType", "runpy.run_path",
    "np.load", "np.lib.format.read_array", "json.load", "json.loads",
}  # fmt: skip
MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "code"}
# The calls that there are: code that this package wrote, and files that belong to it.
KNOWN = {
    "autograph/conversion/compile.py": {"compile"},  # the user's code
    "autograph/conversion/converted_functions.py": {"types.FunctionType"},  # the same
    "autograph/conversion/entry_point.py": {"compile", "types.FunctionType"},  # calls of it
    "autograph/syntax/source_recovery.py": {"compile"},  # of sources, to compare the code
    "library/file_io/untrusted_files.py": {"json.loads"},
    "library/keras/ops/numpy_functions.py": {"ast.literal_eval"},  # defaults in its own tables
    "runtime/codegen/numpy/numpy_plan.py": {"exec", "compile"},  # NumPy programs
    "runtime/core/classes.py": {"exec"},  # constructors of records
    "runtime/core/places.py": {"import_module"},  # modules of this package
    "runtime/executors/kernel_calls.py": {"exec"},  # calls of kernels
    "backends/c/functions.py": {"exec", "compile"},  # the source of kernels
    "backends/numba/functions/called_by_address.py": {"exec"},  # calls of functions of C
    "backends/python/interpreted.py": {"exec", "compile"},  # the same
    "backends/numba/callables.py": {"exec", "compile"},  # the source of kernels
    "runtime/jit/loader/symbols.py": {"importlib.import_module"},  # SciPy
    "runtime/kernels/random/ziggurat_tables.py": {"np.load"},  # the table beside it
    "library/math/scipy_modules.py": {"importlib.import_module"},  # SciPy
    "runtime/gpu/emulator.py": {"exec", "compile"},  # kernels of grids as generators
    "tools/hot_loops.py": {"compile", "types.FunctionType"},  # loops of the program that runs
    "tools/own_modules.py": {"exec", "compile"},  # `allograph run SCRIPT`, and its modules
    "tools/stubs.py": {"importlib.import_module"},  # modules of this package
    "tools/commands.py": {"runpy.run_path"},  # `allograph profile SCRIPT`
    "tools/targets.py": {"ast.literal_eval", "importlib.import_module"},  # of the command line
    "tracing/functions/fast_dispatch.py": {"exec", "compile"},  # dispatchers
    "tracing/functions/guards.py": {"exec", "compile"},  # comparisons of locations
    # functions with the parameters of others
    "tracing/functions/fronts.py": {"exec", "compile", "types.FunctionType"},
    "tracing/numpy_mode/compiled_calls.py": {"exec", "eval"},  # calls of native code
    "tracing/staged_values/outer_values.py": {"types.FunctionType"},  # converted functions
}

# Modules with pickles and the like, none of which comes from a file of others.
PICKLES = {
    "autograph/conversion/converted_functions.py",  # of files that this user's programs wrote
    "autograph/operators/opaque_content.py",  # of objects of this process
    "library/distribute/worker_tasks.py",  # between the processes of one Dask cluster
}


def called(path: Path) -> set[str]:
    """The calls in a file that could execute something, as they are written."""
    calls = (node.func for node in nodes_of(path) if isinstance(node, ast.Call))
    names = {ast.unparse(call) for call in calls if isinstance(call, (ast.Name, ast.Attribute))}
    return names & EXECUTES


def imported(path: Path) -> set[str]:
    found = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
    return found


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.slow
def test_what_executes_text_is_where_it_is_known_to_be():
    found = {short(path): called(path) for path in PACKAGE}
    assert {path: names for path, names in found.items() if names} == KNOWN


def test_no_module_reads_pickles():
    assert {short(path) for path in PACKAGE if imported(path) & MODULES} <= PICKLES


@pytest.mark.parametrize(
    "word", ["allow_pickle=True", "read_array(", "namedtuple(", "make_dataclass("]
)
def test_readers_do_without(word):
    """What the standard library and NumPy do by executing or by unpickling."""
    rooms = ("library/saved", "library/file_io", "library/data", "runtime/ir")
    paths = [path for path in PACKAGE if short(path).startswith(rooms)]
    assert [short(path) for path in paths if word in path.read_text(encoding="utf-8")] == []
