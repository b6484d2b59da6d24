"""Decisions: answers from facts. No state, no reads, no clock; enums and integers in, enums and integers out.

One file per question that the kernel asks. A decision that has an order of tests is
written as that order, and answers with the first test that decides.
"""
