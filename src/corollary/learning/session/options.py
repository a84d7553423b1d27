"""The options of a session: how it asks, how it reads items, and whether annotators can be wrong."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from ...logic.arrays import Table
from ...logic.errors import CorollaryError, OntologyError
from ...logic.ontology import Ontology
from ..argument_checks import check_choice, check_device, check_flag, is_number, shown
from ..choosing.best_questions import Stay
from ..choosing.picks import PICKS, Pick
from ..choosing.scores import SessionScore, check_session_score
from ..meaning.label_texts import MeaningOf

StayOrAuto = Stay | Literal["auto"]


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How a session chooses its questions, and the cost of each.

    Attributes
    ----------
    score : str, callable or Strategy
        The score by which questions are chosen: a name of `co.score`, a surprise function, or a
        `Strategy` of your own. "contrast" also asks where the nearest neighbours of an item
        disagree with the learner. "auto" is "contrast" if you pass your own learner and `X` holds
        numbers, and "posterior" otherwise. It is "posterior" as well if annotators can be wrong,
        if picks are asked, or if anything is drawn at random.
    pick : {"never", "auto", "always"}
        When to ask "Which is it?" instead of yes or no. With "auto": if labels exclude each other
        and a pick gains more for its cost. With "always": at every question.
    stay : {"auto", "item", "label", "settle", None}
        Stay on the last item or label while its best question is worth at least half of the best
        one overall. "settle" stays until all labels of the item are known, None never stays.
        "auto" stays on items if a learner is trained and the posterior or "contrast" chooses. It
        settles them if the learner knows each label alone, as classifiers of scikit-learn do.
    share_at_random : float
        The share of questions about items drawn at random, from 0 to 1. They make the forecast
        reliable where the learner is sure and wrong.
    facts_at_random : bool
        Whether the items with complete `facts` were drawn at random. If so, the forecast needs far
        fewer questions. Its first call trains five times.
    diverse : bool
        Whether the nearest neighbours of items wait until the next training. Use it if there are
        many questions between two trainings.
    costs : dict from labels to numbers
        The cost of a yes/no question about a label; 1 for labels that are not in it.
    item_cost : float
        The cost of asking for all labels of an item at once. With a number, such questions are
        asked if they gain more for their cost. By default a pick costs 3.
    device : str
        The device that scores all questions after a training, such as "cuda". PyTorch does it
        there; the results are the same up to rounding. Learners given by name train there too.
    """

    score: SessionScore | Literal["auto"] = "auto"
    pick: Pick = "never"
    stay: StayOrAuto | None = "auto"
    share_at_random: float = 0.0
    facts_at_random: bool = False
    diverse: bool = False
    costs: Mapping[str, float] | None = None
    item_cost: float | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not isinstance(self.score, str) or self.score != "auto":
            check_session_score(self.score)
        check_choice("pick", self.pick, PICKS)
        check_choice("stay", self.stay, ("auto", "label", "item", "settle", None))
        check_share("share_at_random", self.share_at_random)
        check_flag("facts_at_random", self.facts_at_random)
        check_flag("diverse", self.diverse)
        _check_costs("costs", self.costs)
        check_device(self.device)


