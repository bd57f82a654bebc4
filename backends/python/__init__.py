"""Kernel source runs as Python: a debugger steps through its lines."""
