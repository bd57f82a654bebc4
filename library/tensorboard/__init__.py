"""Files for TensorBoard: summaries, traces of graphs, profiles."""
