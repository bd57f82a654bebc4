"""`function`: chooses the graph that serves a call, and records a new one by running the converted
function on symbolic tensors.
"""
