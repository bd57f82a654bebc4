"""In-memory and on-disk cache of compiled kernels, and of libraries of functions that they share."""
