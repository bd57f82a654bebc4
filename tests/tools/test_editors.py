"""What a language server says at places of a program: names that complete, and texts on hover."""

from pathlib import Path

import pytest

import allograph as ag

jedi = pytest.importorskip("jedi", reason="jedi is not installed")
ROOT = Path(ag.__file__).parent
HEAD = """import numpy as np

import allograph as ag

x = ag.constant([1.0])
v = ag.Variable(1.0)


@ag.function
def scaled(a: ag.Tensor) -> ag.Tensor:
    return a * 2


@ag.jit
def total(a: np.ndarray) -> float:
    return float(a.sum())


"""
COMPLETED = {
    "ag.reduce_s": "reduce_sum",
    "ag.nn.rel": "relu",
    "ag.keras.layers.Den": "Dense",
    "ag.data.Data": "Dataset",
    "ag.data.Dataset.from_ten": "from_tensor_slices",
    "x.nump": "numpy",
    "x.sha": "shape",
    "x.dty": "dtype",
    "ag.exp(x).nump": "numpy",
    "ag.linalg.inv(x).sha": "shape",
    "v.assi": "assign_add",
    "v.num": "numpy",
    "scaled.expl": "explain_retraces",
    "scaled.get_": "get_concrete_function",
    "scaled.prec": "precompile",
    "total.insp": "inspect",
    "ag.GradientTape().grad": "gradient",
    "ag.float3": "float32",
}
SAID_ON_HOVER = {
    "ag.reduce_sum": "sum",
    "ag.nn.relu": "max",
    "ag.function": "graph",
    "ag.jit": "native code",
    "ag.constant": "tensor",
    "ag.Variable": "value",
    "ag.GradientTape": "gradient",
    "ag.RaggedTensor": "rows",
    "ag.linalg.svd": "singular",
    "ag.keras.layers.Dense": "units",
    "total.inspect": "native",
    "scaled.explain_retraces": "trace",
    "ag.Tensor": "array",
}


def script(code):
    project = jedi.Project(ROOT.parent, added_sys_path=[str(linked())])
    return jedi.Script(HEAD + code, project=project)


def linked():
    """A folder with the package under its name."""
    folder = ROOT / ".mypy_cache" / "tests"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "allograph").exists():
        (folder / "allograph").symlink_to(ROOT)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("code, name", COMPLETED.items())
def test_a_name_is_completed(code, name):
    assert name in [completion.name for completion in script(code).complete()]


@pytest.mark.slow
@pytest.mark.parametrize("code, word", SAID_ON_HOVER.items())
def test_hover_says_what_a_name_is(code, word):
    texts = [name.docstring() for name in script(code).help()]
    assert word in " ".join(texts).lower()
