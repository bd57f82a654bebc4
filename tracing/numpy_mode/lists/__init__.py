"""Lists that loops and comprehensions make: their items are in arrays of the graph."""
