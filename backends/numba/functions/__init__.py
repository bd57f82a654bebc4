"""Functions that Numba compiled for the user, as operations: their types, their shapes, and calls
of them on tensors and arrays.
"""
