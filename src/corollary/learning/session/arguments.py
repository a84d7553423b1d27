"""Check the arguments of a session: errors name the wrong argument, and why it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ...logic.arrays import Table, as_table
from ...logic.engines import Facts
from ...logic.errors import CorollaryError
from ...logic.labelled import index_of, item_ids, same_rows
from ..argument_checks import list_of, shown
from ..choosing.best_questions import Stay
from ..choosing.scores import CONTRAST, SessionScore, check_session_score
from ..features.matrices import is_numbers
from .options import Experiment, StayOrAuto

if TYPE_CHECKING:
    from ..learners.learner import Learner

Beliefs = Table | Callable[[Facts], Table]


def what_to_choose_by(
    score: SessionScore | Literal["auto"], learner: Learner | None, X: Any, *, only_posterior: bool
) -> SessionScore:
    """Return the score.

    "auto" is `contrast` for learners other than the default one, if items are numbers.

    `only_posterior` is set if annotators can be wrong, if whole items are asked about, or for
    forecasts: asking only where the learner is wrong makes a forecast pessimistic.
    """
    from ..learners.meaning import Meaning
    from ..learners.pool import Pool

    if not isinstance(score, str) or score != "auto":
        return check_session_score(score)
    plain = only_posterior or learner is None or isinstance(learner, Pool | Meaning)
    return "posterior" if plain or not is_numbers(X) else CONTRAST


def how_to_stay(
    stay: StayOrAuto | None, learner: Learner | None, *, score: Any, fallible: bool
) -> Stay | None:
    """Return how to stay; "auto" stays on items if the posterior or `contrast` chooses.

    A learner that knows each label alone learns most from complete items, so items are settled. If
    annotators can be wrong, nothing is settled for good.
    """
    from ..learners.crf import CRF
    from ..learners.meaning import Meaning
    from ..learners.pool import Pool

    if stay == "settle" and fallible:
        raise CorollaryError(
            "stay='settle' does not work with fallible annotators: nothing is settled for good"
        )
    if stay != "auto":
        return stay
    if learner is None or not isinstance(score, str) or score not in ("posterior", CONTRAST):
        return None
    return "item" if fallible or isinstance(learner, CRF | Pool | Meaning) else "settle"


def check_likeness(X: Any, *, diverse: bool, score: Any) -> None:
    """Raise an error if nearest neighbours are needed and there are no features."""
    needs = (
        "diverse"
        if diverse
        else "score='contrast'"
        if isinstance(score, str) and score == CONTRAST
        else None
    )
    if X is None and needs is not None:
        raise CorollaryError(f"{needs} needs X: nearest neighbours are found by features")


def check_fallible(asking: Experiment, *, score: SessionScore) -> None:
    """Raise an error if a session with fallible annotators cannot do what it is asked for."""
    if score != "posterior" or asking.propagate is False or asking.refresh != "always":
        raise CorollaryError(
            "a fallible session chooses questions by the expected information of an answer that "
            "may be wrong: score, propagate and refresh must be left as they are"
        )


def count_items(X: Any, beliefs: Beliefs | None, facts: Table | None) -> int:
    """Return the number of items, or raise an error if it is unknown or arguments disagree."""
    if X is None and beliefs is None:
        raise CorollaryError("a session needs items to learn from (X), or ready-made beliefs")
    sizes = {
        "X": _length("X", X),
        "beliefs": None if callable(beliefs) else _length("beliefs", beliefs),
        "facts": _length("facts", facts),
    }
    given = {name: size for name, size in sizes.items() if size is not None}
    if not given:
        raise CorollaryError(
            "beliefs from a function need X or facts, to tell how many items there are"
        )
    if len(set(given.values())) > 1:
        sizes_of = ", ".join(f"{name} has {size:,}" for name, size in given.items())
        raise CorollaryError(f"all must have one row an item, but {sizes_of}")
    return next(iter(given.values()))


def check_held_out(
    held_out: Any, X: Any, labels: Sequence[str], n: int
) -> npt.NDArray[np.bool_] | None:
    """The cells that the learner is not trained on; None if it is trained on all known cells."""
    if held_out is None:
        return None
    own = same_rows("held_out", held_out, "X", index_of(X))
    found = as_table("held_out", own, labels, like="true or false", unsaid=0.0)
    if len(found) != n or not np.isin(found, (0, 1)).all():
        raise CorollaryError(
            f"held_out must be true or false for each cell of {n:,} items, got {len(found):,} items"
        )
    return np.asarray(found, np.bool_)


def by_id(
    X: Any, beliefs: Any, facts: Any, ids: Any, n: int
) -> tuple[Sequence[Hashable], Any, Any]:
    """The ids of items, and beliefs and facts with their rows in the order of the items.

    Without `ids`, the index of the first frame or Series that has item ids names the items, else their rows do.
    """
    if ids is None:
        ids = next(
            (found for table in (X, beliefs, facts) if (found := item_ids(table)) is not None), None
        )
    facts = same_rows(
        "facts", facts, "X" if X is not None else "beliefs", index_of(beliefs if X is None else X)
    )
    return check_ids(ids, n), same_rows("beliefs", beliefs, "X", index_of(X)), facts


def check_ids(ids: Any, n: int) -> Sequence[Hashable]:
    """An id of its own for each item; without ids, its row."""
    if ids is None:
        return range(n)
    found = tuple(list_of("item_ids", ids))
    if len(found) != n:
        raise CorollaryError(
            f"item_ids must have one id for each of {n:,} items, got {len(found):,}"
        )
    first: dict[Hashable, int] = {}
    try:
        again = [(first[one], i) for i, one in enumerate(found) if first.setdefault(one, i) != i]
    except TypeError as error:
        raise CorollaryError(
            f"item_ids must be {n} ids such as texts or numbers: {error}"
        ) from None
    if again:
        one, other = again[0]
        more = (
            f"; {len(again) - 1:,} further rows have an id of an earlier one"
            if len(again) > 1
            else ""
        )
        raise CorollaryError(
            f"item_ids must differ, but rows {one} and {other} both have {found[one]!r}{more}. "
            "Pass other item_ids (an index of a frame or Series counts as ids)"
        )
    return found


def _length(name: str, array: Any) -> int | None:
    if array is None:
        return None
    if isinstance(array, Mapping):  # columns by name
        array = next(iter(array.values()), [])
    try:
        return int(array.shape[0]) if hasattr(array, "shape") else len(array)
    except (TypeError, IndexError):
        raise CorollaryError(
            f"{name} must have one row for each item, got {shown(array)}"
        ) from None


def check_drawn_facts(given: Facts | None, known: Facts, *, learns: bool) -> None:
    """Raise an error if facts at random cannot validate learners that were not trained on them."""
    if given is None or not learns:
        raise CorollaryError(
            "facts_at_random holds facts against learners that have not seen them: it needs X and facts, and no "
            "beliefs, which may have been learnt from these very facts"
        )
    if not (known >= 0).all(axis=1).any():
        raise CorollaryError(
            "facts_at_random: no item is fully labelled, so there is nothing to validate the learner on"
        )
