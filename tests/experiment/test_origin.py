from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import corollary as co
from corollary.experiment.origin import (
    LIBRARIES,
    NOT_RECORDED,
    UNKNOWN,
    Origin,
    check_one_origin,
    origin_here,
)

VERSIONS = {"corollary": "0.1.0", "Python": "3.12.3"}
FIRST = Origin("1" * 40, None, VERSIONS)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package that git keeps."""
    folder = tmp_path / "checkout" / "src" / "package"
    (folder / "part").mkdir(parents=True)
    (folder / "__init__.py").write_text("", encoding="utf-8")
    (folder / "part" / "one.py").write_text("ONE = 1\n", encoding="utf-8")
    (tmp_path / "checkout" / "notes.md").write_text("notes\n", encoding="utf-8")
    git(tmp_path / "checkout", "init", "--quiet")
    commit(tmp_path / "checkout")
    return folder


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    return subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A step")
    return git(folder, "rev-parse", "HEAD")


def test_the_commit_and_the_versions(package: Path) -> None:
    found = origin_here(package)
    assert found.commit == git(package, "rev-parse", "HEAD")
    assert found.changed is None
    assert list(found.versions) == ["corollary", "Python", *LIBRARIES]
    assert found.versions["corollary"] == co.__version__
    assert Origin.from_json(json.loads(json.dumps(found.to_json()))) == found
    (package / "part" / "one.py").write_text("ONE = 2\n", encoding="utf-8")
    assert commit(package.parents[1]) == origin_here(package).commit != found.commit


def test_changes_are_told_apart(package: Path) -> None:
    one = package / "part" / "one.py"
    one.write_text("ONE = 2\n", encoding="utf-8")
    second = origin_here(package)
    assert second.changed is not None
    assert "with changes that are not committed" in second.code
    one.write_text("ONE = 3\n", encoding="utf-8")
    third = origin_here(package)
    assert third.changed not in (None, second.changed)
    one.write_text("ONE = 1\n", encoding="utf-8")
    assert origin_here(package).changed is None
    (package / "new.py").write_text("", encoding="utf-8")  # git has not heard of it
    assert origin_here(package).changed is not None


def test_what_is_not_of_the_package_changes_nothing(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (package.parents[1] / "notes.md").write_text("more notes\n", encoding="utf-8")
    assert origin_here(package).changed is None
    expected = origin_here(package)
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # as in a hook of another repository
    assert origin_here(package) == expected


def test_without_a_checkout_the_commit_is_unknown(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = package.parents[1] / "venv"
    installed.mkdir()
    (installed / "__init__.py").write_text("", encoding="utf-8")
    assert origin_here(installed).commit == UNKNOWN  # a checkout of something else is around it
    monkeypatch.setenv("PATH", str(tmp_path))  # no git
    found = origin_here(package)
    assert (found.commit, found.changed) == (UNKNOWN, None)
    assert found.code == f"commit unknown, corollary {co.__version__}"


def test_results_of_before_have_no_origin() -> None:
    before = Origin.from_json(None)
    assert before.commit == NOT_RECORDED
    assert before.code == "commit not recorded"
    assert before.made_with == "versions not recorded"


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (Origin("2" * 40, None, VERSIONS), "commit 222222222222: 1"),
        (Origin("1" * 40, "abc", VERSIONS), "with changes that are not committed (abc): 1"),
        (Origin(), "commit not recorded: 1"),
        (Origin(UNKNOWN, None, VERSIONS), "commit unknown, corollary 0.1.0: 1"),
    ],
)
def test_different_code_is_refused(other: Origin, told: str) -> None:
    with pytest.raises(co.CorollaryError, match="not all of one commit") as refused:
        check_one_origin([FIRST, FIRST, other], what="do this")
    assert told in str(refused.value)
    assert "commit 111111111111: 2" in str(refused.value)
    assert str(refused.value).endswith("do this")


def test_one_code_is_fine_whatever_the_versions() -> None:
    check_one_origin([], what="")
    check_one_origin([Origin(), Origin()], what="")
    check_one_origin([FIRST, Origin("1" * 40, None, {**VERSIONS, "Python": "3.11.0"})], what="")
