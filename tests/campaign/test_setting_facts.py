"""The table of settings: every one is described, and values are read as people write them."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from corollary.campaign.setting_facts import ABOUT
from corollary.campaign.settings import DEFAULTS, Settings

ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers())
)


def test_every_setting_is_described_and_nothing_else_is():
    assert set(ABOUT) == {one.name for one in fields(Settings)}, (
        "a field of Settings is a line of ABOUT too"
    )
    for name, about in ABOUT.items():
        for text in (about.does, about.now):
            assert text.endswith("."), name
            assert len(text) > 15, name
        assert about.kind.within(DEFAULTS[name]), name
        assert about.kind.allowed


def test_headings_are_not_split():
    groups = [about.group for about in ABOUT.values()]
    assert [one for n, one in enumerate(groups) if one not in groups[:n]] == [
        one for n, one in enumerate(groups) if n == 0 or groups[n - 1] != one
    ]


@given(value=ANYTHING, name=st.sampled_from(sorted(ABOUT)))
def test_what_may_be_asked_for_is_read_as_itself_and_may_be_stored(name, value):
    kind = ABOUT[name].kind
    read = kind.read(value)
    assert kind.read(read) == read or read != read  # noqa: PLR0124 (nan)
    if kind.within(value):
        assert kind.fits(value)
        if not isinstance(value, str):
            assert read == value


def test_a_word_that_is_near_is_named():
    assert ABOUT["learner"].kind.near("logistics") == "; did you mean 'logistic'?"
    assert ABOUT["learner"].kind.near(7) == ""
    assert ABOUT["overlap"].kind.near("0,1") == ""
