"""`if`, loops and `raise` into the graph."""
