"""Cache of compiled kernels, in memory and on disk, and of functions that they share."""
