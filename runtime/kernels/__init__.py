"""The library of native routines that generated code calls: matmul, convolution, sorting, random
numbers, BLAS.
"""
