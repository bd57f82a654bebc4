"""Random programs compute the same after their graphs were pickled."""

import importlib.util
import pickle

import pytest
from program_generator import program

import allograph as ag


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 28))
def test_a_random_program_travels(seed, tmp_path):
    path = tmp_path / f"program_{seed}.py"
    path.write_text(program(seed), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = ag.function(
        module.program,
        kernel_compiler="none",
        experimental_autograph_options=ag.autograph.experimental.Feature.ALL,
    )
    concrete = function.get_concrete_function(*[ag.TensorSpec([], ag.int32)] * 3)
    again = pickle.loads(pickle.dumps(concrete))
    assert str(again.frozen) == str(concrete.frozen)
    for arguments in ((0, 1, 2), (7, 3, 5), (12, 40, 9)):
        tensors = [ag.constant(one) for one in arguments]
        assert int(again(*tensors)) == int(concrete(*tensors))
