"""Which frames are the package's own."""

import gc

from allograph.runtime.core import source_locations

SOURCE = """
import sys
def asked(is_internal):
    return is_internal(sys._getframe())
"""


def asked_in(module: str) -> bool:
    scope = {"__name__": module}
    exec(compile(SOURCE, "<a file>", "exec"), scope)
    return scope["asked"](source_locations.is_internal)


def test_a_users_function_equal_to_one_of_the_package_is_the_users():
    assert asked_in("allograph.runtime")
    assert not asked_in("program")
    assert asked_in("allograph.runtime")


def test_functions_that_are_gone_leave_no_note():
    asked_in("program")
    gc.collect()
    before = len(source_locations._internal_code)
    for _ in range(50):
        asked_in("program")
    gc.collect()
    assert len(source_locations._internal_code) <= before + 1
