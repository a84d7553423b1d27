"""`corollary datasets`."""

from __future__ import annotations

import pytest

from corollary.experiment.data import known
from corollary.experiment.data.datasets import load_dataset
from corollary.experiment.data.known import KNOWN

from ...experiment.served import home, made_up_iris, made_up_vowel


@pytest.fixture
def served():
    with home() as state:
        state.files |= {"iris.scale": made_up_iris(), **made_up_vowel()}
        yield state


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of its own, and no other place with data sets."""
    monkeypatch.delenv("COROLLARY_DATA", raising=False)
    monkeypatch.setattr(known, "folders", lambda: [tmp_path / "cache"])
    return tmp_path / "cache"


def test_list_has_a_row_for_each(call, cache):
    result = call("datasets", "list")
    assert result.exit_code == 0
    rows = {
        line.split()[0]: line
        for line in result.stdout.splitlines()
        if line.strip() and line.split()[0] in KNOWN
    }
    assert list(rows) == list(KNOWN)
    assert rows["letter"].split()[1:5] == ["20,000", "16", "26", "1"]
    assert "to get it: corollary datasets fetch letter" in rows["letter"]
    assert (
        "no public download in this form: set COROLLARY_DATA to a folder with nell_995/"
        in rows["nell-7"]
    )
    for name in ("iris", "vowel", "segment", "things"):
        assert rows[name].rstrip().endswith("with the package")
    assert "rebuilt" in rows["nell-7"]
    assert "rebuilt, constraints conjectured" in rows["nell-13"]


def test_fetch_and_list(call, cache, served):
    result = call("datasets", "fetch", "iris", "vowel", "--folder", cache, "--from", served.url)
    assert result.exit_code == 0
    assert f"iris: {cache / 'iris'}" in result.stderr
    assert result.stderr.count("not known to us beforehand") == 3
    assert len(load_dataset("vowel")) == 990
    assert str(cache / "iris") in call("datasets", "list").stdout
    requests = len(served.requests)
    assert call("datasets", "fetch", "iris", "--folder", cache, "--from", served.url).exit_code == 0
    assert len(served.requests) == requests


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("irsi", "unknown data set 'irsi'; did you mean 'iris'?"),
        ("nell-7", "nell-7: no public download in this form: set COROLLARY_DATA"),
    ],
)
def test_names_are_checked_before_anything_is_fetched(call, served, cache, name, message):
    result = call("datasets", "fetch", "iris", name, "--folder", cache, "--from", served.url)
    assert result.exit_code == 2
    assert message in result.stderr
    assert served.requests == []


def test_a_failure_is_one_message(call, served, cache):
    del served.files["iris.scale"]
    result = call("datasets", "fetch", "iris", "--folder", cache, "--from", served.url)
    assert result.exit_code == 2
    assert "iris.scale cannot be had: 404" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_home_is_an_address(call, cache):
    result = call("datasets", "fetch", "iris", "--from", "/some/folder")
    assert result.exit_code == 2
    assert "starts with http:// or https://" in result.stderr


def test_a_wrong_variable_is_told(call, monkeypatch, tmp_path):
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path / "none"))
    result = call("datasets", "list")
    assert result.exit_code == 2
    assert "which is no folder" in result.stderr
