"""SciPy, imported when an operation first needs it."""

from __future__ import annotations

import importlib

from ...extend.errors import UnimplementedError


def scipy_module(name: str, operation: str):
    """The module `scipy.<name>`. Raises UnimplementedError if SciPy is not installed."""
    try:
        return importlib.import_module(f"scipy.{name}")
    except ImportError:
        raise UnimplementedError(
            f"{operation} needs the package scipy", "pip install 'allograph[native]'"
        ) from None
