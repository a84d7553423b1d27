"""`corollary import`."""

from __future__ import annotations

from corollary.campaign.campaign import Campaign


def test_import_of_items_and_labels(call, place, tmp_path):
    more = tmp_path / "more.csv"
    more.write_text("id,text,bird\nduck,quacks,yes\n", encoding="utf-8")
    assert "it would add 1 item and 1 label" in call("import", place, more, "--check").stdout
    result = call("import", place, more)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "added 1 item and 1 label" in result.stdout
    again = call("import", place, more)
    assert again.exit_code == 2
    assert "line 2: item 'duck' is in the campaign already" in again.stderr
    assert "pass --only-labels" in again.stderr
    more.write_text("item,label,value\ncarp,fish,yes\ncow,mammal,1\n", encoding="utf-8")
    assert "added 0 items and 2 labels" in call("import", place, more).stdout
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.state.ids == ("robin", "carp", "cow", "Rome", "duck")
        assert campaign.state.known_of("cow")["animal"] is True
        assert campaign.verify(step_by_step=True) == []
