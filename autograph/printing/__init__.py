"""Syntax trees as source text, with a map from its lines to the user's."""
