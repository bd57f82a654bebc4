"""Loops whose batch threads share: each runs all iterations for some rows of it."""
