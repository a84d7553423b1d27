"""The names of learners: in a session, and in the settings of a campaign."""

from __future__ import annotations

from typing import Literal, get_args

#: A name of a learner; "auto" is "pool" wherever there is an ontology.
Learner = Literal["auto", "logistic", "crf", "pool", "meaning"]
LEARNERS: tuple[Learner, ...] = get_args(Learner)
#: Learners that read texts of items and labels, if there are any.
READERS = ("auto", "pool", "meaning")
