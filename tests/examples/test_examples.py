"""Every example runs as a reader would run it, in a folder of its own, and prints what it promises."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import corollary

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCE = Path(corollary.__file__).parents[1]  # where this Corollary is, installed or not


def run(name: str, folder: Path, *arguments: str, typed: str = "") -> str:
    """What an example prints."""
    paths = [str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-W",
            "default::DeprecationWarning",
            str(EXAMPLES / f"{name}.py"),
            *arguments,
        ],
        cwd=folder,
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def percents(text: str, pattern: str) -> list[float]:
    return [float(found) for found in re.findall(pattern, text)]


def test_text_taxonomy(tmp_path):
    told = run("text_taxonomy", tmp_path)
    right = percents(told, r"predicted right of (\d+)%")
    assert len(right) == 5
    assert right[0] >= 80  # it reads: a little is right before anybody says so
    assert right[-1] >= 90
    assert re.search(r"50 questions settled (\d+) labels", told)
    assert "  so " in told


def test_text_taxonomy_with_a_person(tmp_path):
    told = run(
        "text_taxonomy", tmp_path, "--ask", typed="n\n\n"
    )  # no, can't tell, and the end of the file
    assert told.count("Is it about:") == 3
    assert told.count(": no\n") >= 1


def test_relations(tmp_path):
    told = run("relations", tmp_path)
    assert "36 labels of mentions and 72 relations of pairs are unknown" in told
    asked = re.search(r"(\d+) questions settled all 108", told)
    assert asked
    assert int(asked[1]) <= 20


def test_image_embeddings(tmp_path):
    told = run("image_embeddings", tmp_path)
    right = percents(told, r"open, ([\d.]+)% of the pictures")
    assert len(right) == 5
    assert right[-1] >= 97
    assert "yes would settle: not one" in told
    assert re.search(r"without the truth: [\d.]+% of the items are right", told)


def test_biomedical_obo(tmp_path):
    told = run("biomedical_obo", tmp_path)
    assert "warning: thinking blood cell can never be yes" in told
    assert "What these cannot say: EX:9 has_part EX:10" in told
    assert "yes:  cell, blood cell, white blood cell, lymphocyte, T cell, killer T cell" in told
    assert "no:   nerve cell, red blood cell, B cell" in told
    assert "so nerve cell is no: at most one of nerve cell, blood cell [cells.obo:14]" in told
    assert "These answers cannot all be true: nerve cell is yes, lymphocyte is yes" in told
    posterior = {
        line[:17].strip(): float(line.split()[-1])
        for line in told.splitlines()
        if re.search(r"\d\.\d{3}$", line)
    }
    assert (
        posterior["cell"] >= posterior["blood cell"] + posterior["nerve cell"]
    )  # both are cells, and exclusive
    assert posterior["lymphocyte"] >= posterior["T cell"] + posterior["B cell"]
    assert told.endswith("exact\n")


def test_consistent_model(tmp_path):
    told = run("consistent_model", tmp_path)
    broken = percents(told, r"(\d+) of 200 break the rules")
    right = percents(told, r"all right: (\d+)%")
    assert broken[0] > 0
    assert broken[1:] == [0, 0, 0]
    assert right[0] < right[1] == right[2] < right[3]
    assert "These answers cannot all be true" in told


def test_compare_strategies(tmp_path):
    told = run("compare_strategies", tmp_path)
    needed = {
        method: int(n) for method, n in re.findall(r"^(\S+) +(\d+) questions  ", told, flags=re.M)
    }
    assert list(needed) == ["RANDOM-CP", "LOG-CP", "posterior"]
    assert needed["posterior"] < needed["RANDOM-CP"]
    assert (tmp_path / "strategies.png").read_bytes().startswith(b"\x89PNG")


def test_campaign_over_http(tmp_path):
    told = run("campaign_over_http", tmp_path)
    asked, settled, saved = map(
        int, re.search(r"(\d+) questions settled (\d+) labels; (\d+) were saved", told).groups()
    )
    assert (settled, asked + saved) == (56, 56)
    assert told.count("?") == asked
    with (tmp_path / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["item"], row["label"]) for row in rows if row["value"] == "yes"} >= {
        ("2", "plush"),
        ("6", "doll"),
    }
    assert {row["source"] for row in rows} == {"asked", "implied"}
    assert {row["by"] for row in rows if row["source"] == "asked"} == {"ann"}


def test_the_list_of_examples_is_complete():
    listed = re.findall(
        r"^\| \[(\w+\.py)\]", (EXAMPLES / "README.md").read_text(encoding="utf-8"), flags=re.M
    )
    assert sorted(listed) == sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 120
