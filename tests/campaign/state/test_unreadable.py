"""A log that cannot be derived: the campaign opens read only, says why, and can be repaired."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from corollary.campaign.campaign import Campaign
from corollary.campaign.events import Event
from corollary.campaign.files.exports.exports import export
from corollary.campaign.items import Item
from corollary.campaign.state.unreadable import Unreadable
from corollary.campaign.storage.records import StoreWarning
from corollary.cli import main


def append(campaign, *events):
    """Write events past all checks, as another version might have, and open the campaign again."""
    path, store, first = campaign.path, campaign._live.store, campaign.state.seq + 1
    for receipt in store.append_all([event.placed(first + n) for n, event in enumerate(events)]):
        receipt.wait()
    campaign.close()
    with pytest.warns(StoreWarning, match="cannot be applied"):
        fresh = Campaign.open(path)
    fresh.path = path
    return fresh


@pytest.fixture
def broken(make):
    """Two decisions that cannot both be true, at events 2 and 3, and an answer after them."""
    campaign = make()
    campaign.answer("ann", "i0", "bird", True)
    clash = [
        Event(kind="decision", who="mara", item="i1", label=label, value=True)
        for label in ("bird", "fish")
    ]
    campaign = append(
        campaign, *clash, Event(kind="answer", who="ann", item="i2", label="city", value=True)
    )
    yield campaign
    campaign.close()


def test_it_opens_read_only_and_names_the_event(broken):
    assert broken.trouble.event.seq == 3
    assert str(broken.trouble).startswith(
        "event 3 (decision by mara about item 'i1') cannot be applied: decisions"
    )
    assert broken.state.seq == 2
    assert broken.state.known_of("i0")["animal"] is True
    assert broken.next("ann") == []
    with pytest.raises(Unreadable, match="event 3"):
        broken.answer("ann", "i3", "bird", True)
    with pytest.raises(Unreadable, match="event 3"):
        broken.add("mara", [Item("new")])
    assert broken.verify() == [str(broken.trouble)]


def test_an_undo_that_helps_is_taken_and_one_that_does_not_is_refused(broken, tmp_path):
    with pytest.raises(Unreadable, match="this does not help"):
        broken.undo("mara", 4)
    undone = broken.undo("mara", 3)
    assert (undone.seq, undone.undone.seq) == (5, 3)
    assert broken.trouble is None
    assert broken.state.seq == 5
    assert broken.state.known_of("i1")["bird"] is True
    assert broken.answer("ann", "i3", "bird", True).seq == 6
    assert broken.verify() == []


def test_another_ontology_can_repair_it(broken):
    with pytest.raises(Unreadable, match="this does not help"):
        broken.change_settings("mara", {"overlap": 0.5})
    broken.change_ontology("mara", "animal > bird, fish\nplace > city, river")
    assert broken.trouble is None
    assert broken.state.known_of("i1")["fish"] is True
    broken.change_settings("mara", {"overlap": 0.5})
    assert broken.settings.overlap == 0.5


def test_answers_and_backups_have_the_whole_log(broken, tmp_path):
    export(broken, tmp_path / "answers.csv", format="csv-answers")
    lines = (tmp_path / "answers.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "4"]


@pytest.mark.filterwarnings("default::corollary.campaign.storage.records.StoreWarning")
def test_the_commands(broken, tmp_path):
    path = str(broken.path)
    broken.close()

    def run(*words):
        return CliRunner().invoke(main, [str(word) for word in words])

    told = run("replay", path)
    assert told.exit_code
    assert "event 3 (decision by mara" in told.output
    assert run("settings", path, "overlap").exit_code == 0
    assert run("backup", path, tmp_path / "copy.sqlite").exit_code == 0
    assert run("export", path, tmp_path / "a.csv", "--answers").exit_code == 0
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 3
    assert run("export", path, tmp_path / "b.csv").exit_code == 0
    undone = run("undo", path, 3, "--as", "mara")
    assert undone.exit_code == 0, undone.output
    assert run("replay", path, "--verify").exit_code == 0


def test_an_ontology_that_this_version_cannot_read(make):
    campaign = make()
    version = campaign._live.store.add_ontology("animal >> > bird", who="mara")
    campaign = append(campaign, Event(kind="ontology", who="mara", value=version))
    assert campaign.trouble.event.seq == 1
    assert "line 1" in campaign.trouble.reason
    campaign.change_ontology("mara", "animal > bird, fish")
    assert campaign.trouble is None
    campaign.close()


def test_what_cannot_be_applied_is_not_stored(make, monkeypatch):
    from corollary.campaign.state.state import State

    campaign = make()
    campaign.answer("ann", "i0", "bird", True)
    with monkeypatch.context() as patched:
        patched.setattr(State, "_build", lambda self, found: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            campaign.change_settings("mara", {"overlap": 0.5})
    campaign = make.again(campaign)
    assert campaign.trouble is None
    assert campaign.state.seq == 1
    assert campaign.settings.overlap == 0.0
