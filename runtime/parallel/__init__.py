"""The thread pool, and the parallel-for that kernels call."""
