"""Functions that Numba compiled for the user, as operations: their types, shapes and calls."""
