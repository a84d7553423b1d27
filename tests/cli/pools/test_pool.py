"""`corollary pool`: what it says of itself."""

from __future__ import annotations


def test_it_lists_its_commands(call):
    result = call("pool", "--help")
    assert result.exit_code == 0
    listed = result.stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == ["choose", "predict", "refill", "score"]
