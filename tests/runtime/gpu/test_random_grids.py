"""Random programs on an emulated device: `python tests/fuzz.py 1000 --laws emulated` runs more."""

import fuzz
import pytest

LAWS = [name for name in fuzz.laws_of_values(native=True) if name.startswith("emulated")]


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_random_programs_are_the_same_on_an_emulated_device(law):
    for seed in range(3):
        fuzz.laws_of_values(native=True)[law](seed)
