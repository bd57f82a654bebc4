"""Explains and times what a graph became."""
