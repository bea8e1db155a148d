"""Instruction counts of three kernels under valgrind, beside the counts that are recorded."""
