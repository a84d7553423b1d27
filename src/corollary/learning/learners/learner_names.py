"""The learners that can be named: in a session, and in the settings of a campaign."""

from __future__ import annotations

#: All of them; "auto" is "pool" wherever there is an ontology.
LEARNERS = ("auto", "logistic", "crf", "pool", "meaning")
#: Those that read what items and labels say, where there is anything to read.
READERS = ("auto", "pool", "meaning")
