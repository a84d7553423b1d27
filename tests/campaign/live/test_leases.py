"""Leases against a list that is searched from end to end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.live.leases import Leases
from corollary.campaign.settings import LONGEST_LEASE

from ..team import Clock


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("take"), st.sampled_from("ab"), st.sampled_from("ijk")),
            st.tuples(st.just("renew"), st.sampled_from("ab"), st.integers(0, 5)),
            st.tuples(st.just("release"), st.integers(0, 5)),
            st.tuples(st.just("wait"), st.sampled_from((1, 4, 11))),
        ),
        max_size=30,
    )
)
def test_leases_agree_with_a_plain_list(story):
    clock = Clock()
    leases, naive = Leases(clock=clock), []  # naive: [id, who, item, end]
    for kind, *rest in story:
        match kind:
            case "take":
                who, item = rest
                if any(one[2] == item for one in naive):
                    with pytest.raises(co.CorollaryError, match="is with"):
                        leases.take(who, item, "x", 10)
                else:
                    naive.append([leases.take(who, item, "x", 10).id, who, item, clock.now + 10])
            case "renew":
                who, n = rest
                ids = [one[0] for one in naive][n : n + 2]
                renewed = leases.renew(who, [*ids, "nobody's"], 10)
                mine = [one for one in naive if one[0] in ids and one[1] == who]
                assert [lease.id for lease in renewed] == [one[0] for one in mine]
                for one in mine:
                    one[3] = clock.now + 10
            case "release":
                if rest[0] < len(naive):
                    gone = naive.pop(rest[0])
                    assert leases.release(gone[0]).item == gone[2]
                    assert leases.release(gone[0]) is None
            case "wait":
                clock.now += rest[0]
                gone = {one[0] for one in naive if one[3] <= clock.now}
                naive = [one for one in naive if one[0] not in gone]
                assert {lease.id for lease in leases.expired()} == gone
        assert {lease.id for lease in leases.all()} == {one[0] for one in naive}
        for item in "ijk":
            assert [lease.who for lease in [leases.on(item)] if lease] == [
                one[1] for one in naive if one[2] == item
            ]
        assert [lease.id for lease in leases.of("a")] == [one[0] for one in naive if one[1] == "a"]


def test_leases_are_taken_over_and_run_out():
    clock = Clock()
    first = Leases(clock=clock)
    held = [first.take("ann", "i", "x", 10), first.take("ben", "j", None, 20)]
    second = Leases(clock=clock)
    second.restore(reversed(held))
    assert {lease.id for lease in second.all()} == {lease.id for lease in held}
    clock.now += 10
    assert [lease.item for lease in second.expired()] == ["i"]
    assert second.on("j").who == "ben"


def test_a_clock_that_is_set_back_holds_nothing_longer():
    clock, steady = Clock(), Clock()
    leases = Leases(clock=clock, steady=steady)
    held = leases.take("ann", "i", "x", 10)
    leases.take("ben", "j", "x", 60)
    clock.now -= 86_400 * 365
    steady.now += 10
    assert [lease.id for lease in leases.expired()] == [held.id]
    leases.renew("ben", [leases.on("j").id], 60)
    steady.now += 61
    assert [lease.item for lease in leases.expired()] == ["j"]


def test_leases_from_before_the_clock_was_set_back_last_no_longer_than_any_may():
    clock = Clock()
    held = Leases(clock=clock).take("ann", "i", "x", 10)
    clock.now -= 86_400 * 365
    later = Leases(clock=clock)
    later.restore([held])
    assert later.on("i").expires < held.expires
    clock.now += LONGEST_LEASE
    assert [lease.id for lease in later.expired()] == [held.id]


def test_nothing_is_held_for_longer_than_a_time_can_be_told():
    leases = Leases(clock=Clock())
    assert (
        leases.take("ann", "i", "x", 1e12).expires
        == leases.take("ann", "j", "x", LONGEST_LEASE).expires
    )


def test_an_item_is_with_one_person_at_a_time(make, clock):
    campaign = make(6)
    mine, theirs = campaign.next("ann", 3), campaign.next("ben", 5)
    assert len({a.item.id for a in mine} | {a.item.id for a in theirs}) == 6
    assert len(mine) == len(theirs) == 3
    assert [a.id for a in campaign.next("ann", 3)] == [a.id for a in mine]  # a reload gets the same
    assert campaign.situation("ben")["state"] == "asking"
    campaign.invite("cem")
    assert campaign.next("cem") == []
    told = campaign.situation("cem")
    assert (told["state"], told["with_others"], told["others"]) == ("waiting", 6, ["ann", "ben"])
    clock.now += 200
    campaign.renew("ben", [a.id for a in theirs])
    clock.now += 150  # ann's have run out
    assert {a.item.id for a in campaign.next("cem", 6)} == {a.item.id for a in mine}
    assert campaign.release("ben", [theirs[0].id]) == 1
    assert campaign.next("ann")[0].item.id == theirs[0].item.id


def test_an_answer_after_the_lease_ran_out_is_taken(make, clock):
    campaign = make(1)
    (first,) = campaign.next("ann")
    clock.now += 1000
    (second,) = campaign.next("ben")
    assert (first.item, first.label) == (second.item, second.label)
    assert not campaign.answer("ben", "i0", second.label, True, lease=second.id).second_opinion
    late = campaign.answer("ann", "i0", first.label, True, lease=first.id)
    assert late.second_opinion
    assert late.settled == ()
    assert late.conflict is None


def test_leases_survive_a_restart(make):
    campaign = make(4)
    held = campaign.next("ann", 2)
    campaign = make.again(campaign)
    assert {a.item.id for a in campaign.next("ben", 4)}.isdisjoint(a.item.id for a in held)
    assert {a.id for a in campaign.next("ann", 2)} == {a.id for a in held}
