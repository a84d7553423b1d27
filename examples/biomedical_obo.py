"""An ontology of cells in OBO format: find what is wrong, draw consequences, make a model's beliefs agree with it.

Needs the formats: pip install 'corollary[formats]'. It writes cells.obo into the folder where it runs.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import corollary as co

TERM = "\n[Term]\nid: EX:{number}\nname: {name}\n{rest}\n"
CELLS = "format-version: 1.2\n" + "".join(
    TERM.format(number=number, name=name, rest=rest)
    for number, name, rest in [
        (1, "cell", ""),
        (2, "blood cell", "is_a: EX:1"),
        (3, "nerve cell", "is_a: EX:1\ndisjoint_from: EX:2"),
        (4, "red blood cell", "is_a: EX:2"),
        (5, "white blood cell", "is_a: EX:2\ndisjoint_from: EX:4"),
        (6, "lymphocyte", "is_a: EX:5"),
        (7, "B cell", "is_a: EX:6"),
        (8, "T cell", "is_a: EX:6\ndisjoint_from: EX:7"),
        (9, "killer T cell", "is_a: EX:8\nrelationship: has_part EX:10"),
        (10, "receptor", ""),
    ]
)
MISTAKE = TERM.format(number=11, name="thinking blood cell", rest="is_a: EX:2\nis_a: EX:3")


def read(text: str) -> co.Ontology:
    """The ontology of an OBO file."""
    Path("cells.obo").write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", co.NotExpressedWarning)  # what it warns of is printed below
        return co.Ontology.load("cells.obo")


print("Lint, after someone added a term:")
for finding in read(CELLS + MISTAKE).lint():
    print(f"  {finding.severity}: {finding.message}")

onto = read(CELLS)
print(f"\nMended: {len(onto)} labels, {len(onto.constraints)} constraints.", end=" ")
print(f"What these cannot say: {', '.join(onto.not_expressed)}")

print("\nThis is a killer T cell, says a curator. So it is")
found = onto.propagate({"killer T cell": True})
for word, value in (("yes:", True), ("no:", False)):
    print(f"  {word:<5}", ", ".join(label for label in found if found[label] is value))
print("\nWhy?", onto.explain({"killer T cell": True}, "nerve cell"))

print("\nOne paper says nerve cell, another says lymphocyte:")
try:
    onto.propagate({"nerve cell": True, "lymphocyte": True})
except co.Contradiction as clash:
    print(f"  {clash}")

# A classifier looks at each label by itself; the posterior is what its beliefs come to where only legal cells exist.
told = {"cell": 0.9, "nerve cell": 0.6, "lymphocyte": 0.7, "T cell": 0.8, "B cell": 0.5}
beliefs = np.array([[told.get(label, 0.3) for label in onto.labels]])
print(f"\n{'':<17} belief  posterior")
for label, before, after in zip(onto.labels, beliefs[0], onto.posterior(beliefs)[0], strict=True):
    print(f"{label:<17} {before:6.2f} {after:10.3f}")
print("computed by", *onto.engines, sep="\n  ")
