"""Rules of thumb as witnesses: functions of an item that say something of labels, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ....logic.errors import CorollaryError, nearest
from ....logic.language.constraints import first_repeated
from ....logic.ontology import Ontology
from ....logic.wording import quoted
from ...argument_checks import check_onto, list_of, shown
from ..reports import Report
from .time_limit import Clock, TookTooLong, time_limit

#: What a rule says of an item: yes or no, or a probability, for some labels; None if it says nothing.
Said = Mapping[str, bool] | Mapping[str, float] | None
Rule = Callable[[Any], Said]
#: Takes how many are done, and of how many.
Progress = Callable[[int, int], None]
#: A pattern may look at one text for so long.
SECONDS = 1.0
#: Items between two calls of `progress`.
STEP = 1_000


def ask_rules(
    onto: Ontology,
    items: Sequence[Any],
    rules: Sequence[Rule] | Mapping[str, Rule],
    *,
    progress: Progress | None = None,
) -> dict[str, npt.NDArray[np.float64]]:
    """Ask rules of thumb about items, and return the reports of each rule.

    Parameters
    ----------
    onto
        The labels, and the constraints between them.
    items
        The items to ask about.
    rules
        Functions, or a dict from names to functions. A rule takes an item. It returns None, or a
        dict from labels to True, False or a probability.
    progress
        A function that is called with the number of items done and of all.

    Returns
    -------
    dict from names to float (N, K)
        Probabilities, nan where a rule is silent.
    """
    check_onto(onto)
    named = _named(rules)
    things = list_of("items", items)
    found = {name: np.full((len(things), len(onto)), np.nan) for name in named}
    for i, label, name, value in rule_reports(onto, things, named, progress=progress):
        found[name][int(i), onto.index[label]] = value
    return found


def rule_reports(
    onto: Ontology,
    items: Sequence[Any],
    rules: Mapping[str, Rule],
    *,
    progress: Progress | None = None,
) -> Iterator[Report]:
    """Yield the same reports one by one, as a long table; items are given by their numbers."""
    for start in range(0, len(items), STEP):
        part = range(start, min(start + STEP, len(items)))
        with time_limit(SECONDS) as clock:
            said = [
                Report(i, label, name, value)
                for i in part
                for name, rule in rules.items()
                for label, value in _asked(name, rule, i, items[i], onto, clock).items()
            ]
        yield from said
        if progress is not None:
            progress(part.stop, len(items))


def _asked(
    name: str, rule: Rule, i: int, item: Any, onto: Ontology, clock: Clock
) -> dict[str, float]:
    """What a rule says of one item, checked; whatever goes wrong, the error names both."""
    try:
        if getattr(rule, "limited", False):
            clock.begin()
        said = rule(item)
        clock.end()
    except TookTooLong:
        where = getattr(rule, "place", None)
        raise CorollaryError(
            f"the rule {name!r}{f' [{where}]' if where else ''} took more than {SECONDS:g} s on item {i} "
            f"({_short(item)}); repetitions inside of repetitions, such as (a+)+, take for ever: write it without"
        ) from None
    except Exception as error:
        what = (
            str(error) if isinstance(error, CorollaryError) else f"{type(error).__name__}: {error}"
        )
        raise CorollaryError(
            f"the rule {name!r} failed on item {i} ({_short(item)}): {what}"
        ) from error
    if said is None:
        return {}
    if not isinstance(said, Mapping):
        raise CorollaryError(
            f"the rule {name!r} must give back a dict, label: True or False, or None; "
            f"for item {i} ({_short(item)}) it gave {shown(said)}"
        )
    return {
        _label(label, name, onto): _probability(value, label, name, i)
        for label, value in said.items()
    }


def _short(item: Any) -> str:
    return quoted(item) if isinstance(item, str) else shown(item)


def _label(label: Any, name: str, onto: Ontology) -> str:
    if label not in onto:
        hint = nearest(str(label), onto.labels)
        raise CorollaryError(f"the rule {name!r} names an unknown label {label!r}{hint}")
    return str(label)


def _probability(value: Any, label: str, name: str, i: int) -> float:
    if isinstance(value, bool | np.bool_ | int | float | np.number) and 0 <= value <= 1:
        return float(value)
    raise CorollaryError(
        f"the rule {name!r} must say True, False or a probability; of {label!r} for item {i} it said {shown(value)}"
    )


def _named(rules: Sequence[Rule] | Mapping[str, Rule]) -> dict[str, Rule]:
    """The rules by name."""
    if isinstance(rules, Mapping):
        named = list(rules.items())
    else:
        named = [
            (getattr(rule, "name", getattr(rule, "__name__", "")), rule)
            for rule in list_of("rules", rules)
        ]
    for name, rule in named:
        if not callable(rule):
            raise CorollaryError(f"a rule is a function of an item, got {shown(rule)}")
        if not isinstance(name, str) or name in ("", "<lambda>"):
            raise CorollaryError(
                "a rule needs a name; pass rules without one as a dict, {'gills': lambda text: ...}"
            )
    check_rule_names([name for name, _ in named], "the rules")
    return dict(named)


def check_rule_names(names: Sequence[str], where: str) -> None:
    """Each rule needs a name of its own: it is the witness."""
    if (twice := first_repeated(names)) is not None:
        raise CorollaryError(f"{where}: two rules are called {twice!r}; give one another name")
