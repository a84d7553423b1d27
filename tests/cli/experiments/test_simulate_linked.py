"""`corollary simulate` of a data set with pairs."""

from __future__ import annotations

import pytest

from ...experiment.made_up import written_conll


@pytest.mark.slow
def test_tied_and_untied_side_by_side(call, tmp_path, monkeypatch):
    written_conll(tmp_path)
    monkeypatch.setenv("COROLLARY_DATA", str(tmp_path))
    arguments = ("simulate", "conll04", "--untied", "--components", "14", "--learner", "crf")
    result = call(*arguments, "--per-round", "4", "--seeds", "1")
    assert result.exit_code == 0, result.output
    assert "wholly right" in result.output
    assert "questions, tied" in result.output
    assert "ratio" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("conll04", "--seeds", "0"), "--seeds must be at least 1"),
        (("conll04", "--pick", "auto"), "--pick: not with pairs yet"),
        (("conll04", "--diverse"), "--diverse: not with pairs yet"),
        (("iris", "--untied"), "for a data set with pairs: conll04"),
    ],
)
def test_slips_are_named(call, arguments, message):
    result = call("simulate", *arguments)
    assert result.exit_code != 0
    assert message in result.output
