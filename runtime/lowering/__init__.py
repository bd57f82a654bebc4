"""Graph to program: fusion, buffer assignment, scheduling decisions, cost model."""
