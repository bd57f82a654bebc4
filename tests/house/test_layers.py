"""The walls between the rooms, read from the import statements, and what an import costs."""

import ast
import functools
import importlib.util
import os
import subprocess
import sys
import warnings
from typing import NamedTuple

import pytest
from source_tree import ROOMS, ROOT, modules, nodes_of, tree_of

from allograph.runtime.jit.cache.files import FOLDERS

FILES = modules(*ROOMS)
HEAVY = {
    "astunparse",
    "click",
    "cuda",
    "dask",
    "gast",
    "llvmlite",
    "matplotlib",
    "onnx",
    "rich",
    "scipy",
}
ALWAYS_LOADED = {  # what sets an attribute of a class of another room, before it is needed
    ("runtime/executors/executable.py", "Callee.emit"),  # whatever runs
    ("tracing/differentiation/gradient_tape.py", "Recorded.new_tape"),  # tapes
    ("tracing/numpy_mode/lists/added_lists.py", "DISPATCH.repeated"),  # NumPy mode
    ("tracing/numpy_mode/lists/row_lists.py", "RowType.new_rows"),  # NumPy mode
    ("library/extension_types/extension_type.py", "ExtensionSpec.value_type"),  # such a type
}
MOST_MODULES_OF_A_FOLDER = 20
MOST_MODULES_OF_A_DATASET = 189  # of this package, until the first dataset is made
MOST_MODULES_OF_A_LOOP = 290  # of this package: each takes 0.2 ms of its first result

CORE = {"runtime/core"}
KERNEL_IR = CORE | {"runtime/kernel_ir"}
IR = CORE | {"runtime/ir"}
TENSORS = IR | {"runtime/tensors"}
MATH_OPS = TENSORS | {"runtime/ops"}
ARRAY_OPS = MATH_OPS | {"runtime/ops/math"}
OPS = ARRAY_OPS | {"runtime/ops/array", "runtime/ops/state"}
STORAGE = CORE | {"runtime/storage"}
JIT = (
    KERNEL_IR | STORAGE | {f"runtime/jit{folder}" for folder in ("", "/cache", "/entry", "/loader")}
)
GENERATED = (
    IR | JIT | {"runtime/lowering", "runtime/parallel", "runtime/kernels", "runtime/kernels/random"}
)
CODEGEN = {"runtime/codegen/numpy", "runtime/codegen/native"}
RUNTIME = OPS | {
    "runtime/ops/linalg",
    "runtime/ops/control",
    "runtime/ops/strings",
}
RUNTIME |= {
    "runtime/jit",
    "runtime/numpy_protocol",
    "runtime/gradients",
    "runtime/executors",
}
STRUCTURES = RUNTIME | {"tracing/structures"}
STAGING = STRUCTURES | {"tracing/staged_values", "autograph", "autograph/operators"}
TRACING = STAGING | {"tracing/type_system", "tracing/control_flow", "tracing/stager"}
FUNCTIONS = TRACING | {"tracing/functions", "tracing/differentiation"}
# The library stands on the public names, which are at the root, and on the surface for extensions.
SURFACE = {"allograph", "extend"}
ELEMENTS = SURFACE | {"library/data/elements", "library/file_io"}
DATA = ELEMENTS | {"library/data/transformations"}
LAYERS = SURFACE | {"library", "library/nn", "library/keras"}
KERAS = LAYERS | {"library/keras/layers", "library/tensorboard"}

