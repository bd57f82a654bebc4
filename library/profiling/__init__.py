"""Explains and times what functions became: native or NumPy, why, and how far from the machine's
limits."""
