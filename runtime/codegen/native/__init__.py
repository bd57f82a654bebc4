"""Program to kernel source: explicit loops in a typed subset of Python."""
