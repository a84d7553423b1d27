"""The package itself: what `import corollary` gives, and what it costs."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import corollary

PUBLIC = {
    *("Ontology", "Budget", "Explanation", "Finding"),
    *(
        "implies",
        "subsumes",
        "covers",
        "exclusive",
        "exactly_one",
        "at_least_one",
        "equivalent",
        "formula",
    ),
    *(
        "score",
        "relation",
        "symmetric",
        "inverse",
        "functional",
        "Pairs",
        "Session",
        "Asking",
        "Reading",
        "Annotators",
        "Experiment",
        "Question",
        "ItemQuestion",
        "Dataset",
        "load_dataset",
        "simulate",
        "Curve",
    ),
    *("zero_shot", "read_meaning", "read_names"),
    *("read_rules", "ask_rules", "LanguageModel"),
    "Consensus",
    *("ConsistentClassifier", "ConstraintSampling", "constraint_sampling"),
    *("Campaign", "Item"),
    "plot",  # a package
    *("Contradiction", "CorollaryError", "OntologyError", "NotationError", "FormatError"),
    *("NotExpressedWarning", "EstimateWarning", "__version__"),
}
HEAVY = {
    *("numpy", "scipy", "numba", "pandas", "pyarrow", "rdflib", "pysat", "lark", "networkx"),
    *("click", "rich", "matplotlib", "sqlite3", "fastapi", "sqlalchemy", "sklearn", "torch"),
}


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after the statement."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def type_checking_names() -> dict[str, str]:
    """Name -> module of the imports that only type checkers read."""
    tree = ast.parse(Path(corollary.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {alias.name: node.module for node in block.body for alias in node.names}


def test_public_names_are_pinned():
    assert set(corollary.__all__) == PUBLIC
    assert len(corollary.__all__) == len(PUBLIC)


def test_every_public_name_loads_from_its_home():
    assert corollary.plot is importlib.import_module("corollary.plot")
    for name in PUBLIC - {"__version__", "plot"}:
        home = importlib.import_module(f"corollary.{corollary._HOME[name]}")
        assert getattr(corollary, name) is getattr(home, name)


def test_type_checkers_see_the_same_names():
    assert type_checking_names() == {**corollary._HOME, "plot": None}


def test_a_missing_extra_is_named():
    program = "import sys; sys.modules['sqlalchemy'] = None; import corollary; corollary.Campaign"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Campaign needs sqlalchemy: pip install 'corollary[serve]'" in done.stderr


NOT_SERVED = {
    *("psycopg", "pandas", "pyarrow", "polars", "dask", "distributed", "cryptography", "pooch"),
    *("rdflib", "networkx", "fastobo", "matplotlib", "PIL", "torch", "sentence_transformers"),
    *("pytest", "hypothesis", "httpx"),
}


def test_what_serves_imports_with_two_extras_only():
    """`make demo` installs .[serve,text]; no module but PostgreSQL's needs more when it is imported."""
    program = f"""
import importlib, importlib.abc, sys
from pathlib import Path

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {NOT_SERVED}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
import corollary
root = Path(corollary.__file__).parent
for path in root.rglob("*.py"):
    parts = path.relative_to(root.parent).with_suffix("").parts
    name = ".".join(parts).removesuffix(".__init__")
    if parts[-1] != "__main__" and parts[1] != "torch":
        try:
            importlib.import_module(name)
        except ImportError as error:
            print(name, error, sep=": ")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    needs = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert needs == ["corollary.campaign.storage.postgresql"], done.stdout


def test_torch_is_named_where_it_is_missing():
    program = "import sys; sys.modules['torch'] = None; import corollary.torch"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "corollary.torch needs torch: pip install 'corollary[torch]'" in done.stderr


def test_dir_lists_the_public_names():
    assert set(dir(corollary)) >= PUBLIC


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Ontologie'"):
        _ = corollary.Ontologie


def test_import_is_light():
    loaded = modules_after("import corollary")
    assert not loaded & HEAVY


def test_constraints_need_no_arrays():
    loaded = modules_after("import corollary as co; co.implies('bird', 'animal')")
    assert not loaded & {"numpy", "numba", "pysat"}


def test_version_is_a_release_in_the_citation():
    assert re.fullmatch(r"\d+\.\d+\.\d+", corollary.__version__)
    citation = Path(__file__).parents[1] / "CITATION.cff"
    assert f"version: {corollary.__version__}\n" in citation.read_text(encoding="utf-8")


def test_types_are_shipped():
    assert Path(corollary.__file__).with_name("py.typed").exists()
