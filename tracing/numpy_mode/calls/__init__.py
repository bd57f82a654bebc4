"""Calls of functions that the graph has no form for: it calls them where the program does."""
