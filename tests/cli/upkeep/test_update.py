"""`corollary update`."""

from __future__ import annotations

import pytest

FIRST = """format-version: 1.4

[Term]
id: Z:1
name: bird

[Term]
id: Z:2
name: finch
is_a: Z:1

[Term]
id: Z:3
name: odd thing

[Term]
id: Z:4
name: carp
"""
NEXT = """format-version: 1.4

[Term]
id: Z:1
name: feathered
alt_id: Z:2

[Term]
id: Z:4
name: carp

[Term]
id: Z:3
name: obsolete odd thing
is_obsolete: true
consider: Z:4
"""


@pytest.fixture
def birds(call, items, tmp_path):
    first, second = tmp_path / "first.obo", tmp_path / "second.obo"
    first.write_text(FIRST)
    second.write_text(NEXT)
    items.write_text("id,bird,finch,odd thing\nrobin,,yes,\ncow,no,,yes\n")
    path = tmp_path / "birds.sqlite"
    done = call("new", path, "--items", items, "--ontology", first, "--encoder", "none")
    assert done.exit_code == 0, done.stderr
    return path, second


def test_a_release_is_shown_put_in_force_and_taken_back(call, birds, tmp_path):
    path, second = birds
    listed = tmp_path / "lost.csv"
    told = call("update", path, second, "--preview", "--list", listed)
    assert (told.exit_code, told.stderr) == (0, "")
    lines = told.stdout.splitlines()
    assert "  bird -> feathered" in lines
    assert "  finch: merged into feathered" in lines
    assert "  odd thing: retired; consider carp" in lines
    assert "1 answer stay, 1 follow to another label" not in lines
    assert "0 answers stay, 2 follow to another label" in lines
    assert "  odd thing: 1 yes: retired; consider carp" in lines
    assert 'odd thing: which label means the same? --follow "odd thing=carp"' in lines
    assert lines[-1] == "Nothing was changed."
    assert listed.read_text().splitlines() == [
        "item,label,value,who,event,reason",
        "cow,odd thing,yes,import,3,retired; consider carp",
    ]
    done = call("update", path, second, "--follow", "odd thing=carp")
    assert "0 answers out of effect" in done.stdout.splitlines()
    assert "In force as version 2. To take it back: corollary undo" in done.stdout
    shown = call("export", path, "-", "--format", "csv-long").stdout
    assert "robin,feathered" in shown
    assert call("replay", path, "--verify").exit_code == 0
    number = done.stdout.split()[-1]
    assert "the ontology: version 1 is in force again" in call("undo", path, number).stdout
    assert "robin,finch" in call("export", path, "-", "--format", "csv-long").stdout


@pytest.mark.parametrize("wrong", ["odd thing", "=carp", "od thing=carp", "odd thing=crap"])
def test_pairs_that_name_no_labels_are_refused(call, birds, wrong):
    path, second = birds
    result = call("update", path, second, "--follow", wrong)
    assert result.exit_code == 2
    assert "follow" in result.stderr
