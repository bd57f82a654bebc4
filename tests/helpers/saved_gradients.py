"""Random programs of `gradient_programs` whose gradients are saved, loaded, and computed again."""

import tempfile

import numpy as np
from gradient_laws import COUNTS, case_of

import allograph as ag

LISTS = ag.autograph.experimental.Feature.LISTS


def assert_saved_gradients_are_the_same(seed: int) -> None:
    """With vectors of known size, and of unknown size where the program can be traced with them."""
    for size in (3, None):
        case = case_of(seed)
        module = ag.Module()
        module.w, module.v = case.w, case.v
        vector, matrix = ag.TensorSpec([size], ag.float64), ag.TensorSpec([2, 2], ag.float64)
        module.run = ag.function(
            case.slopes(case.decorated(False)),
            input_signature=[vector, vector, matrix, ag.TensorSpec([], ag.int32)],
            experimental_autograph_options=LISTS,
            kernel_compiler="none",
        )
        try:
            module.run.get_concrete_function()
        except (ag.errors.OpError, TypeError, ValueError):
            continue  # it needs the size, or is refused
        with tempfile.TemporaryDirectory() as folder:
            ag.saved_model.save(module, folder)
            loaded = ag.saved_model.load(folder)
        for n in COUNTS:
            wanted = case.run(module.run, n)
            loaded.w.assign(case.start)
            loaded.v.assign(0.7)
            made = [one.numpy() for one in loaded.run(*case.tensors, ag.constant(n))]
            for one, other in zip(made, wanted, strict=True):
                np.testing.assert_allclose(one, other, 1e-9, 1e-10, err_msg=case.source)
