"""The figures of the paper's reproduction: a picture for each data set that was run, the same from the same runs."""

from __future__ import annotations

import gzip
import json

import matplotlib as mpl
import pytest

from ..experiment.curves import curve

pytestmark = pytest.mark.slow


@pytest.fixture
def figures(script):
    with mpl.rc_context():  # it sets how pictures are written
        yield script("figures")


@pytest.fixture
def folder(figures, monkeypatch, tmp_path):
    """Runs of three methods on two data sets, two seeds each; RANDOM does not get to 0.999."""
    monkeypatch.setattr(figures, "HERE", tmp_path)
    monkeypatch.setattr("sys.argv", ["figures.py", "--quick"])
    lines = []
    for dataset in ("nell-13", "iris"):
        for method, last in (("RANDOM", 0.9), ("LOG-CP", 0.9995), ("posterior", 1.0)):
            for seed in range(2):
                job = {
                    "dataset": dataset,
                    "method": method,
                    "seed": seed,
                    "settings": {"per_round": 1},
                }
                found = curve([0, 1000 + seed, 2000], [0.5, 0.8, last])
                lines.append(json.dumps({"job": job, "curve": found.to_json()}))
    quick = tmp_path / "quick"
    quick.mkdir()
    (quick / "run.json").write_text("{}", encoding="utf-8")
    (quick / "curves.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return quick


def test_a_picture_of_each_data_set_the_same_from_the_same_runs(figures, folder, tmp_path, capsys):
    figures.main()
    assert capsys.readouterr().out == f"2 figures in {folder}\n"
    drawn = {path.name for path in folder.glob("*.*g")}
    assert drawn == {"iris.png", "iris.svg", "nell-13.png", "nell-13.svg"}
    assert (folder / "iris.png").read_bytes().startswith(b"\x89PNG")
    told, conjectured = (
        (folder / f"{name}.svg").read_text(encoding="utf-8") for name in ("iris", "nell-13")
    )
    for words in (
        "questions until AUC",
        "average AUC on the test part",
        "known cells",
        "LOG-CP",
        "not reached",
        "2k",
    ):
        assert words in told
    assert "the constraints are a conjecture" in conjectured
    assert "conjecture" not in told
    figures.draw(figures.Results(folder), "iris", tmp_path)
    assert (tmp_path / "iris.svg").read_text(encoding="utf-8") == told


def test_every_method_has_a_style_of_its_own(figures):
    assert figures.STYLES.keys() == set(figures.METHODS)
    styles = {(style["color"], str(style["linestyle"])) for style in figures.STYLES.values()}
    assert len(styles) == len(figures.METHODS)
