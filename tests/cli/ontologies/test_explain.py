"""`corollary explain`."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.cli.ontologies.explain import reason


def test_one_label(call, zoo):
    result = call("explain", zoo, "--given", "bird=yes", "--label", "animal")
    assert result.exit_code == 0
    assert result.stdout == str(co.Ontology.load(zoo).explain({"bird": True}, "animal")) + "\n"
    assert "bird implies animal" in result.stdout


def test_everything_that_follows(call, zoo):
    result = call("explain", zoo, "--given", "bird=yes")
    assert result.exit_code == 0
    *lines, summary = result.stdout.splitlines()
    implied = {line[2:].split("  ")[0]: line.split("  ", 1)[1].split()[0] for line in lines}
    assert implied == {
        "animal": "yes",
        "fish": "no",
        "mammal": "no",
        "place": "no",
        "city": "no",
        "red square": "no",
    }
    assert all(line.startswith("∴ ") and "zoo.onto:" in line for line in lines)
    assert summary == "1 answer, 6 corollaries, 1 label open: flies"


def test_a_reason_names_the_last_step_only(call, zoo):
    lines = call("explain", zoo, "--given", "bird=yes").stdout.splitlines()
    city = next(line for line in lines if line.startswith("∴ city"))
    assert "place is no, and city implies place" in city
    assert "animal" not in city


def test_a_reason_without_a_chain_names_all_constraints():
    # p, q and r as four cases that leave only r = yes; no single step gives it
    cases = ["p | q | r", "p | ~q | r", "~p | q | r", "~p | ~q | r"]
    ontology = co.Ontology(["p", "q", "r"], [co.formula(case) for case in cases])
    assert ontology.propagate({}) == {"r": True}
    told = reason(ontology.explain({}, "r"))
    assert all(case in told for case in cases)


@pytest.mark.parametrize("word", ["yes", "YES", "true", "True", "1"])
def test_words_for_yes(call, zoo, word):
    assert "∴ animal" in call("explain", zoo, "--given", f"bird={word}").stdout


@pytest.mark.parametrize("word", ["no", "No", "false", "0"])
def test_words_for_no(call, zoo, word):
    assert call("explain", zoo, "--given", f"bird={word}").stdout.startswith("∴ flies")


def test_labels_with_spaces(call, zoo):
    result = call("explain", zoo, "--given", "red square=yes", "--label", "bird")
    assert result.exit_code == 0
    assert result.stdout.startswith("bird is no")


def test_labels_with_an_equals_sign(call, tmp_path):
    path = tmp_path / "sums.onto"
    path.write_text('arithmetic > "1+1=2"\n', encoding="utf-8")
    assert "∴ arithmetic  yes" in call("explain", path, "--given", "1+1=2=yes").stdout


def test_an_open_label_is_no_error(call, zoo):
    result = call("explain", zoo, "--given", "bird=yes", "--label", "flies")
    assert result.exit_code == 0
    assert result.stdout == "flies is open: with these answers it can still be yes or no\n"


def test_a_contradiction_is_told_and_fails(call, zoo):
    for label in ((), ("--label", "animal")):
        result = call("explain", zoo, "--given", "bird=yes", "--given", "city=yes", *label)
        assert result.exit_code == 1
        assert result.stdout.startswith(
            "⊥ These answers cannot all be true: bird is yes, city is yes"
        )


def test_unknown_labels_suggest_the_nearest(call, zoo):
    for arguments in (("--given", "brid=yes"), ("--given", "fish=no", "--label", "brid")):
        result = call("explain", zoo, *arguments)
        assert result.exit_code == 2
        assert result.stderr == "Error: unknown label 'brid'; did you mean 'bird'?\n"


@pytest.mark.parametrize("given", ["bird", "bird=perhaps", "bird="])
def test_what_is_not_an_answer_is_refused(call, zoo, given):
    result = call("explain", zoo, "--given", given)
    assert result.exit_code == 2
    assert f"{given!r} is not an answer" in result.stderr


def test_yes_and_no_to_one_label_is_a_slip(call, zoo):
    result = call("explain", zoo, "--given", "bird=yes", "--given", "bird=no")
    assert result.exit_code == 2
    assert "'bird' is given both as yes and as no" in result.stderr


def test_many_open_labels_are_counted(call, tmp_path):
    path = tmp_path / "wide.onto"
    path.write_text("root > " + ", ".join(f"leaf{i}" for i in range(20)) + "\n", encoding="utf-8")
    assert call("explain", path).stdout == "0 answers, 0 corollaries, 21 labels open\n"


def test_labels_are_called_by_the_names_of_the_file(call, tmp_path):
    path = tmp_path / "zoo.obo"
    path.write_text(
        "format-version: 1.4\n\n[Term]\nid: X:1\nname: animal\n\n[Term]\nid: X:2\nname: bird\nis_a: X:1\n",
        encoding="utf-8",
    )
    told = call("explain", path, "--names", "id", "--given", "X:2=yes").stdout
    assert "∴ animal (X:1)  yes  bird (X:2) is yes, and bird (X:2) implies animal (X:1)" in told
    clash = call("explain", path, "--names", "id", "--given", "X:2=yes", "--given", "X:1=no").stdout
    assert "animal (X:1) is no, bird (X:2) is yes. Reason: bird (X:2) implies animal (X:1)" in clash
    plain = tmp_path / "bank.onto"
    plain.write_text("bank > freeze_account", encoding="utf-8")
    told = call("explain", plain, "--given", "freeze_account=yes", "--label", "bank").stdout
    assert "so bank is yes: freeze account implies bank" in told


def test_names_synonyms_and_codes_are_labels(call, tmp_path):
    path = tmp_path / "cells.obo"
    path.write_text(
        "format-version: 1.4\n\n[Term]\nid: CL:1\nname: cell\n\n"
        '[Term]\nid: CL:2\nname: neuron\nsynonym: "nerve cell" EXACT []\nis_a: CL:1\n'
    )
    shown = [
        call("explain", path, "--names", "id", "--given", f"{text}=yes", "--label", "cell").stdout
        for text in ("CL:2", "neuron", "nerve cell", "CL_2")
    ]
    assert "cell (CL:1) is yes" in shown[0]
    assert len(set(shown)) == 1