# What the files of a folder may import, beside one another. A folder that holds folders lists them
# where it is the face that gathers them.
MAY_IMPORT = {
    "runtime": set(),
    "runtime/core": set(),
    "runtime/storage": CORE,
    "runtime/kernel_ir": CORE,
    "runtime/ir": CORE,
    "runtime/tensors": IR,
    "runtime/ops": TENSORS | {f"runtime/ops/{family}" for family in (
        "math", "array", "linalg", "control", "state", "strings"
    )},
    "runtime/ops/math": MATH_OPS,
    "runtime/ops/array": ARRAY_OPS,
    "runtime/ops/state": ARRAY_OPS | {"runtime/ops/array"},
    "runtime/ops/linalg": OPS,
    "runtime/ops/control": OPS,
    "runtime/ops/strings": OPS,
    "runtime/numpy_protocol": OPS,
    "runtime/gradients": OPS,
    "runtime/passes": IR | {"runtime/passes/loops"},
    "runtime/passes/loops": IR | {"runtime/passes"},
    "runtime/lowering": IR | KERNEL_IR,
    "runtime/lowering/integer_ranges": IR | {"runtime/lowering"},
    "runtime/lowering/legalize": IR | {"runtime/lowering"},
    "runtime/lowering/batch_parallel": IR | {"runtime/lowering"},
    "runtime/codegen": set(),
    "runtime/codegen/numpy": IR | KERNEL_IR | {"runtime/lowering"},
    "runtime/codegen/native": GENERATED,
    "runtime/kernels": JIT | {"runtime/parallel", "runtime/kernels/vector_math"},
    "runtime/kernels/random": JIT | {"runtime/kernels"},
    "runtime/kernels/vector_math": JIT,
    "runtime/jit": JIT,
    "runtime/jit/cache": JIT,
    "runtime/jit/entry": JIT,
    "runtime/jit/loader": CORE,
    "runtime/parallel": JIT,
    "runtime/executors": GENERATED | CODEGEN | {
        "loading", "runtime/tensors", "runtime/gradients", "runtime/passes",
        "runtime/lowering/legalize", "runtime/lowering/batch_parallel",
        "runtime/lowering/integer_ranges", "runtime/passes/loops",
    },
    "runtime/gpu": GENERATED | CODEGEN | {
        "runtime/tensors", "runtime/executors", "runtime/kernels/vector_math", "runtime/passes",
        "runtime/ops/state", "runtime/gpu/devices", "runtime/gpu/grid",
    },
    "runtime/gpu/grid": GENERATED | CODEGEN | {"runtime/gpu"},
    "runtime/gpu/devices": CORE | {"runtime/gpu", "runtime/lowering", "runtime/parallel"},
    "autograph": CORE | {"autograph/operators", "autograph/conversion", "loading"},
    "autograph/syntax": CORE | {"autograph"},
    "autograph/analysis": {"autograph", "autograph/syntax"},
    "autograph/printing": {"autograph"},
    "autograph/converters": {"autograph", "autograph/syntax", "autograph/analysis"},
    "autograph/conversion": STORAGE | {
        "autograph", "autograph/syntax", "autograph/analysis", "autograph/converters",
        "autograph/printing",
    },
    "autograph/operators": {"autograph", "autograph/conversion"},
    "tracing": set(),
    "tracing/structures": RUNTIME,
    "tracing/type_system": STRUCTURES,
    "tracing/staged_values": STRUCTURES | {"autograph", "autograph/operators"},
    "tracing/control_flow": STAGING,
    "tracing/stager": STAGING | {"tracing/control_flow", "python_library"},
    "tracing/functions": TRACING,
    "tracing/differentiation": FUNCTIONS,
    "tracing/numpy_mode": FUNCTIONS | {
        "tracing/numpy_mode/calls", "tracing/numpy_mode/lists", "tracing/numpy_mode/statements",
        "python_library",
    },
    "tracing/numpy_mode/calls": FUNCTIONS | {
        "tracing/numpy_mode", "tracing/numpy_mode/statements", "python_library",
    },
    "tracing/numpy_mode/lists": FUNCTIONS | {
        "tracing/numpy_mode", "tracing/numpy_mode/statements", "tracing/numpy_mode/calls",
        "python_library",
    },
    "tracing/numpy_mode/statements": FUNCTIONS | {
        "tracing/numpy_mode", "tracing/numpy_mode/lists", "autograph/conversion",
    },
    "python_library": CORE | {"autograph", "runtime/kernels/random"},
    "backends": set(),
    "backends/jax": {"autograph", "autograph/operators", "runtime/core"},
    "backends/python": JIT,
    "backends/c": GENERATED | CODEGEN | {
        "autograph/operators", "runtime/executors", "tracing/numpy_mode",
        "tracing/numpy_mode/calls",
    },
    "backends/numba": JIT | {
        "backends/python", "backends/numba/functions", "runtime/ir", "runtime/lowering",
    },
    "backends/numba/functions": FUNCTIONS | {"tracing/numpy_mode"},
    "extend": {"loading"},
    "library": SURFACE | {"library/file_io", "library/keras/training", "library/ragged"},
    "library/compat": SURFACE | {"library", "library/keras/training"},
    "library/profiling": SURFACE,
    "library/numpy_functions": SURFACE,
    "library/nn": SURFACE | {"library/convolution", "library/sparse_tensors"},
    "library/strings": SURFACE | {"library/file_io"},
    "library/convolution": SURFACE,
    "library/extension_types": SURFACE,
    "library/linalg": SURFACE | {"library/numpy_functions"},
    "library/math": SURFACE,
    "library/random": SURFACE,
    "library/ragged": SURFACE | {"library/strings"},
    "library/recursion": SURFACE,
    "library/sparse_tensors": SURFACE | {"library/ragged"},
    "library/signal": SURFACE,
    "library/image": SURFACE | {"library/convolution", "library/file_io"},
    "library/linear_operators": SURFACE | {"library", "library/signal"},
    "library/example_parsing": DATA | {
        "library/data/datasets", "library/data/readers", "library/ragged", "library/sparse_tensors"
    },
    "library/onnx": SURFACE | {
        "library/file_io", "library/onnx/forms", "library/onnx/imported", "library/profiling",
    },
    "library/onnx/forms": SURFACE | {"library"},
    "library/onnx/imported": SURFACE | {"library", "library/convolution", "library/strings"},
    "library/distribute": DATA | {
        "library", "library/data/datasets", "library/saved"
    },
    "library/file_io": SURFACE,
    "library/tensorboard": SURFACE | {"library/file_io"},
    "library/data": {"library/data/elements", "library/data/datasets", "library/data/readers"},
    "library/data/elements": SURFACE | {"library/file_io"},
    "library/data/transformations": ELEMENTS | {"library"},
    "library/data/datasets": DATA | {"library/ragged"},
    "library/data/readers": DATA | {"library/data/datasets"},
    "library/explore": SURFACE | {"library", "library/profiling", "library/tensorboard"},
    "library/keras": SURFACE | {
        "library", "library/keras/layers", "library/keras/training", "library/keras/models",
        "library/keras/preprocessing", "library/keras/ops",
    },
    "library/keras/layers": LAYERS,
    "library/keras/ops": LAYERS | {"library/keras/layers", "library/keras/models"},
    "library/keras/preprocessing": LAYERS | {
        "library/keras/layers", "library/ragged", "library/image", "library/file_io"
    },
    "library/keras/training": KERAS | {"library/file_io"},
    "library/keras/models": KERAS | {"library/keras/training", "library/file_io"},
    "library/notebook": SURFACE | {
        "library", "library/profiling", "library/data/datasets", "library/keras/models",
        "library/tensorboard",
    },
    "library/saved": SURFACE | {"backends/numba/functions", "library", "library/file_io"},
    "tools": {"allograph"},  # the public names at the root, and nothing behind them
    "tools/pyinstaller_hooks": set(),
}  # fmt: skip
# These import by name: the root, and the places that tables name.
BY_NAME = {"loading.py", "runtime/core/places.py"}
# These have such tables: public names, passes, backends, functions that kernels call, and what
# tensors find above themselves.
WITH_PLACES = {
    "runtime/executors/callable_from_c.py", "runtime/jit/routines.py",
    "runtime/executors/machine_code.py",
    "runtime/core/public_names.py", "runtime/jit/backends.py", "runtime/passes/pipeline.py",
    "runtime/tensors/late_binding.py", "runtime/gpu/emulator.py",
}  # fmt: skip
MODULES = {path.relative_to(ROOT).with_suffix("").as_posix(): path for path in FILES}


