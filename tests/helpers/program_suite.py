"""The package `benchmarks/numpy_programs`, which is not installed, as `suite`."""

import importlib.util
import sys

from source_tree import ROOT

FOLDER = ROOT / "benchmarks" / "numpy_programs"
SPEC = importlib.util.spec_from_file_location(
    "numpy_program_suite", FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
)
suite = importlib.util.module_from_spec(SPEC)
sys.modules[SPEC.name] = suite
SPEC.loader.exec_module(suite)
