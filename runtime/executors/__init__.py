"""Runs graphs: NumPy first, native code when hot; specialization, on-stack replacement, fallback."""
