"""Functions that other compilers compiled, as operations: their types, their shapes, and a name
that tells what they compute.
"""
