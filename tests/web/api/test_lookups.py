"""What the service looks up of a campaign by itself."""

from __future__ import annotations

from corollary.web.api.lookups import has_item, own_answers


def test_answers_of_someone_that_stand(campaign, ana):  # Ana takes part
    campaign.answer("Ana", "thing 1", "Bird", True)
    campaign.answer("Ana", "thing 2", "Bird", "skip")
    campaign.answer("Ana", "thing 3", "Bird", "cant_tell")
    campaign.answer("Mara", "thing 4", "Bird", True)
    assert own_answers(campaign, "Ana") == (2, 2)
    campaign.undo("Ana")
    assert own_answers(campaign, "Ana") == (1, 1)
    campaign.withdraw("thing 1", who="Mara")
    assert own_answers(campaign, "Ana") == own_answers(campaign, "nobody") == (0, 0)


def test_items_that_are_there(campaign):
    assert has_item(campaign, "thing 1")
    assert not has_item(campaign, "nothing")
