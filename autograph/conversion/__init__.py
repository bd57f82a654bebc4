"""One function to its converted form: rewritten, compiled, and bound to the globals and closure of
the original.
"""
