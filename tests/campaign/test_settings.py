"""Settings: checked, bounded, and in effect at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary import CorollaryError
from corollary.campaign.events import Event
from corollary.campaign.settings import ABOUT, Settings, described

ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers())
)


def test_every_setting_is_described():
    assert list(ABOUT) == list(Settings.model_fields)
    for about in ABOUT.values():
        for text in (about["does"], about["now"]):
            assert text.endswith("."), about
            assert len(text) > 15, about
        assert about["allowed"]


def test_headings_are_not_split():
    groups = [about["group"] for about in ABOUT.values()]
    assert [one for n, one in enumerate(groups) if one not in groups[:n]] == [
        one for n, one in enumerate(groups) if n == 0 or groups[n - 1] != one
    ]


@given(value=ANYTHING, name=st.sampled_from(sorted(ABOUT)))
def test_a_value_is_refused_by_name_or_taken_and_taken_again_from_the_log(value, name):
    try:
        found = Settings(**{name: value})
    except CorollaryError as error:
        assert str(error).startswith(f"the setting {name!r} must be {ABOUT[name]['allowed']}, got")
        return
    assert Settings().stored({name: getattr(found, name)}) == found
    assert Settings(**found.model_dump()) == found
    assert {one["name"]: one["value"] for one in described(found)} == found.model_dump()


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("overlap", "0.1", 0.1),
        ("overlap", " 10 % ", 0.1),
        ("overlap", "1", 1.0),
        ("opinions", "50", 50),
        ("opinions", 50.0, 50),
        ("item_cost", "None", None),
        ("item_cost", "", None),
        ("item_cost", "null", None),
        ("show_names", "Yes", True),
        ("show_names", "off", False),
        ("stay", " Label ", "label"),
        ("stay", "none", None),
        ("encoder", " static ", "static"),
        ("labels", '{"bird": {"definition": "flies"}}', {"bird": {"definition": "flies"}}),
    ],
)
def test_values_are_read_as_people_write_them(name, written, meant):
    read = getattr(Settings().changed({name: written}), name)
    assert (read, type(read)) == (meant, type(meant))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("overlap", "much"),
        ("overlap", "nan"),
        ("overlap", True),
        ("opinions", "50.5"),
        ("opinions", "none"),
        ("lease_seconds", "inf"),
        ("labels", "{"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_as_it_was_written(name, written):
    with pytest.raises(CorollaryError) as refused:
        Settings().changed({name: written})
    expected = f"the setting {name!r} must be {ABOUT[name]['allowed']}, got {written!r}"
    assert str(refused.value) == expected


def test_a_word_that_is_near_is_named():
    for wrong, near in (("logistics", "; did you mean 'logistic'?"), (7, "")):
        with pytest.raises(CorollaryError) as refused:
            Settings(learner=wrong)
        assert str(refused.value).endswith(f"got {wrong!r}{near}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lease_seconds", 1e12),
        ("lease_seconds", 1e-9),
        pytest.param("lease_seconds", 10**400, id="lease_seconds of 400 digits"),
        ("item_cost", 1e300),
        ("opinions", 2**30),
        ("retrain_every", 2**40),
        pytest.param("overlap", 10**5000, id="overlap of 5,000 digits"),
    ],
)
def test_numbers_out_of_bounds_are_refused_and_told(make, name, value):
    campaign = make(2)
    with pytest.raises(co.CorollaryError, match=f"{name}.* must be"):
        campaign.change_settings("mara", {name: value})
    assert campaign.next("mara")


def test_a_log_with_a_setting_from_before_there_were_bounds_is_read(make):
    campaign = make(2)
    with campaign.lock:
        ticket = campaign._ledger.put(
            Event(kind="settings", who="mara", detail={"lease_seconds": 1e12})
        )
    ticket.receipt.wait()
    assert make.again(campaign).next("mara")


def test_settings_are_checked_and_take_effect(make):
    campaign = make()
    with pytest.raises(co.CorollaryError, match="no setting 'overlop'; did you mean 'overlap'"):
        campaign.change_settings("mara", {"overlop": 1})
    with pytest.raises(co.CorollaryError, match="'overlap' must be a number from 0 to 1, got 2"):
        campaign.change_settings("mara", {"overlap": 2})
    session = campaign.state.session
    campaign.change_settings("mara", {"show_names": True})
    assert campaign.state.session is session
    campaign.change_settings(
        "mara", {"item_cost": 1.0, "labels": {"bird": {"question": "Does {item} fly?"}}}
    )
    assert campaign.next("ann")[0].label is None
    campaign = make.again(campaign)
    assert campaign.settings.show_names
    campaign.change_settings("mara", {"item_cost": None, "pick": "never"})
    asked = campaign.next("ann", 20)
    assert len(asked) == 20
    assert None not in {a.label for a in asked}
    assert campaign.verify(step_by_step=True) == []


def test_settings_are_taken_as_people_write_them(make):
    campaign = make(2)
    campaign.change_settings(
        "mara", {"overlap": "10 %", "opinions": "3", "show_names": "yes", "item_cost": "none"}
    )
    assert campaign.settings.changed({"opinions": 3}) == campaign.settings
    assert (
        campaign.settings.overlap,
        campaign.settings.show_names,
        campaign.settings.item_cost,
    ) == (0.1, True, None)
    assert make.again(campaign).settings.overlap == 0.1
    for changes, told in (
        (
            {"learner": "logistics"},
            "'learner' must be one of auto, .*, got 'logistics'; did you mean 'logistic'",
        ),
        ({"opinions": "many"}, "'opinions' must be an integer from 1 to 100, got 'many'"),
        ({"opinions": None}, "'opinions' must be an integer from 1 to 100, got None"),
        ({"show_names": "perhaps"}, "'show_names' must be true or false, got 'perhaps'"),
        ({"labels": {"bird": {"colour": "red"}}}, "'labels' must be texts by label"),
    ):
        with pytest.raises(CorollaryError, match=told):
            campaign.change_settings("mara", changes)


def test_learners_that_read_read_with_the_encoder():
    assert Settings().reads_with is None
    assert Settings(encoder="static").reads_with == "static"
    assert Settings(encoder="static", learner="meaning").reads_with == "static"
    assert Settings(encoder="static", learner="crf").reads_with is None
    assert Settings(encoder=" ").encoder is None
    for wrong in ("auto", 3, "x" * 501):
        with pytest.raises(CorollaryError, match="'encoder' must be the name of an encoder"):
            Settings(encoder=wrong)
    with pytest.raises(
        CorollaryError, match="the learner 'meaning' reads texts: it needs a setting 'encoder'"
    ):
        Settings().changed({"learner": "meaning"})
    assert Settings().changed({"learner": "meaning", "encoder": "lexical"}).reads_with == "lexical"


def test_a_new_campaign_draws_one_question_in_twenty_by_chance(make):
    assert make(2).state.settings.by_chance == 0.05
    assert make(2, by_chance=0).state.settings.by_chance == 0


def test_guidelines_may_be_long_and_have_lines():
    text = "# Birds\n\nThey have wings. " * 500
    assert Settings().changed({"guidelines": text}).guidelines == text.strip()
    with pytest.raises(
        CorollaryError, match="'guidelines' must be a text of at most 20,000 characters, or none"
    ):
        Settings().changed({"guidelines": "x" * 20_001})
