"""Tests stand where their modules do: those of `src/corollary/a/b/c.py` are in `tests/a/b/test_c.py`.

Those of a package's own code, in `a/b/__init__.py`, are in `tests/a/b/test_b.py`; kernels, `c_kernels.py` or
`kernels/c.py`, are tested with what calls them. What tests several modules together is in `tests/together/`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: Modules without a file of their own, or folders (with a / at the end), and the file that tests them.
TESTED_BY = {
    "campaign/storage/holding.py": "campaign/storage/test_store.py",
    "__init__.py": "test_package.py",
    "__main__.py": "cli/label/test_ask.py",
    "campaign/files/exports/parquet_tables.py": "campaign/files/exports/test_exports.py",
    "campaign/files/imports/tool_records.py": "campaign/files/tools/test_formats.py",
    "campaign/files/tools/label_studio/predictions.py": "web/label_studio/test_backend.py",
    "campaign/reading/views.py": "campaign/reading/test_reading.py",
    "campaign/state/event_log.py": "campaign/state/test_state.py",
    "campaign/storage/event_groups.py": "campaign/storage/test_writer.py",
    "cli/__main__.py": "cli/label/test_serve.py",
    "cli/label/pick.py": "cli/label/test_ask.py",
    "cli/label/witness_told.py": "cli/label/test_witness.py",
    "cli/upkeep/restore.py": "cli/upkeep/test_backup.py",
    "experiment/data/classics/__main__.py": "experiment/data/classics/test_classics.py",
    "learning/learners/learner_names.py": "learning/learners/test_learner.py",
    "learning/session/asking.py": "learning/session/test_session.py",
    "learning/session/linked_choosing.py": "learning/session/test_linked_session.py",
    "learning/session/linked_knowledge.py": "learning/session/test_linked_session.py",
    "learning/session/scoring.py": "learning/session/test_session.py",
    "learning/session/training.py": "learning/session/test_session.py",
    "logic/engines/kernels/cut.py": "logic/engines/test_junction.py",
    "logic/language/grammar.py": "logic/language/test_syntax.py",
    "logic/reasoning/reasoner.py": "logic/test_ontology.py",
    "logic/relations/alternatives.py": "logic/relations/test_linked.py",
    "logic/relations/ground.py": "logic/relations/test_linked.py",
    "logic/relations/pair_logic.py": "logic/relations/test_linked.py",
    "logic/relations/parts.py": "logic/relations/test_linked.py",
    "logic/relations/weighing.py": "logic/relations/test_linked.py",
    "logic/relations/settling.py": "logic/relations/test_linked.py",
    "logic/language/syntax_errors.py": "logic/language/test_syntax.py",
    "scale/computing.py": "scale/test_pool.py",
    "scale/outlook.py": "scale/test_pool.py",
    "scale/predictions.py": "scale/test_pool.py",
    "scale/work.py": "scale/test_pool.py",
    "torch/layouts/forest.py": "torch/test_parts.py",
    "torch/inference.py": "torch/test_functions.py",
    "web/context.py": "web/api/test_questions.py",
    "web/schemas/": "together/web/test_openapi.py",
}


def has_code(path: Path) -> bool:
    """Whether a module defines anything; a package that only gathers names does not."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in tree.body
    )


def modules_in(source: Path) -> set[str]:
    found = {path for path in source.rglob("*.py") if path.name != "__init__.py" or has_code(path)}
    return {path.relative_to(source).as_posix() for path in found}


def files_of_tests(tests: Path) -> set[str]:
    return {path.relative_to(tests).as_posix() for path in tests.rglob("test_*.py")}


def file_for(module: str) -> str:
    """The file that tests a module by the rule."""
    path = Path(module)
    if path.parent.name == "kernels":
        path = path.parents[1] / path.name
    name = path.parent.name if path.name == "__init__.py" else path.stem.removesuffix("_kernels")
    return path.with_name(f"test_{name}.py").as_posix()


def faults(
    modules: set[str], tests: set[str], packages: set[str], tested_by: Mapping[str, str]
) -> Iterator[str]:
    """What keeps the tests from mirroring the modules."""
    by_rule = {module: file_for(module) for module in modules}
    for test in sorted(tests - set(by_rule.values())):
        if test.partition("/")[0] in packages:
            yield f"tests/{test} has no module: rename it, or move it to tests/together/"
    alone = {module for module, test in by_rule.items() if test not in tests}
    for line, test in tested_by.items():
        meant = {
            module
            for module in modules
            if module == line or (line.endswith("/") and module.startswith(line))
        }
        if not meant:
            yield f"{line} is in TESTED_BY, but there is no such module"
        elif not meant & alone:
            yield f"{line} is in TESTED_BY, but has tests of its own"
        if test not in tests:
            yield f"{line} is tested by tests/{test}, says TESTED_BY, but there is no such file"
        alone -= meant
    for module in sorted(alone):
        yield f"{module} has no tests: write tests/{by_rule[module]}, or say in TESTED_BY what tests it"


def test_tests_mirror_the_modules():
    source = ROOT / "src" / "corollary"
    packages = {path.parent.name for path in source.glob("*/__init__.py")}
    assert (
        list(faults(modules_in(source), files_of_tests(ROOT / "tests"), packages, TESTED_BY)) == []
    )


def test_each_fault_is_found():
    modules = {
        "logic/__init__.py",
        "logic/a.py",
        "logic/b_kernels.py",
        "logic/kernels/b.py",
        "logic/c/d.py",
        "logic/c/e.py",
        "web/f.py",
    }
    tests = {
        "logic/test_logic.py",
        "logic/test_a.py",
        "logic/test_b.py",
        "together/logic/test_all.py",
        "test_mirror.py",
    }

    def found(tests, tested_by):
        return [
            fault.partition(" ")[0] for fault in faults(modules, tests, {"logic", "web"}, tested_by)
        ]

    fine = {"logic/c/": "logic/test_a.py", "web/f.py": "together/logic/test_all.py"}
    assert found(tests, fine) == []
    assert found(tests | {"logic/test_g.py", "web/c/test_d.py"}, fine) == [
        "tests/logic/test_g.py",
        "tests/web/c/test_d.py",
    ]
    assert found(tests - {"logic/test_b.py"}, fine) == ["logic/b_kernels.py", "logic/kernels/b.py"]
    assert found(tests, {"logic/c/d.py": "logic/test_a.py"}) == ["logic/c/e.py", "web/f.py"]
    assert found(tests, fine | {"logic/h.py": "logic/test_a.py"}) == ["logic/h.py"]
    assert found(tests, fine | {"logic/a.py": "logic/test_b.py"}) == ["logic/a.py"]
    assert found(tests, fine | {"web/f.py": "web/test_gone.py"}) == ["web/f.py"]


def test_packages_that_only_gather_names_need_no_tests(tmp_path):
    for name, text in (
        ("a/__init__.py", '"""A."""\n\nfrom .b import c\n'),
        ("b/__init__.py", "def b():\n    pass\n"),
    ):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert modules_in(tmp_path) == {"b/__init__.py"}
