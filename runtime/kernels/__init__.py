"""Native routines that generated code calls: matrix products, convolution, sorting, random numbers,
BLAS.
"""
