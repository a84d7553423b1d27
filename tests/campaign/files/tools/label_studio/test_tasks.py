"""What a task of Label Studio says, of whatever kind it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.files.checking import Check
from corollary.campaign.files.tools.formats import read_records
from corollary.campaign.files.tools.label_studio.tasks import who_of

from .payloads import ONTO, annotation, choices, question, spoil, task, taxonomy, written


@pytest.mark.parametrize("who", [None, "", True, {}, []])
def test_nobody_is_nobody(who):
    assert who_of({"completed_by": who}) is None


@settings(deadline=None)
@given(data=st.data())
def test_whatever_is_in_a_file_is_read_or_refused(tmp_path_factory, data):
    about = {
        "annotator": 3,
        "annotation_id": 8,
        "created_at": "",
        "updated_at": "",
        "lead_time": 2.0,
    }
    kinds = {
        "label-studio": task(
            "robin", 1, [annotation(taxonomy(["animal", "bird"]), choices("sparrow"))]
        ),
        "label-studio-questions": question(annotations=[annotation(choices("Yes"))]),
        "label-studio-min": {
            "item": "robin",
            "id": 1,
            "labels": [{"taxonomy": [["animal", "bird"]]}],
            **about,
        },
    }
    kind = data.draw(st.sampled_from(sorted(kinds)))
    path = written(tmp_path_factory.mktemp("junk"), spoil(data, kinds[kind]))
    try:
        records = list(read_records(path, kind))
    except co.CorollaryError as error:
        assert str(path) in str(error)
    else:
        list(Check(ONTO, complete=True).violations(records))
