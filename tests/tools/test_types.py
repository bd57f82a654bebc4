"""What type checkers say of programs that use the package: of the examples, and of samples."""

import ast
import functools
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import allograph as ag
from allograph.runtime.tensors.missing_members import MissingMember

ROOT = Path(__file__).parents[2]
SAMPLE = """
import numpy as np

import allograph as ag


@ag.function
def scaled(x: ag.Tensor, n: int = 2) -> ag.Tensor:
    return x * n + 1 - np.ones(3) / x


@ag.function(jit_compile=True)
def total(x: ag.Tensor) -> ag.Tensor:
    if x > 0:
        return -x
    return 2.0 * x[0] @ x


class Model:
    @ag.function
    def call(self, x: ag.Tensor) -> ag.Tensor:
        return x


@ag.autograph.experimental.do_not_convert
def same(x: ag.Tensor) -> ag.Tensor:
    return x


@ag.autograph.convert()
def absolute(x: ag.Tensor) -> ag.Tensor:
    return x if x > 0 else -x


def rows(x: ag.RaggedTensor, v: ag.Variable, graph: ag.Graph) -> int:
    first, *_ = v.shape
    graph.get_operations()
    return v.shape[0] * first + int(v.assign_add(1.0).numpy()) + len((x + 1).to_tensor())


reveal_type(scaled(ag.ones([2]), 3) == 2)
reveal_type(total(ag.ones([2])))
reveal_type(Model().call(ag.ones([3])))
reveal_type(ag.debug(total)(ag.ones([3])))
reveal_type(ag.Variable(1.0) * 2)
reveal_type(ag.Variable(1.0) != 2)
reveal_type(same(ag.ones([3])))
reveal_type(absolute(ag.ones([3])))
scaled.explain_retraces()
float(scaled(ag.ones([])))
print(ag.autograph.errors.NoSourceError, ag.zeros_initializer())
scaled("text")
total()
"""
STRICT = """
import numpy as np

import allograph as ag


class Scaling(ag.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = ag.Variable(np.ones(3, np.float32))

    @ag.function
    def scaled(self, x: ag.Tensor) -> ag.Tensor:
        return x * self.weight

    @ag.jit
    def doubled(self, x: np.ndarray) -> np.ndarray:
        return x * 2


def train(scaling: Scaling, x: ag.Tensor) -> float:
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        loss = ag.reduce_sum(scaling.scaled(x))
    scaling.weight.assign_sub(0.1 * tape.gradient(loss, scaling.weight))
    return float(loss) + len(scaling.weight.value().shape)


scaling = Scaling()
train(scaling, ag.ones([3]))
print(scaling.doubled(np.ones(3)), scaling.doubled.inspect(), ag.IndexedSlices(1, 2))
print(ag.RaggedTensor.from_row_lengths([1], [1]).values, ag.TensorShape([1])[0])
print(ag.TensorArray(ag.float32, 3).stack(), ag.zeros_initializer()([3]))
"""
# A mistake in each line.
MISTAKES = """
x.reshape_me()
x.nunpy()
ag.reduce_summ(x)
ag.reduce_sum()
ag.reduce_sum(x, axes=0)
ag.nn.reluu(x)
ag.math.reduce_mean(x).nope
ag.keras.layers.Danse(3)
v.asign(2.0)
scaled("text")
scaled()
scaled(x, m=3)
scaled(x).missing
scaled.explain_retrace()
total("text")
total(np.ones(3)).missing
total.inspekt()
ag.linalg.svd(x).shape
ag.float33
ag.data.Dataset.from_tensor_slice([1])
ag.GradientTape().gradent(x, x)
len(ag.executing_eagerly())
ag.constant(1.0, dtype=ag.float32, shap=[1])
y: int = ag.exp(x)
"""
BEFORE_MISTAKES = """
import numpy as np

import allograph as ag

x = ag.constant([[1.0, 2.0]])
v = ag.Variable(1.0)


@ag.function
def scaled(a: ag.Tensor, n: int = 2) -> ag.Tensor:
    return a * n


@ag.jit
def total(a: np.ndarray) -> float:
    return float(a.sum())

"""
# Those of which other tests say what is wrong with them, and that nothing is.
OTHER_SAMPLES = {
    "mistakes.py": BEFORE_MISTAKES + MISTAKES.lstrip(),
    "strict_program.py": STRICT,
}
REVEALED = SAMPLE.count("reveal_type")


