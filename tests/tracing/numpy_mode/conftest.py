"""No test of `jit` passes because a fault of the package left the function to Python."""

import pytest
from accidents import accidents_raised


@pytest.fixture(autouse=True)
def faults_of_the_package_are_errors():
    with accidents_raised():
        yield
