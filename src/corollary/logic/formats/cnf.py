"""DIMACS CNF, the language of SAT solvers, with label names in comments: `c label 1 bird`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import combinations
from typing import NoReturn

from ..errors import FormatError, OntologyError
from ..language import constraints as c
from ..language import formula as f
from ..language.notation import Document, render_constraint
from .files import decode
from .owl.class_expressions import fits

#: A header that promises more variables than this is taken for a mistake.
MAX_VARIABLES = 5_000_000
#: One constraint may become this many clauses: an exclusive group of about 1,400 labels.
MAX_CLAUSES = 1_000_000
#: A formula may become this many clauses; they are made by multiplying out.
MAX_FORMULA_CLAUSES = 1_024


@dataclass
class _Problem:
    """What has been read so far."""

    file: str
    line: int = 0
    n_variables: int | None = None
    n_clauses: int = 0
    names: dict[int, str] = field(default_factory=dict)
    clauses: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)

    def fail(self, message: str, *, line: int | None = None) -> NoReturn:
        raise FormatError(f"{self.file}, line {line or self.line}: {message}")


def read(data: bytes, *, file: str) -> Document:
    """Each variable as a label and each clause as a constraint; variables without a name are x1, x2, ..."""
    problem = _Problem(file)
    for problem.line, line in enumerate(decode(data, file=file).split("\n"), 1):
        words = line.split()
        if not words:
            continue
        if words[0] == "%":  # ends the clauses in the files of SATLIB
            break
        if words[0] == "c":
            _comment(problem, line)
        elif words[0] == "p":
            _header(problem, words)
        else:
            _literals(problem, words)
    labels = _labels(problem)
    constraints = (
        _constraint(clause, labels, c.Source(file, line)) for line, clause in problem.clauses
    )
    return Document(
        labels, tuple(constraint for constraint in constraints if constraint is not None)
    )


def _comment(problem: _Problem, line: str) -> None:
    words = line.split(maxsplit=3)
    if len(words) < 4 or words[1] != "label" or not words[2].isdecimal():
        return
    variable = _number(problem, words[2])
    name = words[3].rstrip()
    try:
        c.check_name(name)
    except OntologyError as error:
        problem.fail(str(error))
    if problem.names.setdefault(variable, name) != name:
        problem.fail(f"variable {variable} is called {problem.names[variable]!r} and {name!r}")


def _header(problem: _Problem, words: list[str]) -> None:
    if problem.n_variables is not None:
        problem.fail("a second header; one file is one problem")
    if len(words) != 4 or words[1] != "cnf" or not (words[2].isdecimal() and words[3].isdecimal()):
        problem.fail(f"expected 'p cnf VARIABLES CLAUSES', got {' '.join(words)!r}")
    problem.n_variables = _number(problem, words[2])
    problem.n_clauses = _number(problem, words[3])
    if problem.n_variables > MAX_VARIABLES:
        problem.fail(f"{problem.n_variables:,} variables; at most {MAX_VARIABLES:,} are read")


def _literals(problem: _Problem, words: list[str]) -> None:
    if problem.n_variables is None:
        problem.fail("a clause before the header 'p cnf VARIABLES CLAUSES'")
    for word in words:
        literal = _number(problem, word)
        if abs(literal) > problem.n_variables:
            problem.fail(
                f"variable {abs(literal)} is out of range: the header says {problem.n_variables}"
            )
        if literal:
            problem.begun.append(literal)
        else:
            problem.clauses.append((problem.line, tuple(dict.fromkeys(problem.begun))))
            problem.begun = []


def _number(problem: _Problem, word: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", word):
        shown = word if len(word) <= 40 else f"{word[:40]}..."
        problem.fail(f"expected a number, got {shown!r}")
    return int(word)


def _labels(problem: _Problem) -> tuple[str, ...]:
    """The names of all variables, once the file is found to be whole."""
    if problem.n_variables is None:
        problem.fail("the header 'p cnf VARIABLES CLAUSES' is missing")
    if problem.begun:
        problem.fail("the last clause does not end with 0; the file may be truncated")
    if len(problem.clauses) != problem.n_clauses:
        problem.fail(f"the header says {problem.n_clauses} clauses, found {len(problem.clauses)}")
    for variable in problem.names:
        if not 1 <= variable <= problem.n_variables:
            problem.fail(
                f"a comment names variable {variable}, the header says {problem.n_variables} variables"
            )
    names = [
        problem.names.get(variable, f"x{variable}")
        for variable in range(1, problem.n_variables + 1)
    ]
    first: dict[str, int] = {}
    for variable, name in enumerate(names, 1):
        if name in first:
            problem.fail(f"variables {first[name]} and {variable} are both called {name!r}")
        first[name] = variable
    return tuple(names)


def _constraint(
    clause: tuple[int, ...], labels: tuple[str, ...], source: c.Source
) -> c.Constraint | None:
    """The constraint that a clause is; None for one that is always true."""
    yes = tuple(labels[literal - 1] for literal in clause if literal > 0)
    no = tuple(labels[-literal - 1] for literal in clause if literal < 0)
    if set(yes) & set(no):
        return None
    match len(yes), len(no):
        case 0, 0:
            return c.Formula(f.FALSE, source=source)
        case _, 0:
            return c.AtLeastOne(yes, source=source)
        case 1, 1:
            return c.Subsumes(yes[0], no, source=source)
        case 0, 2:
            return c.Exclusive(no, source=source)
        case _, 1 if yes:
            return c.Covers(no[0], yes, source=source)
    parts: list[f.Expression] = [f.Not(f.Name(label)) for label in no]
    parts += map(f.Name, yes)
    return c.Formula(parts[0] if len(parts) == 1 else f.Or(tuple(parts)), source=source)


def write(document: Document) -> tuple[bytes, list[str]]:
    """Every constraint in clauses over the labels alone, so that the models are exactly the legal worlds.

    Soft constraints are not expressed.
    """
    number = {label: k for k, label in enumerate(document.labels, 1)}
    lines = []
    lost = []
    for constraint in document.constraints:
        if isinstance(constraint, c.Soft):
            lost.append(render_constraint(constraint))
            continue
        clauses = _clauses(constraint, number)
        if clauses is None:
            limit = MAX_FORMULA_CLAUSES if isinstance(constraint, c.Formula) else MAX_CLAUSES
            said = " ".join(render_constraint(constraint).split())
            lost.append(f"{said[:200]}{'...' * (len(said) > 200)} (more than {limit:,} clauses)")
        else:
            lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    head = [f"c label {k} {label}" for label, k in number.items()]
    return "".join(
        f"{line}\n" for line in [*head, f"p cnf {len(number)} {len(lines)}", *lines]
    ).encode(), lost


def _clauses(constraint: c.Hard, number: dict[str, int]) -> list[tuple[int, ...]] | None:
    """The clauses of a constraint, None if they are too many."""
    ids = [number[label] for label in constraint.labels]
    match constraint:
        case c.Subsumes():
            return [(-child, ids[0]) for child in ids[1:]]
        case c.Covers():
            return [(-ids[0], *ids[1:])]
        case c.Exclusive() | c.ExactlyOne():
            if len(ids) * (len(ids) - 1) // 2 > MAX_CLAUSES:
                return None
            some = [tuple(ids)] if isinstance(constraint, c.ExactlyOne) else []
            return [*some, *((-a, -b) for a, b in combinations(ids, 2))]
        case c.AtLeastOne():
            return [tuple(ids)]
        case c.Equivalent():
            return [(-a, b) for a, b in zip(ids, ids[1:] + ids[:1], strict=True)]
        case c.Formula(expression):
            found = f.clauses(expression, MAX_FORMULA_CLAUSES) if fits(expression) else None
            if found is None:
                return None
            return [
                tuple(number[name] if positive else -number[name] for name, positive in sorted(one))
                for one in found
            ]
