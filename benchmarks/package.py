"""Suite `package`: how long `import corollary` takes, what it does not load, and how much disk an install takes."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from . import Missing

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "corollary"
RUNS = 15
#: Slow to load, and left until they are needed.
HEAVY = (
    "numpy",
    "scipy",
    "numba",
    "sklearn",
    "pysat",
    "lark",
    "rich",
    "click",
    "pandas",
    "pyarrow",
    "rdflib",
)
HEAVY += ("networkx", "matplotlib", "fastapi", "sqlalchemy", "sqlite3")
PROGRAM = """
import json, sys, time
wall, work = time.perf_counter(), time.process_time()
{}
print(json.dumps([time.perf_counter() - wall, time.process_time() - work, list(sys.modules)]))
"""


def importing() -> dict[str, Any]:
    """Milliseconds of a fresh interpreter, the median of 15 runs after a first one, numpy beside it."""
    figures: dict[str, Any] = {}
    for name, statement in {
        "import corollary": "import corollary",
        "import numpy": "import numpy",
        "constraints from text": "import corollary as co; co.Ontology.parse('animal > exclusive: bird, fish')",
        "first propagation": "import corollary as co; co.Ontology.parse('animal > bird').propagate({'bird': True})",
    }.items():
        runs = [run(statement) for _ in range(RUNS + 1)][1:]
        figures[f"{name}, ms"] = 1000 * statistics.median(wall for wall, _, _ in runs)
        figures[f"{name}, ms of processor"] = 1000 * statistics.median(work for _, work, _ in runs)
    loaded = set(run("import corollary")[2])
    figures["heavy modules that are loaded"] = (
        ", ".join(name for name in HEAVY if name in loaded) or "none"
    )
    figures["not loaded"] = ", ".join(name for name in HEAVY if name not in loaded)
    return figures | {"targets": {"import corollary, ms of processor": ("at most", 50)}}


def run(statement: str) -> tuple[float, float, list[str]]:
    """Seconds by the clock and of the processor that a statement takes in a new interpreter, and what is loaded."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(statement)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    wall, work, modules = json.loads(done.stdout)
    return wall, work, modules


def size() -> dict[str, Any]:
    """Megabytes on disk: of the package, of the page in it, of each core dependency with what it brings, and of all."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed: dict[str, float] = {}
    for requirement in project["dependencies"]:
        collect(requirement, needed)
    files = [
        path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    page = [path for path in files if "static" in path.parts]
    own = megabytes(files)
    return {
        "corollary, files": len(files),
        "corollary, MB": own,
        "of this the page, MB": megabytes(page),
        **{
            f"{name}, MB": needed[name]
            for name in sorted(needed, key=needed.__getitem__, reverse=True)
        },
        "core dependencies, MB": sum(needed.values()),
        "in all, MB": own + sum(needed.values()),
        "targets": {"corollary, MB": ("at most", 5)},
    }


def collect(requirement: str, found: dict[str, float]) -> None:
    """Add the size of a package, and of all that it requires itself."""
    wanted = Requirement(requirement)
    name = re.sub(r"[-_.]+", "-", wanted.name).lower()
    if name in found or (wanted.marker is not None and not wanted.marker.evaluate({"extra": ""})):
        return
    try:
        package = distribution(name)
    except PackageNotFoundError as missing:
        raise Missing(f"{name} is not installed") from missing
    found[name] = megabytes([Path(package.locate_file(file)) for file in package.files or ()])
    for further in package.requires or ():
        collect(further, found)


def megabytes(files: list[Path]) -> float:
    return (
        sum(path.stat().st_size for path in files if path.is_file() and path.suffix != ".pyc") / 1e6
    )


CASES = {"import": importing, "size": size}
