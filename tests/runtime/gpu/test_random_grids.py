"""Random programs on an emulated device: `python tests/fuzz.py 1000 --laws emulated` runs more."""

import fuzz
import pytest
from large_paths import large_paths

LAWS = [name for name in fuzz.laws_of_values(native=True) if name.startswith("emulated")]


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_random_programs_are_the_same_on_an_emulated_device(law):
    for seed in range(3):
        fuzz.laws_of_values(native=True)[law](seed)


@pytest.mark.parametrize("seed", [7700210, 7700680])
def test_loops_that_begin_with_views_of_constants_are_loops_of_launches(seed):
    law = fuzz.laws_of_values(native=True)["emulated device, native graph of sweeps"]
    with large_paths("mixed", 0, seed):
        law(seed)
