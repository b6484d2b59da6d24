"""The words of proofs/README.md that are not counted or listed by a program."""

# ruff: noqa: E501 - lines of the page, not of the program

from typing import Final

SUPPOSED: Final = (
    "the product of two unknowns (the load of a dispatch) is any number: what is proved holds whatever it is",
    "a process that hands a claim over is up; a child is started only by an owner that is up, and once",
)

README: Final = """\
# Proofs

`python -m proofs` runs the real `step`, with the shipped tables, wiring, guards, deeds, decisions and rules, on
symbolic cells, and shows that every claim below is kept by every input in every world: for any number of tasks,
attempts, targets and instances, any limits and any settings. One line per claim. The exit code is 1 if anything is
refuted, unknown to a solver, not followed by the engine, never put to a path, not confirmed by cvc5, or without a
control that is `sat`. No formula is written beside the code. This page is generated (`python -m proofs --write`).
{figures}

## How

- `engine.py`: a path is a sequence of answers; the code is run again for each answer that is possible.
- `values.py`: numbers, ids, members of enums, truth values and "None or a value" are z3 terms. A comparison is a
  decision, and both answers are followed. What cannot be followed raises `Unsupported`, and the run fails.
- `world.py`: cells are made when a key is first asked for. Two keys may be equal or different: both are followed.
- `merge.py`: each wire, guard, decision, rule and shared helper is run on all of its paths, from the state in which it
  was reached, and what the paths leave is merged under their conditions. So paths add up instead of multiplying (the
  drop of an outcome had 71,000, and has about a thousand), and nothing is summarized that was not run.
- `invariants.py`, `facts.py`, `facts_lanes.py`, `facts_order.py`, `facts_work.py`: a sentence about one cell, a cell and the one it names, or a counter and
  what it counts is premise and claim at once: supposed of the cells before a step, required of those after it, and of
  any other cell. What a step did not write is as it was, so a count is kept iff the counter changes by as much. A
  store without cells meets every sentence: that is where induction begins.
- Claims of rung `any world` suppose nothing at all: cells and inputs of the right types, in any combination.
- `ghosts.py`: what no cell holds (ids handed out, tokens spent, effects performed, processes on a target, who came into
  a lane when, which claims an operator forced) is remembered by ghosts, which are monotone. Moves of the outside (a child starts, a child or an owner is gone) are inputs too.
- `second.py`, `smtlib.py`: of each `unsat` of z3, of claims and of branches, the unsat core is put to cvc5 as SMT-LIB 2,
  and must be `unsat` there too: a part of the assertions that cannot be met refutes all of them. The controls: for each
  claim on each input the question without its last assertion, and wherever an input is accepted the premises, must be
  `sat`; premises that nothing meets would prove everything. `--alone` leaves cvc5 out.
- `deep.py`, with `--deep`: every mutant of tables and wiring, put to the claims, and what no claim refutes to the models.
- `tests/proofs`: every claim is refuted by a planted fault; worlds of every path and calls of the explorer say what the
  plain `step` says.
- `contracts/`: leaf decisions, confirmed by CrossHair over all paths.

A refuted claim tells one world in the words of the kernel, "to induction": it meets the premises, but nobody has shown
that it can be reached. Ask the explorer: `tests/proofs/test_deep.py` shows how.

## Claims

| claim | says | requirements |
|---|---|---|
{rows}

## What is supposed

Of a world: the invariants, and nothing else; each is required by a claim. Of the outside (`dhruva.assume`):

{assumed}

And:

{supposed}

## What one must trust

The engine in this folder, z3 and cvc5 not to err alike, CPython, and that the sentences say what the requirements mean.
`step` is not trusted: it is what is run.

## What is not proved

- Liveness beyond the ranking of dispatches: that follow-ups are handled at last, that who waits is served.
- That the walk of a dispose over the living attempts of a scope meets each (its lanes are proved to be lists in order,
  the attempts of a scope only to be linked both ways). Models.
- The cascade of a re-execution as a whole (LIF-10): each step of it is, their order is the models'.
- The shell, SQLite, the file protocol of locks, the operating system.
"""
