"""`corollary settings`."""

from __future__ import annotations

import pytest

from corollary.campaign.settings import ABOUT


def test_settings_are_listed_told_and_changed(call, place):
    listed = call("settings", place).stdout
    assert all(f"  {name} " in listed for name in ABOUT)
    assert "default" not in "".join(
        line for line in listed.splitlines() if not {"encoder", "pick"} & set(line.split())
    )
    told = call("settings", place, "overlap").stdout
    assert "Value:           0\n" in told
    assert f"Changing it now: {ABOUT['overlap']['now']}\n" in told
    done = call("settings", place, "overlap", "10%")
    assert (done.exit_code, done.stdout) == (0, f"overlap: 0 -> 0.1. {ABOUT['overlap']['now']}\n")
    assert "  overlap            0.1 (default 0)\n" in call("settings", place).stdout
    assert (
        call("settings", place, "overlap", "0.1").stdout
        == "overlap was 0.1 already: nothing changed.\n"
    )
    assert call("settings", place, "show_names", "yes").stdout.startswith("show_names: no -> yes. ")
    assert call("settings", place, "labels", '{"bird": {"definition": "flies"}}').exit_code == 0
    assert "texts of 1 label (default none)" in call("settings", place).stdout
    assert call("replay", place, "--verify").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("overlop",), "no setting 'overlop'; did you mean 'overlap'?; there is: "),
        (("overlop", "1"), "no setting 'overlop'"),
        (("overlap", "2"), "the setting 'overlap' must be a number from 0 to 1, got '2'"),
        (("learner", "logistics"), "did you mean 'logistic'"),
        (("overlap", "0.1", "--as", "nobody"), "nobody is called 'nobody'"),
    ],
)
def test_what_cannot_be_is_refused_and_told(call, place, arguments, told):
    result = call("settings", place, *arguments)
    assert result.exit_code == 2
    assert told in result.stderr
