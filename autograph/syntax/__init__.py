"""Source text, syntax trees, and fragments of trees written as source."""
