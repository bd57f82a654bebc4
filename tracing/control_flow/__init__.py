"""`if`, loops and `raise` on tensors, recorded into the graph."""