def short(path):
    return path.relative_to(ROOT).as_posix()


class Facts(NamedTuple):
    """What the tests ask of a file, so that it is parsed once."""

    imported: frozenset[str]  # files of the package, unless they are only for type checkers
    absolute: frozenset[str]  # modules that it imports by absolute names
    called: frozenset[str]  # names of the functions that it calls


@functools.cache
def facts_of(path):
    nodes = nodes_of(path)
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    absolute = {
        node.module for node in imports if isinstance(node, ast.ImportFrom) and not node.level
    }
    for node in imports:
        if isinstance(node, ast.Import):
            absolute |= {row.name for row in node.names}
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in nodes
        if isinstance(node, ast.Call)
    }
    for_types = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If) and is_for_types(node.test)
        for inner in ast.walk(node)
    }
    imports = [node for node in imports if id(node) not in for_types]
    return Facts(frozenset(imported_files(path, imports)), frozenset(absolute), frozenset(called))


def is_for_types(test):
    """Whether it is `TYPE_CHECKING`, as a name or an attribute."""
    return "TYPE_CHECKING" in (getattr(test, "id", None), getattr(test, "attr", None))


def imported_files(path, imports):
    """Files of the package behind import statements.

    To `tools` and `library`, a name at the root is a public name, of "allograph".
    """
    here = path.relative_to(ROOT).parent.parts
    for node in imports:
        if isinstance(node, ast.Import):
            yield from ("allograph" for row in node.names if row.name.split(".")[0] == "allograph")
            continue
        if not node.level:
            continue
        if node.level > len(here):
            base = ()
        else:
            base = here[: len(here) - node.level + 1]
        stem = "/".join([*base, *(node.module or "").split(".")]).strip("/")
        for row in node.names:
            full = f"{stem}/{row.name}".strip("/")
            outside = {"tools": not stem.startswith("tools"), "library": not stem}
            if outside.get(path.parts[len(ROOT.parts)]):
                yield "allograph"
            elif full in MODULES:
                yield full
            elif stem in MODULES:
                yield stem
            elif f"{full}/__init__" in MODULES:
                yield f"{full}/__init__"
            else:
                yield f"{stem}/__init__"


