"""Mutants differ from the source in one place, and are programs."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from .__main__ import ROOT, TRIED
from .mutations import mutations

pytestmark = pytest.mark.slow

SOURCE = '''\
"""Not 1 of these."""
Name = int | tuple[A, str] | None
def é(x: int = 2, y: "1" = None) -> list[int | str]:
    assert x > 1
    if not x and y < 3:
        raise ValueError(1 + 2)
    return x + 1 if isinstance(x, A | B) else {"ä": True}
'''


def test_each_place_is_changed_once():
    found = {(one.line, one.was, one.now) for one in mutations(SOURCE)}
    assert found == {
        (3, "2", "(3)"),
        (5, "not x and y < 3", "(not x or y < 3)"),
        (5, "not x", "(x)"),
        (5, "y < 3", "(y <= 3)"),
        (5, "3", "(4)"),
        (7, "x + 1", "(x - 1)"),
        (7, "1", "(2)"),
        (
            7,
            'x + 1 if isinstance(x, A | B) else {"ä": True}',
            "({'ä': True} if isinstance(x, A | B) else x + 1)",
        ),
        (7, "True", "(False)"),
    }


@pytest.mark.parametrize("module", TRIED)
def test_mutants_are_programs_and_the_tests_are_there(module):
    source = (ROOT / "src" / "corollary" / module).read_text(encoding="utf-8")
    found = mutations(source)
    assert len(found) > 20
    for one in found:
        assert ast.dump(ast.parse(one.apply(source))) != ast.dump(ast.parse(source))
    for test in TRIED[module]:
        assert Path(ROOT, "tests", test).exists()


def test_the_page_counts_mutants_as_they_were_tried():
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    found = json.loads(
        (ROOT / "benchmarks" / "results" / "mutants.json").read_text(encoding="utf-8")
    )
    assert set(found) == set(TRIED)
    for module, one in found.items():
        source = (ROOT / "src" / "corollary" / module).read_text(encoding="utf-8")
        changed = abs(len(mutations(source)) - one["places"])  # since it was tried
        assert changed <= one["places"] / 10, f"try it again: python -m tests.mutants 30 {module}"
        assert f"| `{module}` | {one['tried']} of {one['places']} | {one['killed']} |" in page
        assert one["killed"] == one["tried"] - len(one["survivors"])
    tried, places, killed = (
        sum(one[name] for one in found.values()) for name in ("tried", "places", "killed")
    )
    assert f"| all of these | {tried} of {places} | {killed} |" in page
    assert killed / tried >= 0.85
