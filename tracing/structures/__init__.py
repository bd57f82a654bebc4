"""Nested structures, their leaves, the errors of tracing, and its switches."""
