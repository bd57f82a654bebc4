"""Files that the programs of a user keep for later ones: where they lie, and which are trusted."""
