"""Syntax-tree rewrites, one construct a file, each with its before and after."""
