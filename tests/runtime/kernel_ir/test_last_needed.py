"""Where the memory of an array is free: behind the last statement that may refer to it."""

import pytest

from allograph.runtime.kernel_ir.kernels import last_needed
from allograph.runtime.kernel_ir.reader import statements

LAST = "z = new_array(9)\nf(z)"


@pytest.mark.parametrize(
    "source",
    [
        "f(a)",
        "v = a[1:]\nf(v)",
        "v = reshaped(a, (2, 4))\nw = v[0]\nf(w)",
        "a, b = b, a\nf(b)",
        "v = (a, b)\ng(0)\nf(*v)",
        "t = zeros(5)\nt[2] = a.ctypes.data\nrun_region(0, t)",
        "p = np.int64(a.ctypes.data)\nq = np.int64(p + 8)\nq += 8\nt[0] = q\nf(t)",
        "for i in range(3):\n  w = v\n  v = a\nf(w)",
        "if b[0]:\n  v = a\nelse:\n  v = b\nf(v)",
        "for part in (a, b):\n  v = part\nf(v)",
        "a = grown(a, 3)\nf(a)",
    ],
)
def test_an_array_lives_as_long_as_a_name_may_refer_to_it(source):
    body = statements(f"a = new_array(8)\n{source}\n{LAST}")
    (place,) = [at for at, made in enumerate(last_needed(body)) if 0 in made]
    assert place == len(body) - 3


@pytest.mark.parametrize(
    "source",
    [
        "s = np.float64(a[0] + 1.0)\ng(s)",
        "for i in range(8):\n  r = np.float64(a[i])\n  b[i] = r\ng(b)",
        "n = bool(a[0] < 1.0)\ng(n)",
    ],
)
def test_a_number_made_of_elements_does_not_refer_to_their_array(source):
    body = statements(f"a = new_array(8)\n{source}\n{LAST}")
    (place,) = [at for at, made in enumerate(last_needed(body)) if 0 in made]
    assert place == 1


def test_an_array_that_is_returned_is_not_free():
    assert not any(last_needed(statements(f"a = new_array(8)\n{LAST}\nreturn (a,)")))
