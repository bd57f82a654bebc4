"""What users build with, on top of public operations."""
