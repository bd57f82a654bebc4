"""Converts one function: rewrites it, compiles it, and binds it to the globals and closure of the
original.
"""
