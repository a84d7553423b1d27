"""`corollary witness rules`: patterns, and functions that are run."""

from __future__ import annotations

from corollary.campaign.campaign import Campaign


def said(place, name):
    with Campaign.open(place, readonly=True) as campaign:
        state = campaign.state
        (event,) = [one for one in state.reports if one.who == name]
        one = state.reported[event.seq]
        return {
            (state.ids[i], one.labels[k]): float(v)
            for i, k, v in zip(one.item, one.label, one.value, strict=True)
        }


def test_patterns_are_witnesses_by_their_names(call, place, tmp_path):
    rules = tmp_path / "rules.txt"
    rules.write_text(
        "milk: /\\bmilk\\b/i -> mammal, ~fish\n/pond/ -> fish\nnever: /xyzzy/ -> bird\n",
        encoding="utf-8",
    )
    result = call("witness", "rules", place, rules)
    assert result.exit_code == 0
    assert "milk: 2 cells of 1 item (event " in result.stdout
    assert "/pond/: 1 cell of 1 item" in result.stdout
    assert "never: says nothing of any item" in result.stdout
    assert said(place, "milk") == {("cow", "mammal"): 1.0, ("cow", "fish"): 0.0}
    rules.write_text("/milk/ -> mamal\n", encoding="utf-8")
    wrong = call("witness", "rules", place, rules)
    assert wrong.exit_code == 2
    assert "rules.txt, line 1: 'mamal' is no label; did you mean 'mammal'" in wrong.stderr


def test_functions_of_a_file_of_python_are_run(call, place, tmp_path):
    rules = tmp_path / "rules.py"
    rules.write_text(
        "import re\nfrom textwrap import dedent\n\n"
        "def gives_milk(text):\n    return {'mammal': 0.75} if re.search('milk', text) else None\n\n"
        "def _helper(text):\n    return {'bird': True}\n",
        encoding="utf-8",
    )
    result = call("witness", "rules", place, rules)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "gives_milk: 1 cell of 1 item" in result.stdout
    assert "helper" not in result.stdout + str(said(place, "gives_milk"))
    assert "dedent" not in result.stdout
    rules.write_text("def broken(text):\n    return 1 / 0\n", encoding="utf-8")
    assert "the rule 'broken' failed on item 0" in call("witness", "rules", place, rules).stderr
    rules.write_text("1 / 0", encoding="utf-8")
    assert "cannot be run: ZeroDivisionError" in call("witness", "rules", place, rules).stderr
    rules.write_text("x = 1", encoding="utf-8")
    assert "defines no function" in call("witness", "rules", place, rules).stderr
    assert "RUN AS CODE" in call("witness", "rules", "--help").stdout
