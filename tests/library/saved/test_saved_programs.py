"""Random programs give the same results after they were saved and loaded."""

import importlib.util
import tempfile
from pathlib import Path

import pytest
from program_generator import program

import allograph as ag


def loaded_program(seed: int, folder: Path):
    """The function of a random program, and the one that was saved and loaded."""
    path = folder / f"program_{seed}.py"
    path.write_text(program(seed), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    holder = ag.Module()
    holder.run = ag.function(
        module.program,
        input_signature=[ag.TensorSpec([], ag.int32)] * 3,
        kernel_compiler="none",
        experimental_autograph_options=ag.autograph.experimental.Feature.ALL,
    )
    ag.saved_model.save(holder, folder / "saved")
    return holder.run, ag.saved_model.load(folder / "saved").run


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
def test_a_random_program_survives(seed):
    with tempfile.TemporaryDirectory() as folder:
        run, again = loaded_program(seed, Path(folder))
        for arguments in ((0, 1, 2), (7, 3, 5), (12, 40, 9)):
            tensors = [ag.constant(one) for one in arguments]
            assert int(again(*tensors)) == int(run(*tensors))
