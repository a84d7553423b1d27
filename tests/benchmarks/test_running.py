"""How suites are run: what a case prints is shown as it comes, the last line is its figures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("code", [0, 3])
def test_a_case_shows_what_it_prints_and_gives_its_figures(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.__main__ import run_apart

    fake = tmp_path / "python"
    fake.write_text(
        f'#!/bin/sh\necho 1 of 2\necho "$@" >&2\necho \'{{"a": 1}}\'\nexit {code}\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))
    assert run_apart("tuning", "rounds") == (
        code,
        '{"a": 1}\n',
        "-m benchmarks --case tuning rounds\n",
    )
    assert capsys.readouterr().out == "  1 of 2\n"
