"""Graph to simpler graph with the same values and effects, one pass a file."""
