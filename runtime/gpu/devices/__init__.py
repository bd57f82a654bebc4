"""Devices: which there are, and how they hold memory and launch kernels."""
