"""Compiles kernel IR to machine code with LLVM, and caches it in memory and on disk."""
