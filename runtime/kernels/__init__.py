"""Native routines that generated code calls: matrix products, sorting, random numbers, BLAS."""
