"""What is known about integers of a graph, and the index checks that it makes needless."""
