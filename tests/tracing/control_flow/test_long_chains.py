"""Chains of `elif`s: each is traced inside the one before, and Python limits how deep calls go."""

import importlib.util

import pytest
from native_calls import is_native

import allograph as ag

ARMS = 50


@pytest.fixture
def chain(tmp_path):
    arms = "".join(f"    elif x < {at}:\n        y = x + {at}\n" for at in range(1, ARMS))
    path = tmp_path / "chain_of_branches.py"
    last = "    else:\n        y = x * 2\n    return y\n"
    path.write_text(f"def chain(x):\n    if x < 0:\n        y = x\n{arms}{last}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.chain


def test_a_chain_of_fifty_branches_on_tensors_is_staged(chain):
    assert [float(ag.function(chain)(ag.constant(x))) for x in (-1.0, 2.5, 70.0)] == [
        -1.0, 5.5, 140.0,
    ]  # fmt: skip


def test_a_chain_of_fifty_branches_of_jit_is_native(chain):
    native = ag.jit(chain)
    assert [native(x) for x in (-1.0, 2.5, 70.0)] == [chain(x) for x in (-1.0, 2.5, 70.0)]
    assert is_native(native)
