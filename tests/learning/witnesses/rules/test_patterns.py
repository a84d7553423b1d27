from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.logic.language.notation import quote

from ....logic.formats.documents import nasty_names

ONTO = co.Ontology(["fish", "bird", "big bird"], [co.exclusive("fish", "bird")])


def rules_of(tmp_path, text, onto=None):
    path = tmp_path / "rules.txt"
    path.write_text(text, encoding="utf-8")
    return co.read_rules(path, onto)


def test_a_file_of_patterns(tmp_path):
    text = "# of animals\n\n/\\bgills?\\b/i -> fish, ~bird\n"
    text += ' wings : /wing(s|span)/ -> "big bird", not fish,!bird\n/a\\/b/->fish\n'
    gills, wings, stroke = rules_of(tmp_path, text, ONTO)
    assert (gills.name, wings.name, stroke.name) == ("/\\bgills?\\b/i", "wings", "/a\\/b/")
    assert gills("Two GILLS.") == {"fish": True, "bird": False}
    assert gills("gillsome") is None
    assert wings("of great wingspan") == {"big bird": True, "fish": False, "bird": False}
    assert wings("of great WINGSPAN") is None
    assert stroke("a/b") == {"fish": True}
    assert wings.place == f"{tmp_path / 'rules.txt'}, line 4"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(nasty_names, st.booleans()), min_size=1, unique_by=lambda pair: pair[0]))
def test_labels_are_written_as_in_the_notation(tmp_path_factory, says):
    line = ", ".join(("" if value else "~") + quote(label) for label, value in says)
    (rule,) = rules_of(tmp_path_factory.mktemp("rules"), f"/x/ -> {line}\n")
    assert rule("x") == dict(says)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gills -> fish", "line 2: 'gills -> fish' is no rule; write it as in: /"),
        ("/gills/ fish", "line 2: '/gills/ fish' is no rule"),
        (
            "/(gills/ -> fish",
            "line 2: '(gills' is no regular expression: missing ), unterminated subpattern",
        ),
        ("/gills/ix -> fish", "line 2: 'x' after the pattern means nothing; known are i, m, s"),
        ("/gills/ ->", "line 2: expected a label, or ~ and a label, got ''"),
        ("/gills/ -> fish bird", "line 2: expected a label, or ~ and a label, got ' bird'"),
        ("/gills/ -> fish,", "line 2: expected a label, or ~ and a label, got ''"),
        ("/gills/ -> fish, ~fish", "line 2: 'fish' is said twice"),
        ("/gills/ -> fihs", "line 2: 'fihs' is no label; did you mean 'fish'?"),
        ("/gills/ -> fish, bird", "line 2: what it says cannot all be true: fish, bird"),
        ("fins: /gills/ -> fish", "two rules are called 'fins'; give one another name"),
    ],
)
def test_what_is_wrong_with_a_line_is_told_with_its_place(tmp_path, line, message):
    with pytest.raises(co.CorollaryError) as caught:
        rules_of(tmp_path, f"fins: /fins?/ -> fish\n{line}\n", ONTO)
    assert message in str(caught.value)
    assert str(tmp_path / "rules.txt") in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(co.CorollaryError, match="does not exist"):
        co.read_rules(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes("/é/ -> fish".encode("latin-1"))
    with pytest.raises(co.CorollaryError, match="is not UTF-8 text"):
        co.read_rules(tmp_path / "latin.txt")


def test_a_pattern_is_looked_for_in_texts_only(tmp_path):
    (rule,) = rules_of(tmp_path, "/x/ -> fish")
    with pytest.raises(co.CorollaryError, match="a pattern is looked for in a text, got 3"):
        rule(3)
    assert rule.pattern == re.compile("x")