def folder_of(module):
    return module.rpartition("/")[0] or module


@pytest.mark.parametrize("folder", sorted(MAY_IMPORT))
def test_a_folder_imports_only_the_folders_below_it(folder):
    for path in (ROOT / folder).glob("*.py"):
        found = {folder_of(module) for module in facts_of(path).imported} - {folder}
        assert found <= MAY_IMPORT[folder], short(path)


def test_every_folder_of_the_package_is_in_the_table():
    assert {short(path.parent) for path in FILES} <= MAY_IMPORT.keys()


def test_the_key_of_a_kernel_knows_every_folder_that_translates_it():
    translating = {folder for folder in MAY_IMPORT["backends/numba"] if "lowering" not in folder}
    assert JIT | translating - {"runtime/ir"} <= set(FOLDERS)


def test_code_generation_reads_trees_and_no_text():
    folders = ("runtime/lowering", "runtime/codegen", "runtime/executors")
    files = [path for path in FILES if short(path).startswith(folders)]
    words = {
        (short(path), alias.name)
        for path in files
        for node in nodes_of(path)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
        if alias.name in ("re", "parsed")
    }
    assert not words


def test_classes_get_attributes_where_they_are_defined():
    """In a process that has not loaded the module which sets it, an attribute is not there."""
    set_elsewhere = set()
    for path in FILES:
        homes = {
            alias.asname or alias.name: (node.module or "").rpartition(".")[0]
            for node in tree_of(path).body
            if isinstance(node, ast.ImportFrom) and (node.level > 1 or "." in (node.module or ""))
            for alias in node.names
        }
        for node in tree_of(path).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            set_elsewhere |= {
                (short(path), ast.unparse(target))
                for target in targets
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
                and target.value.id[0].isupper() and target.value.id in homes
            }  # fmt: skip
    assert set_elsewhere == ALWAYS_LOADED


