"""The message of an `assert` on a tensor is the string that Python would make."""

import pytest

import allograph as ag

MESSAGES = [
    lambda x, i, s, v: f"{x} {i:03d} {s} {v} {x!r} {x:.2f} {i > 0}",
    lambda x, i, s, v: "a %s %.3f" % (x, x),  # noqa: UP031
    lambda x, i, s, v: "a {} {:.3f}".format(x, x),  # noqa: UP032
    lambda x, i, s, v: str(x) + repr(v),
    lambda x, i, s, v: (x, i, "text"),
    lambda x, i, s, v: [x, {"v": v}],
    lambda x, i, s, v: x,
    lambda x, i, s, v: "plain",
]


def refused(x, i, s, v, message):
    assert i < 0, message(x, i, s, v)
    return x


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_is_that_of_python(message):
    args = ag.constant(-3.0), ag.constant(1), ag.constant("a"), ag.constant([1.0, 2.5])
    expected = str(AssertionError(message(*args)))
    with pytest.raises(AssertionError) as caught:
        ag.function(refused)(*args, message)
    assert caught.value.message == expected
