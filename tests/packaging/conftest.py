"""The wheel and the source distribution of this checkout, and a clean environment with the wheel in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
#: What a build reads; the rest of the checkout (environments, caches, data, papers) is not copied, and not missed.
READ = (
    "pyproject.toml",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "src",
    "tests",
)
LEFT = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.pyc", "*.nbi", "*.nbc")


def build(source: Path, kind: str, target: Path) -> Path:
    """Build as pip and `python -m build` do it, by the hook of the backend; but with what is installed here."""
    target.mkdir(parents=True, exist_ok=True)
    program = "import sys; from setuptools import build_meta; getattr(build_meta, sys.argv[1])(sys.argv[2])"
    done = subprocess.run(
        [sys.executable, "-c", program, f"build_{kind}", str(target)],
        cwd=source,
        env=outside(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = target.iterdir()
    return built


def outside() -> dict[str, str]:
    """The variables of someone who has no checkout."""
    gone = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in gone}


def contents(path: Path) -> dict[str, bytes]:
    """The files of a wheel or a source distribution, by name; the name without the folder that holds them all."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
    with tarfile.open(path) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        return {one.name.partition("/")[2]: archive.extractfile(one).read() for one in files}


@pytest.fixture(scope="session")
def source(tmp_path_factory) -> Path:
    """A copy of the checkout, so that a build leaves nothing in it."""
    copy = tmp_path_factory.mktemp("source")
    for name in READ:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, copy / name, ignore=LEFT)
        else:
            shutil.copy(path, copy / name)
    return copy


@pytest.fixture(scope="session")
def sdist(source, tmp_path_factory) -> Path:
    return build(source, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def wheel(source, tmp_path_factory) -> Path:
    return build(source, "wheel", tmp_path_factory.mktemp("wheel"))


class Installed(NamedTuple):
    """A clean environment with the wheel, and an empty folder to work in."""

    python: Path
    folder: Path

    def run(self, *arguments: str) -> str:
        """What a command of the environment prints; `python` and `corollary` are those of the environment."""
        done = subprocess.run(
            [str(self.python.with_name(arguments[0])), *arguments[1:]],
            cwd=self.folder,
            env=outside(),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def installed(wheel, tmp_path_factory) -> Installed:
    """The wheel alone in an environment of its own; the packages it needs are those that are here, and no network."""
    place = tmp_path_factory.mktemp("clean")
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    install = ["--python", str(python), "install", "-q", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(
        [sys.executable, "-m", "pip", *install], env=outside(), check=True, capture_output=True
    )
    (packages,) = place.glob("lib/python*/site-packages")
    # A path in a .pth file comes after the environment's own, and its .pth files (editable installs) are not read.
    here = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "those_here.pth").write_text("\n".join(sorted(here)) + "\n", encoding="utf-8")
    return Installed(python, tmp_path_factory.mktemp("empty"))
