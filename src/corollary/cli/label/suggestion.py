"""A suggestion in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...logic.wording import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...campaign.live.suggestions import Guess


def suggested(guess: Guess, names: Mapping[str, str]) -> str:
    """`Suggested: yes, 93 %`, or the labels of a whole item."""
    if isinstance(guess.value, bool):
        what = "yes" if guess.value else "no"
    else:
        what = ", ".join(names.get(label, label) for label in guess.value) or "none of these"
    return f"Suggested: {what}, {percent(guess.probability)}"
