"""An ontology for files to be checked against, and what is said of those that are refused."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.files.imports.imports import check_import
from corollary.logic.errors import CorollaryError

ONTO = co.Ontology.parse(
    'animal > exclusive: bird, fish, mammal\nplace > exclusive: city, "red square"\nexclusive: animal, place'
)


PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def refused(path, form=None, **options) -> str:
    with pytest.raises(CorollaryError) as error:
        check_import(path, ONTO, form, **options)
    return str(error.value)
