"""What is known of the integers of a program: indices in bounds are not checked."""
