"""Environment variables that are empty, or hold what they do not take."""

import warnings

import pytest

import allograph as ag
from allograph.autograph.conversion import converted_functions as conversion
from allograph.runtime.core.debug_output import is_on
from allograph.runtime.storage import cache_trust


@pytest.mark.parametrize("value, on", [("", False), ("0", False), ("1", True), (" 1 ", True)])
def test_a_flag_is_on_when_it_is_1(monkeypatch, value, on):
    monkeypatch.setenv("ALLOGRAPH_EAGER", value)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert is_on("ALLOGRAPH_EAGER") is on


def test_a_warning_tells_of_other_values_of_a_flag(monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_EAGER", "true")
    with pytest.warns(UserWarning, match="ALLOGRAPH_EAGER='true' is neither 0 nor 1"):
        assert not is_on("ALLOGRAPH_EAGER")


def test_an_empty_folder_or_file_is_the_default(monkeypatch):
    for name in ("ALLOGRAPH_CACHE_DIR", "ALLOGRAPH_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    folder, key = ag.kernel_cache.folder(), cache_trust.key_file()
    for name in ("ALLOGRAPH_CACHE_DIR", "ALLOGRAPH_KEY_FILE"):
        monkeypatch.setenv(name, "")
    assert (ag.kernel_cache.folder(), cache_trust.key_file()) == (folder, key)


@pytest.mark.filterwarnings("always")
def test_a_view_that_does_not_exist_is_told(monkeypatch):
    monkeypatch.setenv("ALLOGRAPH_VIEW", "generate")
    conversion._chosen_view.cache_clear()
    with pytest.warns(UserWarning, match="the views are 'original' and 'generated'"):
        assert int(ag.function(lambda x: x if x > 0 else -x)(ag.constant(-3))) == 3
