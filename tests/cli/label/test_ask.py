"""`corollary ask`: keys in, answers kept."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

import corollary as co
from corollary.campaign.campaign import Campaign
from corollary.cli import main


@pytest.fixture
def press(place):
    """Press keys in `corollary ask`."""

    def press(keys: str, *options: str):
        result = CliRunner().invoke(main, ["ask", str(place), *options], input=keys)
        assert result.exit_code == 0, result.output
        return result.output

    return press


def events(place):
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.verify(step_by_step=True) == []
        return [
            (event.kind, event.value)
            for event in campaign.state.events
            if event.kind in ("answer", "undo")
        ]


def test_the_keys_of_the_page(press, place):
    text = press("y n\bxa?sq")
    assert events(place) == [
        *(("answer", value) for value in (True, "cant_tell", False)),
        ("undo", None),
        *(("answer", value) for value in (False, True, "skip")),
    ]
    assert "Should “" in text
    assert "∴" in text
    assert "would settle" in text
    assert "5 answered;" in text


def test_a_question_and_its_answer_take_a_few_lines_however_many_labels_there_are(tmp_path):
    labels = [f"some_intent_{n}" for n in range(120)]
    onto = co.Ontology(
        ["the_domain", *labels], [co.subsumes("the_domain", *labels), co.exclusive(*labels)]
    )
    place = tmp_path / "many.sqlite"
    Campaign.create(place, ["block my card"], onto, name="many", settings={"pick": "never"}).close()
    result = CliRunner().invoke(main, ["ask", str(place), "--n", "1"], input="y")
    text = result.output[result.output.index("Should") :]
    assert len(text.splitlines()) <= 8
    assert max(map(len, text.splitlines())) < 200
    assert "_" not in text
    assert "“block my card”" in text


def test_it_stops_when_keys_end_or_enough_is_answered(press, place):
    press("")
    assert events(place) == []
    assert "1 answered" in press("nnn", "--n", "1")
    with Campaign.open(place) as campaign:
        assert campaign.leases() == []


def test_until_nothing_is_left(press, place):
    text = press("n" * 40)
    assert "All labels are settled. Well done!" in text
    with Campaign.open(place, readonly=True) as campaign:
        assert campaign.progress()["open"] == 0


def test_nothing_to_undo_is_said(press):
    assert "there is nothing to undo" in press("uq")


def test_a_contradiction_is_shown_with_choices(place, monkeypatch):
    """Someone else settles the item between the question and the answer."""
    with Campaign.open(place) as campaign:
        campaign.invite("ann")
        from corollary.cli.label import ask

        monkeypatch.setattr(ask, "key", iter(["u", "k"]).__next__)
        campaign.answer("ann", "carp", "fish", True)
        for conflicts, kinds in (
            (0, ["answer", "answer", "undo"]),
            (1, ["answer", "answer", "undo", "answer", "doubt"]),
        ):
            reply = campaign.answer("lead", "carp", "bird", True)
            assert reply.conflict is not None
            ask.settle(campaign, "lead", reply)
            assert len(campaign.conflicts()) == conflicts
            assert [event.kind for event in campaign.state.events[2:]] == kinds


def test_whole_items_of_which_several_labels_may_hold(tmp_path):
    place, onto = tmp_path / "free.sqlite", co.Ontology(["red", "small", "old"])
    with Campaign.create(
        place, ["a ball"], onto, name="free", settings={"item_cost": 1.0}
    ) as campaign:
        (asked,) = campaign.next("lead")
        assert asked.label is None
        number = asked.options.index("small") + 1
        campaign.release("lead", [asked.id])
    text = said(place, f"y0\n{number}\nq")
    assert "numbers from 1 to" in text
    assert events(place) == [("answer", ["small"])]


@pytest.fixture
def many(tmp_path):
    """A campaign on items of which one of many labels is true."""
    domains = {
        "travel": [f"trip_{n}" for n in range(8)],
        "banking": ["freeze_account", "pay_bill", "pay_back", "rate"],
    }
    rules = [co.exactly_one(*domains)]
    for domain, intents in domains.items():
        rules += [
            co.subsumes(domain, *intents),
            co.covers(domain, *intents),
            co.exclusive(*intents),
        ]
    place = tmp_path / "many.sqlite"
    onto = co.Ontology([*domains, *(one for intents in domains.values() for one in intents)], rules)
    Campaign.create(
        place, [f"text {n}" for n in range(5)], onto, name="many", settings={"pick": "always"}
    ).close()
    return place


def said(place, keys):
    result = CliRunner().invoke(main, ["ask", str(place)], input=keys)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_pick_by_number(many):
    text = said(many, "0 2uq")
    first = next(line for line in text.splitlines() if line.startswith("  1 "))
    labels = [part.split(" ", 1)[1] for part in first.strip().split("   ")]
    assert len(labels) == 9
    assert "travel" not in labels
    assert "finds any of 3 more" in text
    assert "none of these" not in text
    kinds = [(event.kind, event.value) for event in Campaign.open(many, readonly=True).state.events]
    assert [kind for kind, _ in kinds] == ["answer", "answer", "undo"]
    assert kinds[0][1] == "cant_tell"
    assert kinds[1][1][0].replace("_", " ") in text


def test_a_pick_by_letters(many):
    text = said(many, "n/zzz\npay\nback\n/pay\n2\n/\nq")
    assert "one of them is true" in text
    assert "no open label" in text
    assert "   2 pay " in text
    answers = [value for kind, value in events(many) if kind == "answer"]
    *_, offered = [line for line in text.splitlines() if line.startswith("  1 pay ")]
    second = offered.strip().split("   ")[1].removeprefix("2 ").replace(" ", "_")
    assert second.startswith("pay_")
    assert answers == [["pay_back"], [second]]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is needed")
def test_in_a_terminal_an_early_key_does_not_count(place):
    terminal, inner = os.openpty()
    os.write(terminal, b"n")  # before there is a question
    command = [sys.executable, "-m", "corollary", "ask", str(place)]
    with subprocess.Popen(
        command, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
    ) as process:
        try:
            said = wait_for(terminal, "Should “")
            for keys, answer in (("y", "yes"), ("nn", "no")):
                os.write(terminal, keys.encode())
                said += wait_for(terminal, f"{answer}\x1b[0m", "Should “")
            os.write(terminal, b"\x03")
            said += wait_for(terminal, "answered;", waits=False)
            assert process.wait(60) == 0
        finally:
            process.kill()  # or a failure would wait for it for ever
    os.close(terminal)
    os.close(inner)
    assert "2 answered;" in said
    assert events(place) == [("answer", True), ("answer", False)]


def wait_for(terminal: int, *signs: str, waits: bool = True) -> str:
    """What a terminal says until the signs have come, one after the other, and a key is waited for."""
    import termios

    text, start = "", 0
    for sign in signs:
        while sign not in text[start:]:
            ready, _, _ = select.select([terminal], [], [], 60)
            assert ready, text
            text += os.read(terminal, 65536).decode()
        start = text.index(sign, start) + len(sign)  # the next may have come with it
    while waits and termios.tcgetattr(terminal)[3] & termios.ICANON:
        time.sleep(0.01)
    return text


def test_keys_come_from_a_pipe(place):
    command = [sys.executable, "-m", "corollary", "ask", str(place)]
    done = subprocess.run(command, input="y\nn\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert [
        line for line in done.stderr.splitlines() if not line.startswith("opening the campaign ...")
    ] == []
    assert "2 answered;" in done.stdout
    assert events(place) == [("answer", True), ("answer", False)]
