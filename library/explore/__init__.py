"""`explore`: one page that links the source of a function with all that it becomes."""
