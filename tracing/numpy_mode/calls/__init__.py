"""Calls of functions that the graph has no form for, and calls that interrupt a trace."""
