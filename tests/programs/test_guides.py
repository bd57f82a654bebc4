"""Programs in the style of guides compute what they compute with TensorFlow."""

import json

import numpy as np
import pytest
from programs.guides import PROGRAMS
from programs.recorded import EXPECTED, as_plain

TENSORFLOW = json.loads(EXPECTED.read_text(encoding="utf-8"))


def assert_alike(found, expected, where: str) -> None:
    if isinstance(expected, dict) and "dtype" in expected:
        assert (found["dtype"], found["shape"]) == (expected["dtype"], expected["shape"]), where
        if expected["dtype"].startswith(("float", "complex")):
            np.testing.assert_allclose(
                found["values"], expected["values"], rtol=2e-4, atol=2e-5, err_msg=where
            )
        else:
            assert found["values"] == expected["values"], where
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key, one in expected.items():
            assert_alike(found[key], one, f"{where}[{key!r}]")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, one in enumerate(expected):
            assert_alike(found[place], one, f"{where}[{place}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=2e-4, abs=2e-5), where
    else:
        assert found == expected, where


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_computes_what_tensorflow_computes(name):
    assert_alike(as_plain(PROGRAMS[name]()), TENSORFLOW[name], name)
