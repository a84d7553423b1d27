"""What is wrong with a file is told with its place, and of many problems the first."""

from __future__ import annotations

from .refusals import refused


def test_every_problem_is_told_with_its_place(write):
    path = write("x.csv", "id,labels\na,brd\n,bird\nc,bird;fish\nd,\na,\nd,city\n")
    text = refused(path)
    assert text.startswith(f"{path} has 5 problems:")
    for line in (
        "line 2: column 'labels': 'brd' is no label of the ontology; did you mean 'bird'?",
        "line 3: column 'id': the id is missing",
        "line 4: item 'c': These answers cannot all be true: bird is yes, fish is yes",
        "line 6: column 'id': the id 'a' is there already, in line 2",
        "line 7: column 'id': the id 'd' is there already, in line 5",
    ):
        assert line in text
    assert text.endswith("Nothing was imported")


def test_of_many_problems_the_first_are_told(write):
    text = refused(write("x.csv", "id,labels\n" + "".join(f"{n},bird;fish\n" for n in range(30))))
    assert "has 30 problems, the first 5:\n  line 2: item '0'" in text
    assert text.count("\n") == 6
    assert "has 100 or more problems" in refused(write("x.csv", "id,labels\n" + "x,brd\n" * 300))
