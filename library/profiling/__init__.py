"""Explains and times what functions became: native or NumPy and why, fused with what, and how far
from the limits of the machine.
"""