@dataclass(frozen=True, kw_only=True)
class Experiment(Asking):
    """The options of `Asking`, and those that comparisons of methods vary.

    Attributes
    ----------
    score, pick, stay, share_at_random, facts_at_random, diverse, costs, item_cost, device
        As in `Asking`.
    propagate : bool
        Whether an answer also settles the labels that follow from it. By default it does; in
        `simulate` the method decides.
    refresh : {"always", "never"}
        Whether scores are computed again after each training and answer, or once.
    held_out : array of items x labels
        The known cells that the learner is not trained on. `simulate` chooses them itself.
    """

    propagate: bool | None = None
    refresh: Literal["always", "never"] = "always"
    held_out: Table | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("refresh", self.refresh, ("always", "never"))
        if self.propagate is not None:
            check_flag("propagate", self.propagate)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a session reads texts or pictures, and the meaning of labels.

    Attributes
    ----------
    encoder : str, callable or None
        Turns texts into numbers: "sentences", "static", "lexical", the name of a model, a function
        of a list of texts, or None. "auto" takes the first named one that is installed.
    meaning : "auto", dict, list or None
        A text for each label, so that predictions start before the first answer. "auto" reads the
        names of labels, None leaves the meaning out.
    names : dict from labels to texts
        The words that questions use for labels, see `read_names`.
    similarity : array of items x labels
        Scores or probabilities of your own, from a language model for example. The learner finds
        out how far to trust them.
    """

    encoder: object = "auto"
    meaning: MeaningOf = "auto"
    names: Mapping[str, str] | None = None
    similarity: Table | None = None


@dataclass(frozen=True, kw_only=True)
class Annotators:
    """Whether annotators can be wrong, who else gave an opinion, and the price of each.

    Attributes
    ----------
    fallible : bool
        Whether answers can be wrong. If so, each answer is weighed by the accuracy of its author,
        and by the model's probability without it. Doubtful answers are asked again if it pays, of
        another annotator first.
    witnesses : dict from names to arrays of items x labels
        Probabilities from classifiers or language models, nan where one is silent. They need
        `fallible`.
    prices : dict from annotators to numbers
        The price of a question to an annotator; 1 for annotators that are not in it. Prices need
        `fallible`.
    """

    fallible: bool = False
    witnesses: Any = None
    prices: Mapping[Hashable, float] | None = None

    def __post_init__(self) -> None:
        check_flag("fallible", self.fallible)
        _check_costs("prices", self.prices)
        for name, price in (self.prices or {}).items():
            if not is_number(price) or price <= 0:
                raise CorollaryError(
                    f"prices: {shown(name)} must have a price above 0, got {shown(price)}"
                )
        if not self.fallible and (self.witnesses is not None or self.prices):
            name = "prices" if self.witnesses is None else "witnesses"
            raise CorollaryError(
                f"{name} matter only if answers can be wrong: pass fallible=True as well"
            )


#: The fields that only an experiment has.
EXPERIMENTAL = {one.name for one in fields(Experiment)} - {one.name for one in fields(Asking)}


def check_share(name: str, share: Any) -> None:
    """Raise an error unless a value is a number from 0 to 1."""
    if not is_number(share) or not 0.0 <= share <= 1.0:
        raise CorollaryError(f"{name} must be a number from 0 to 1, got {shown(share)}")


def experiment(asking: Asking) -> Experiment:
    """Return the same options as those of an experiment."""
    return asking if isinstance(asking, Experiment) else Experiment(**vars(asking))


def grouped(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Group settings by name into the arguments of a session.

    Logs and jobs store settings side by side.

    Parameters
    ----------
    settings
        Values by name: of fields of `Experiment`, `Reading` and `Annotators`, or of other
        arguments, which stay.

    Returns
    -------
    dict
        The other arguments, with `asking`, `reading` and `annotators` if any of their fields are
        there.
    """
    left = dict(settings)
    found = dict[str, Any]()
    kinds: tuple[tuple[str, type[Asking | Reading | Annotators]], ...] = (
        ("asking", Experiment if EXPERIMENTAL & left.keys() else Asking),
        ("reading", Reading),
        ("annotators", Annotators),
    )
    for name, kind in kinds:
        own = {one.name: left.pop(one.name) for one in fields(kind) if one.name in left}
        if own and name not in left:
            found[name] = kind(**own)
    return {**found, **left}


def check_kinds(asking: Any, reading: Any, annotators: Any) -> None:
    """Raise an error if an option is not of its class."""
    for name, value, kind in (
        ("asking", asking, Asking),
        ("reading", reading, Reading),
        ("annotators", annotators, Annotators),
    ):
        if not isinstance(value, kind):
            raise CorollaryError(
                f"{name} must be made by co.{kind.__name__}(...), got {shown(value)}"
            )


def costs_by_label(costs: Mapping[str, float] | None, onto: Ontology) -> dict[str, float]:
    """The costs by label; raise an error if they name something that is not a label."""
    try:
        return {
            name if name in onto.relations else onto.find(name): cost
            for name, cost in (costs or {}).items()
        }
    except OntologyError as error:
        hint = "" if "did you mean" in str(error) else "; prices of people go to Annotators"
        raise CorollaryError(f"costs: {error}{hint}") from None


def _check_costs(name: str, costs: Any) -> None:
    if not isinstance(costs, Mapping | None):
        raise CorollaryError(f"{name} must be a dict from names to numbers, got {shown(costs)}")
