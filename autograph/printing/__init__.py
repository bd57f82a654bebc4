"""Syntax trees to source, with a map from its lines to the user's."""