# What other packages say is not read: half of the time would go there. One program is checked with
# what `mypy --strict` switches on for a module.
CONFIGURATION = """
[mypy]
follow_imports = silent
ignore_missing_imports = True

[mypy-strict_program]
check_untyped_defs = True
disallow_any_generics = True
disallow_incomplete_defs = True
disallow_subclassing_any = True
disallow_untyped_calls = True
disallow_untyped_decorators = True
disallow_untyped_defs = True
extra_checks = True
implicit_reexport = False
strict_equality = True
warn_return_any = True
warn_unused_ignores = True

[mypy-IPython.*,PIL.*,click.*,dask.*,distributed.*,matplotlib.*,rich.*,scipy.*,sklearn.*]
follow_imports = skip
"""
OTHERS = "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"


class Findings(NamedTuple):
    """The types that a checker reveals, and its errors: the file, the line and what is said."""

    revealed: list[str]
    errors: list[tuple[str, int, str]]


def of_mypy(folder: Path, files: list[Path]) -> Findings:
    (folder / "mypy.ini").write_text(CONFIGURATION, encoding="utf-8")
    command = ["mypy", f"--cache-dir={folder / 'cache'}", *map(str, files)]
    printed = run(folder, command).splitlines()
    return Findings(
        [line for line in printed if "Revealed type" in line],
        [
            (Path(path).name, int(line), message)
            for path, line, message in re.findall(
                r"^(.+?):(\d+): error: (.+)$", "\n".join(printed), re.M
            )
        ],
    )


def of_pyright(folder: Path, files: list[Path]) -> Findings:
    """With the rules of pyright."""
    for module in modules_of_others(files):
        path = (folder / "others").joinpath(*module.split("."), "__init__.pyi")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(OTHERS, encoding="utf-8")
    configuration = {
        **{"include": [str(file) for file in files], "exclude": [], "extraPaths": [str(folder)]},
        **{"stubPath": str(folder / "others"), "typeCheckingMode": "standard"},
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(configuration), encoding="utf-8")
    command = ["basedpyright", "--outputjson", "--pythonpath", sys.executable]
    rows = json.loads(run(folder, command))["generalDiagnostics"]
    return Findings(
        [row["message"] for row in rows if row["message"].startswith("Type of")],
        [
            (
                Path(row["file"]).name,
                row["range"]["start"]["line"] + 1,
                row["message"].splitlines()[0],
            )
            for row in rows
            if row["severity"] == "error"
        ],
    )


