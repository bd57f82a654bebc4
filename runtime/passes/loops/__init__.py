"""Passes that move work out of loops, and find loops in straight lines."""
