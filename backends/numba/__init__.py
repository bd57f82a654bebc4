"""The same kernel source compiled by Numba: its type inference and lowering in place of ours."""
