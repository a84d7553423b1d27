"""What is in the wheel and in the source distribution, and what is not."""

from __future__ import annotations

import tarfile
from email import message_from_bytes
from pathlib import Path

import pytest

import corollary

from .conftest import ROOT, build, contents
from .oldest import oldest

pytestmark = pytest.mark.slow

PACKAGE = ROOT / "src" / "corollary"
EXTRAS = {"formats", "data", "tables", "plots", "serve", "postgres", "test", "dev"}


def of_the_package(path: Path) -> dict[str, bytes]:
    """The files of the checkout that users need, by their name in the wheel."""
    kinds = (".py", ".cu", ".typed", ".onto", ".tsv", ".gz", ".md")
    files = [
        one
        for one in path.rglob("*")
        if one.is_file() and (one.suffix in kinds or "static" in one.parts)
    ]
    return {f"corollary/{one.relative_to(path)}": one.read_bytes() for one in files}


def test_the_wheel_has_all_of_the_package_and_nothing_else(wheel, source):
    found = contents(wheel)
    package = {name: data for name, data in found.items() if ".dist-info/" not in name}
    assert package == of_the_package(source / "src" / "corollary")
    assert {name.rpartition("/")[2] for name in set(found) - set(package)} == {
        *("METADATA", "WHEEL", "RECORD", "entry_points.txt", "top_level.txt", "LICENSE")
    }


@pytest.mark.parametrize(
    "name",
    [
        "py.typed",
        "web/static/index.html",
        "web/static/favicon.svg",
        "web/static/js/main.js",
        "web/static/js/lead/progress.js",
        "web/static/css/base.css",
        "experiment/data/classics/ATTRIBUTION.md",
        "experiment/data/classics/iris.tsv.gz",
        "experiment/data/classics/vowel.tsv.gz",
        "experiment/data/classics/segment.tsv.gz",
        "experiment/data/things/things.tsv",
        "experiment/data/things/things.onto",
        "experiment/data/things/things.labels.tsv",
        "torch/forest_kernel.cu",
        "torch/junction_kernel.cu",
    ],
)
def test_what_the_program_reads_is_in_the_wheel(wheel, name):
    assert contents(wheel)[f"corollary/{name}"] == (PACKAGE / name).read_bytes()


def test_every_python_file_is_in_a_package():
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


def test_the_source_distribution_gives_the_same_wheel(sdist, wheel, tmp_path):
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (folder,) = (tmp_path / "unpacked").iterdir()
    assert contents(build(folder, "wheel", tmp_path / "again")) == contents(wheel)


def test_the_source_distribution_has_what_a_packager_reads(sdist):
    names = set(contents(sdist))
    assert names >= {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CITATION.cff",
        "PKG-INFO",
    }
    tops = {name.partition("/")[0] for name in names if "/" in name}
    assert tops == {"src"}  # no tests, no data sets, no results
    assert sum(map(len, contents(sdist).values())) < 5_000_000


def test_no_file_tells_of_the_machine_it_was_built_on(wheel, sdist, source):
    for built in (wheel, sdist):
        for name, data in contents(built).items():
            for folder in (ROOT, Path.home(), source):
                assert str(folder).encode() + b"/" not in data, name


def test_metadata(wheel):
    told = message_from_bytes(
        next(data for name, data in contents(wheel).items() if name.endswith("/METADATA"))
    )
    assert (told["Name"], told["Version"]) == ("corollary", corollary.__version__)
    assert told["License-Expression"] == "BSD-3-Clause"
    assert told["License-File"] == "LICENSE"
    assert told["Requires-Python"] == ">=3.11"
    assert set(told.get_all("Provides-Extra")) >= EXTRAS
    assert told["Description-Content-Type"] == "text/markdown"
    assert not any(
        one.startswith("License ::") for one in told.get_all("Classifier")
    )  # the expression says it
    # What runs without an extra: nothing of the page, the formats or the figures.
    core = {one.partition(">")[0] for one in told.get_all("Requires-Dist") if "extra ==" not in one}
    alone = {
        "click",
        "lark",
        "numba",
        "numpy",
        "python-sat",
        "rich",
        "scikit-learn",
        "scipy",
        "threadpoolctl",
    }
    assert core == alone


def test_the_command_is_declared(wheel):
    told = next(
        data for name, data in contents(wheel).items() if name.endswith("/entry_points.txt")
    )
    assert told.decode().split("\n")[:2] == ["[console_scripts]", "corollary = corollary.cli:main"]


def test_the_oldest_versions_are_those_of_the_bounds():
    pins = dict(pin.split("==") for pin in oldest(ROOT / "pyproject.toml"))
    assert set(pins) >= {
        "numpy",
        "scipy",
        "scikit-learn",
        "numba",
        "fastapi",
        "sqlalchemy",
        "psycopg",
        "rdflib",
    }
    bounds = set((ROOT / "pyproject.toml").read_text(encoding="utf-8").split('"'))
    assert {f"numpy>={pins['numpy']}", f"psycopg[binary]>={pins['psycopg']}"} <= bounds
