from __future__ import annotations

from evidence.reports.choice_report import HOW
from evidence.reports.choice_rules import rules


def test_the_rules_follow_the_settings() -> None:
    usual = rules()
    assert usual == HOW == rules(per_round="auto", propagate=None)
    for said in (
        "the same rounds: each a tenth of what was asked\nso far, ",
        "`RANDOM` and `ENTROPY` do not.",
        "to settle it under the logic",
        "rounds grow by a tenth: 0.91 or 1.10 is one round.\n",
    ):
        assert said in usual
    fixed = rules(per_round=1_000)
    assert "the same rounds: 1,000 questions. The prediction is\nthe same" in fixed
    assert (
        "round, and a round has 1,000 questions: what a run needs is rounded up to whole rounds.\n"
        in fixed
    )
    assert "the same rounds: one question." in rules(per_round=1)
    assert "tenth" not in fixed
    assert "`RANDOM` and `ENTROPY` do not" in fixed
    on, off = rules(propagate=True), rules(propagate=False)
    assert "- Every method draws the consequences of answers, `RANDOM` and `ENTROPY` too.\n" in on
    assert "to settle it under the logic" in on
    assert "- No method draws the consequences of answers: " in off
    assert "An item costs a yes/no question for each of its labels that is not known, " in off
    for text in (on, off):
        assert "do not." not in text
        assert "rounds grow by a tenth" in text
