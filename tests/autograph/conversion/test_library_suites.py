"""Modules of the standard library, converted in place, pass the test suites Python has for them.

Left out is what recurses close to the limit of recursion (plistlib nests 300 deep): a call of
converted code takes more frames than a plain one.
"""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("run_library_suite.py")
SUITES = {
    "test_textwrap": "textwrap",
    "test_fractions": "fractions",
    "test_shlex": "shlex",
    "test_configparser": "configparser",
    "test_pprint": "pprint",
    "test_htmlparser": "html.parser",
    "test_graphlib": "graphlib",
    "test_calendar": "calendar",
    "test_urlparse": "urllib.parse",
    "test_optparse": "optparse",
    "test_json": "json.decoder,json.encoder,json.scanner",
    "test_ipaddress": "ipaddress",
    "test_csv": "csv",
}
QUICK = {"test_textwrap", "test_fractions"}


@pytest.mark.parametrize(
    "suite",
    [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in sorted(SUITES)],
)
def test_a_converted_module_passes_its_own_suite(suite):
    pytest.importorskip(f"test.{suite}", reason="this Python comes without its test suites")
    made = subprocess.run(
        [sys.executable, "-W", "ignore", str(SCRIPT), SUITES[suite], f"test.{suite}"],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout[-3000:] + made.stderr[-3000:]
