"""Values of settings, read as people write them."""

from __future__ import annotations

import pytest

from corollary.campaign.setting_kinds import Choice, Number, Switch, Text, Texts

SHARE = Number(least=0, most=1)


@pytest.mark.parametrize(
    ("kind", "written", "meant"),
    [
        (SHARE, "0.1", 0.1),
        (SHARE, " 10 % ", 0.1),
        (SHARE, "1", 1),
        (SHARE, "much", "much"),
        (Number(whole=True, most=100), "50", 50),
        (Number(whole=True, most=100), 50.0, 50),
        (Number(whole=True, most=100), "50.5", 50.5),
        (Number(none=True), "None", None),
        (Number(none=True), "", None),
        (Number(none=True), "null", None),
        (Number(), "none", "none"),
        (Switch(), "Yes", True),
        (Switch(), "off", False),
        (Switch(), 1, 1),
        (Choice(words=("label", "item")), " Label ", "label"),
        (Choice(none=True, words=("label", "item")), "none", None),
        (Text(none=True), " static ", "static"),
        (Texts(), '{"bird": {"definition": "flies"}}', {"bird": {"definition": "flies"}}),
        (Texts(), "{", "{"),
    ],
)
def test_values_are_read_as_people_write_them(kind, written, meant):
    read = kind.read(written)
    assert (read, type(read)) == (meant, type(meant))
