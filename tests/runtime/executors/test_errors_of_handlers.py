"""What the handler of a signal raises leaves a computation as it is."""

import signal

import pytest

import allograph as ag

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")


class LateError(ValueError):
    """An error of the user, of a type that kernels raise too."""


@pytest.fixture(params=[TimeoutError, LateError, TypeError])
def raised(request):
    """A handler of alarms that raises; one alarm is due soon."""

    def handler(number, frame):
        raise request.param("late")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    yield request.param
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_out_of_a_loop_in_a_graph(raised):
    @ag.function(kernel_compiler="none")
    def count(n):
        i = ag.constant(0)
        while i < n:
            i += 1
        return i

    with pytest.raises(raised) as caught:
        count(ag.constant(2**31 - 1))
    assert caught.type is raised and str(caught.value).splitlines()[0] == "late"


def test_out_of_operations_that_run_at_once(raised):
    x = ag.random.normal([300, 300])
    with pytest.raises(raised) as caught:
        while True:
            ag.sort(x)
    assert caught.type is raised