def test_no_two_files_import_each_other_in_a_circle():
    left = {
        name: facts_of(path).imported & MODULES.keys() - {name} for name, path in MODULES.items()
    }
    while leaves := {name for name, imported in left.items() if not imported & left.keys()}:
        left = {name: imported for name, imported in left.items() if name not in leaves}
    assert not left


def test_modules_are_imported_by_name_from_tables_only():
    own = [path for path in FILES if "__package__" in path.read_text(encoding="utf-8")]
    calls = {short(path): facts_of(path).called & {"import_module", "__import__"} for path in own}
    assert {path for path, called in calls.items() if called} <= BY_NAME
    core = [path for path in FILES if short(path).startswith("runtime/")]
    asking = {short(path) for path in core if facts_of(path).called & {"imported", "object_at"}}
    assert asking - {"runtime/core/places.py"} <= WITH_PLACES


@pytest.mark.parametrize("folder", sorted(MAY_IMPORT))
def test_a_folder_is_small_enough_to_be_overseen(folder):
    here = [path for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py"]
    assert len(here) <= MOST_MODULES_OF_A_FOLDER


@pytest.mark.parametrize("room", ROOMS)
def test_no_two_files_of_a_room_have_the_same_name(room):
    names = [path.name for path in (ROOT / room).rglob("*.py") if path.name != "__init__.py"]
    assert sorted(names) == sorted(set(names))


def test_no_two_files_of_tests_have_the_same_name():
    """pytest imports each by its name alone."""
    names = sorted(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert names == sorted(set(names))


def test_imports_inside_the_package_are_relative():
    """Except that a tool may say `import allograph`, as a user does."""
    for path in FILES:
        allowed = {"allograph"} if path.parent.name == "tools" else set()
        own = {name for name in facts_of(path).absolute if name.split(".")[0] == "allograph"}
        assert own <= allowed, short(path)


def test_an_init_file_of_a_room_holds_no_logic():
    allowed = (ast.Import, ast.ImportFrom, ast.Expr, ast.Assign)
    for path in FILES:
        if path.name == "__init__.py":
            body = tree_of(path).body
            assert all(isinstance(node, allowed) for node in body), short(path)


@pytest.mark.slow
def test_the_files_compile_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for path in FILES:
            compile(path.read_text(encoding="utf-8"), str(path), "exec")


def loaded_after(code: str) -> set[str]:
    """The modules that a new process has loaded after it has run code."""
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_leaves_the_heavy_modules_alone():
    assert not HEAVY & {name.split(".")[0] for name in loaded_after("import allograph")}


def test_decorating_and_calling_a_function_leaves_what_it_does_not_need_alone():
    code = "import allograph as ag; ag.function(lambda x: x + x)(ag.constant(1))"
    # OpenSSL takes 4 ms, the folder for temporary files 10, LLVM 25.
    assert not {"hashlib", "tempfile", "llvmlite"} & loaded_after(code)


def test_calling_a_function_of_arrays_leaves_what_loops_and_kernels_need_alone():
    code = "import allograph as ag; ag.function(lambda x: x * 2.0)(ag.constant([1.0, 2.0]))"
    passes = {"inline_calls", "loops", "push_slices_up"}
    rooms = {"executors.on_stack_replacement", "kernel_ir", *(f"passes.{name}" for name in passes)}
    assert not {f"allograph.runtime.{name}" for name in rooms} & loaded_after(code)


@pytest.mark.parametrize(
    "module",
    [
        "codegen.native.library_calls",
        "executors.on_stack_replacement",
        "executors.shared_kernels",
        "gpu",
        "gradients",
        "kernels.random",
        "kernels.vector_math",
        "lowering.batch_parallel",
        "lowering.legalize.complex_numbers",
        "lowering.legalize.computed_sizes",
        "ops.array.sorting",
        "passes.keep_errors",
    ],
)
def test_a_native_call_leaves_what_its_program_does_not_need_alone(module):
    assert importlib.util.find_spec(f"allograph.runtime.{module}")
    assert f"allograph.runtime.{module}" not in modules_of_a_native_call()


def test_a_native_call_leaves_numba_alone():
    loaded = modules_of_a_native_call()
    assert not [name for name in loaded if name.startswith("allograph.backends")]


def test_datasets_and_functions_of_tensors_leave_numpy_mode_alone():
    map_ = "list(ag.data.Dataset.range(3).map(lambda x: x + 1 if x > 1 else x))"
    loaded = loaded_after(f"import allograph as ag; {map_}")
    assert not [name for name in loaded if ".numpy_mode" in name]


@functools.cache
def modules_of_a_native_call() -> set[str]:
    make = "ag.function(lambda x: x / 2.0, jit_compile=True, autograph=False)"
    return loaded_after(f"import allograph as ag; {make}(ag.constant(1.0))")


@pytest.mark.parametrize(
    "module",
    [
        "runtime.codegen.native.loop_nests",
        "runtime.codegen.numpy.emit_numpy",
        "runtime.executors.shape_specialization",
        "runtime.lowering.batch_parallel",
        "runtime.lowering.legalize",
        "runtime.lowering.matmul_schedule",
        "runtime.lowering.nest_schedule",
        "runtime.ops.array.sorting",
        "runtime.lowering.integer_ranges.known_lengths",
        "library.linalg.einsum_to_matmul",
        "runtime.passes.loops.reroll_unrolled_loops",
        "runtime.passes.loops.sum_after_loops",
        "tracing.stager.loops_and_comprehensions",
        "library.extension_types.extension_type",
    ],
)
def test_a_loop_over_scalars_leaves_what_arrays_need_alone(module, modules_of_a_loop):
    assert importlib.util.find_spec(f"allograph.{module}")
    assert f"allograph.{module}" not in modules_of_a_loop


def test_a_loop_over_scalars_loads_few_modules(modules_of_a_loop):
    own = sorted(name for name in modules_of_a_loop if name.split(".")[0] == "allograph")
    assert len(own) <= MOST_MODULES_OF_A_LOOP, f"its first result waits for {len(own)}: {own}"


LOOP = """
import allograph as ag

@ag.function(jit_compile=True)
def root(a, n):
    x, i = a, ag.constant(0)
    while i < n:
        x, i = 0.5 * (x + a / x), i + 1
    return x

root(ag.constant(2.0), ag.constant(9))
"""


@pytest.fixture(scope="module")
def modules_of_a_loop(tmp_path_factory) -> set[str]:
    """The modules of a process that compiles a loop, and finds no kernels of others."""
    folder = tmp_path_factory.mktemp("home")
    file = folder / "root.py"
    file.write_text(LOOP + "\nimport sys; print(*sys.modules)")
    others = {name: value for name, value in os.environ.items() if "ALLOGRAPH" not in name}
    homes = {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    run = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, check=True,
        env={**others, **homes},
    )  # fmt: skip
    return set(run.stdout.split())


@pytest.mark.slow
def test_a_name_below_a_namespace_leaves_what_comes_after_it_alone():
    loaded = loaded_after("import allograph as ag; ag.nn.relu")
    assert "allograph.library.nn.functional" in loaded
    assert not loaded & {"allograph.library.data", "allograph.library.keras"}


def test_the_class_of_datasets_loads_few_modules():
    loaded = loaded_after("import allograph as ag; ag.data.Dataset")
    own = sorted(name for name in loaded if name.split(".")[0] == "allograph")
    assert len(own) <= MOST_MODULES_OF_A_DATASET, own
