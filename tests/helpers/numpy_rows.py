"""The implementations of all functions of NumPy, which else are loaded one file at a time."""

from allograph import loading

FILES = list(loading.modules("library.numpy_functions", "library.linalg", "library.signal"))
