"""Control flow, recursion, exceptions and assertions, and the stacks that loops save values on."""
