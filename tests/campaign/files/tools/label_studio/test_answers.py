"""Annotations in a campaign's log: whatever arrives, in whatever way, what stands is what Label Studio has."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.campaign.files.tools.label_studio.answers import Annotations, Task
from corollary.campaign.items import VECTOR, Item
from corollary.campaign.live.drafts import Withdrawn
from corollary.campaign.people import NotAllowed

from .payloads import annotation, choices, task

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nexclusive: animal, plant\n")
LABELS = ("animal", "bird", "fish", "plant")


def make(folder, **options):
    items = [Item("robin", text="the robin"), Item("carp", text="the carp")]
    return Campaign.create(folder / "zoo.sqlite", items, ONTO, name="zoo", **options)


def opinions(campaign):
    found = campaign.state.standing_of("robin").said.opinions
    return {(who, label): one.value for label, by in found.items() for who, one in by.items()}


def changes():
    """Which annotation, what is picked now (None: it is deleted), how often that is told, and whether we restart."""
    picked = st.none() | st.sets(st.sampled_from(LABELS), max_size=3)
    return st.lists(
        st.tuples(st.integers(1, 3), picked, st.integers(1, 2), st.booleans()), max_size=8
    )


@settings(max_examples=40, deadline=None)
@given(changes())
def test_what_stands_is_the_last_state_of_each_annotation(tmp_path_factory, found):
    with make(tmp_path_factory.mktemp("studio")) as campaign:
        taken = Annotations(campaign)
        stands: dict[int, set[str] | None] = {}
        for n, (number, picked, times, restart) in enumerate(found):
            if stands.get(number, ()) is None:
                picked = None  # what is deleted stays so
            stands[number] = picked
            one = annotation(
                choices(*sorted(picked or ())),
                id=number,
                who=number,
                at=f"2026-11-15T06:00:{n:02}Z",
            )
            taken = Annotations(campaign) if restart else taken
            for _ in range(times):
                before = campaign.state.seq
                told = taken.delete(one, "5") if picked is None else taken.take(one, task(), "5")
                assert campaign.state.seq - before == told
            assert campaign.state.seq - before == (told if times == 1 else 0)
        expected = {
            (f"label-studio-{who}", label): True
            for who, labels in stands.items()
            for label in labels or ()
        }
        assert opinions(campaign) == expected
        agreed = {label for _, label in expected}
        legal = not ({"bird", "fish"} <= agreed or ("plant" in agreed and agreed != {"plant"}))
        assert (campaign.conflicts() == []) == legal
        assert campaign.verify() == []


def test_half_an_annotation_is_taken_as_a_whole_next_time(tmp_path, monkeypatch):
    with make(tmp_path) as campaign:
        taken = Annotations(campaign)
        said = []

        def breaks(*args, **options):
            if said:
                raise co.CorollaryError("the disk is full")
            said.append(args)
            return Campaign.answer(campaign, *args, **options)

        one = annotation(choices("animal", "bird"))
        with monkeypatch.context() as patch:
            patch.setattr(campaign, "answer", breaks)
            with pytest.raises(co.CorollaryError, match="disk"):
                taken.take(one, task(), "5")
        assert len(opinions(campaign)) == 1
        for again in (taken, Annotations(campaign)):
            again.take(one, task(), "5")
            assert opinions(campaign) == {
                ("label-studio-7", "animal"): True,
                ("label-studio-7", "bird"): True,
            }


def test_what_the_lead_undid_stays_undone_until_it_changes(tmp_path):
    with make(tmp_path) as campaign:
        taken = Annotations(campaign)
        taken.take(annotation(choices("bird")), task(), "5")
        campaign.undo("lead", campaign.state.seq)
        assert taken.take(annotation(choices("bird")), task(), "5") == 0
        assert opinions(campaign) == {}
        taken.take(annotation(choices("fish"), at="2026-11-16T06:00:00Z"), task(), "5")
        assert opinions(campaign) == {("label-studio-7", "fish"): True}


def test_items_that_cannot_be_learned_from_are_refused(tmp_path):
    with make(tmp_path) as campaign:
        campaign.add("lead", [])
        nothing, fine = Annotations(campaign).meet([{"id": 9, "data": {}}, task("eel", 2)], "5")
        assert "nothing to show" in str(nothing)
        assert fine == Task("eel", None)
    vectors = tmp_path / "vectors"
    vectors.mkdir()
    items = [Item("a", fields={VECTOR: [1.0, 2.0]})]
    with Campaign.create(vectors / "v.sqlite", items, ONTO, name="v") as campaign:
        (refused,) = Annotations(campaign).meet([task("eel", 2)], "5")
        assert "item 'eel': it has no vector" in str(refused)
        assert campaign.state.ids == ("a",)


def test_annotations_of_withdrawn_items_are_refused_and_what_they_said_before_is_kept(tmp_path):
    with make(tmp_path) as campaign:
        annotations = Annotations(campaign)
        annotations.take(annotation(choices("bird")), task(), "5")
        said = opinions(campaign)
        (event,) = campaign.withdraw("robin", who="lead")
        (refused,) = annotations.meet([task()], "5")
        assert isinstance(refused, Withdrawn)
        with pytest.raises(Withdrawn):
            annotations.take(annotation(choices("fish"), at="2026-11-15T07:00:00Z"), 1, "5")
        assert campaign.state.seq == event.seq
        campaign.undo("lead", event.seq)
        assert opinions(campaign) == said


def test_projects_do_not_mix(tmp_path):
    with make(tmp_path) as campaign:
        taken = Annotations(campaign)
        taken.take(annotation(choices("bird"), who=1), task(), "5")
        taken.take(annotation(choices("fish"), who=2), task(), "6")
        assert len(opinions(campaign)) == 2
        assert taken.delete(annotation(), "6") == 1
        assert opinions(campaign) == {("label-studio-1", "bird"): True}


def test_who_may_only_read_cannot_answer(tmp_path):
    with make(tmp_path) as campaign:
        campaign.invite("label-studio-7", "reader")
        with pytest.raises(NotAllowed):
            Annotations(campaign).take(annotation(choices("bird")), task(), "5")
