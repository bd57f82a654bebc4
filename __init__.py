"""allograph: write plain Python; it becomes a graph, and the graph runs at native speed."""
