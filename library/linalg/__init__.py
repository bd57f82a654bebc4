"""Matrices: decompositions and systems of equations that no graph needs for others."""
