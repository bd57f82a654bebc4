"""The stub that editors read is made from the table of public names."""

from pathlib import Path

import allograph
from allograph.tools.stubs import stub


def test_the_stub_is_the_one_that_would_be_made_now():
    path = Path(allograph.__file__).with_name("__init__.pyi")
    assert path.read_text(encoding="utf-8") == stub(), "run: python -m allograph.tools.stubs"