def modules_of_others(files: list[Path]) -> set[str]:
    """The modules that files import, except NumPy, this package and the standard library."""
    found = set()
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))):
        if isinstance(node, ast.Import):
            found.update(one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
    return {
        name
        for name in found
        if name.partition(".")[0] not in {"allograph", "numpy", *sys.stdlib_module_names}
    }


def run(folder: Path, command: list[str]) -> str:
    """What a checker prints, with the package under its name."""
    if not (folder / "allograph").exists():
        (folder / "allograph").symlink_to(ROOT)
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


def uses_of_members() -> str:
    """A program that takes each member of each public class."""
    lines = ["import allograph as ag", ""]
    for name, kind in public_classes().items():
        lines.append(f"def of_{name}(x: ag.{name}) -> None:")
        lines += [f"    x.{member}" for member in members(kind)] + ["    print(x)", ""]
    return "\n".join(lines)


def public_classes() -> dict[str, type]:
    things = {name: getattr(ag, name) for name in dir(ag) if not name.startswith("_")}
    return {name: one for name, one in things.items() if inspect.isclass(one)}


def members(kind: type) -> list[str]:
    """The methods and operators that a class has and `object` does not."""
    found = []
    for name in sorted({name for base in kind.__mro__[:-1] for name in vars(base)}):
        thing = inspect.getattr_static(kind, name)
        is_operator = name in OPERATORS and inspect.isfunction(thing)
        is_method = inspect.isroutine(thing) or isinstance(thing, (property, staticmethod))
        is_method = is_method and not isinstance(thing, MissingMember)
        if is_operator or (is_method and not name.startswith("_")):
            found.append(name)
    return found


BINARY = "add sub mul truediv floordiv mod pow and or xor lshift rshift matmul".split()
OPERATORS = {
    *(f"__{name}__" for name in BINARY),
    *(f"__r{name}__" for name in BINARY),
    *(f"__{name}__" for name in "lt le gt ge neg pos invert abs getitem iter len".split()),
}

CALLED = {
    f"__{name}__" for name in "new init init_subclass call enter exit getitem len iter".split()
}

CHECKERS = {
    "mypy": (
        of_mypy,
        '"allograph.runtime.tensors.tensor.Tensor"',
        'Argument 1 to "__call__" of "_PolymorphicFunction" has incompatible type "str"; '
        'expected "Tensor"  [arg-type]',
        'Missing positional argument "x" in call to "__call__" of "_PolymorphicFunction"  '
        "[call-arg]",
    ),
    "basedpyright": (
        of_pyright,
        'is "Tensor"',
        'Argument of type "Literal[\'text\']" cannot be assigned to parameter "x" of type '
        '"Tensor" in function "__call__"',
        'Argument missing for parameter "x"',
    ),
}


@functools.cache
def findings_of(checker: str) -> Findings:
    """What a checker says of the examples and of the samples, which it reads together."""
    folder = ROOT / ".mypy_cache" / "tests"  # what mypy has read before is read faster again
    folder.mkdir(parents=True, exist_ok=True)
    samples = {"sample.py": SAMPLE, "members.py": uses_of_members()}
    if checker == "mypy":
        samples |= OTHER_SAMPLES
    for name, content in samples.items():
        (folder / name).write_text(content, encoding="utf-8")
    examples = sorted((ROOT / "examples").glob("*.py"))
    return CHECKERS[checker][0](folder, [*map(folder.joinpath, samples), *examples])


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_the_examples_and_samples_have_the_types_that_they_say(checker):
    pytest.importorskip(checker, reason=f"{checker} is not installed (make types installs it)")
    _, tensor, *expected = CHECKERS[checker]
    findings = findings_of(checker)
    errors = [(file, message) for file, _, message in findings.errors if file not in OTHER_SAMPLES]
    assert errors == [("sample.py", message) for message in expected]
    assert len(findings.revealed) == REVEALED
    assert all(tensor in line for line in findings.revealed)


@pytest.mark.slow
def test_mypy_finds_each_mistake_of_a_program():
    first = len(BEFORE_MISTAKES.splitlines()) + 1
    lines = {line for file, line, _ in findings_of("mypy").errors if file == "mistakes.py"}
    assert lines == set(range(first, first + len(MISTAKES.split("\n")) - 2))


@pytest.mark.slow
def test_a_program_passes_the_strict_checks_of_mypy():
    errors = findings_of("mypy").errors
    assert [error for error in errors if error[0] == "strict_program.py"] == []


@pytest.mark.parametrize("name, kind", public_classes().items())
def test_what_strict_checkers_call_untyped_has_a_type(name, kind):
    """A function without any annotation is an error where a strict checker sees a call of it."""
    for member, thing in ((name, one) for base in kind.__mro__ for name, one in vars(base).items()):
        function = getattr(thing, "__func__", getattr(thing, "fget", thing))
        function = inspect.unwrap(function) if callable(function) else function
        if not inspect.isfunction(function) or function.__name__ == "<lambda>":
            continue
        is_called = not member.startswith("_") or member in CALLED
        if is_called and function.__module__.startswith("allograph."):
            assert function.__annotations__, function.__qualname__
