"""`corollary simulate conll04`: questions about items and pairs, with the ties between them and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...logic.errors import CorollaryError
from ..terminal import echo

if TYPE_CHECKING:
    from rich.table import Table

    from ...experiment.data.datasets import Dataset
    from ...experiment.simulation import Curve

#: The data sets with pairs.
LINKED = ("conll04",)
#: Shares of the components that are predicted wholly right.
TARGETS = (0.5, 0.8, 0.95, 0.99, 0.999)
TIED, UNTIED = "tied", "untied"
#: Options of the command that a data set with pairs does not have.
NOT_YET = ("start", "predict", "stay", "item_cost", "pick", "out")
FLAGS = ("to_the_end", "diverse", "unbalanced", "mix_commits")


@dataclass(frozen=True)
class Run:
    """One run, and whether items and pairs were tied."""

    ties: str
    seed: int
    curve: Curve


def simulate_pairs(
    name: str,
    *,
    seeds: int,
    learner: str,
    methods: tuple[str, ...],
    per_round: int | str | None,
    until: float,
    untied: bool,
    components: int | None,
    **options: Any,
) -> Table:
    """Run a data set with pairs for each seed, and lay out the questions to each target."""
    _check(seeds, methods, options)
    runs = []
    for seed in range(seeds):
        dataset = _load(name, seed=seed, components=components)
        for ties in (TIED, UNTIED) if untied else (TIED,):
            curve = _run(
                dataset, ties, learner=learner, per_round=per_round, until=until, seed=seed,
                method=methods[0] if methods else "posterior",
            )  # fmt: skip
            echo(f"{name}, {ties}, seed {seed}: {int(curve.asked[-1]):,} questions", err=True)
            runs.append(Run(ties, seed, curve))
    return summary(runs)


def _check(seeds: int, methods: tuple[str, ...], options: Mapping[str, Any]) -> None:
    if seeds < 1:
        raise CorollaryError(f"--seeds must be at least 1, got {seeds}")
    if len(methods) > 1:
        raise CorollaryError("with pairs there is one --method a command")
    wrong = [one for one in NOT_YET if options.get(one) is not None]
    wrong += [one for one in FLAGS if options.get(one)]
    if wrong:
        raise CorollaryError(f"--{wrong[0].replace('_', '-')}: not with pairs yet")


def _load(name: str, *, seed: int, components: int | None) -> Dataset:
    from ...experiment.data import conll
    from ...experiment.data.known import find_files

    place = find_files(name, conll.FILES)
    return conll.load(place, seed=seed, sentences=components)


def _run(
    dataset: Dataset,
    ties: str,
    *,
    learner: str,
    per_round: Any,
    until: float,
    seed: int,
    method: str,
) -> Curve:
    from ...experiment.data.datasets import Dataset
    from ...experiment.linked_simulation import simulate_linked, without_ties

    if ties == UNTIED:
        dataset = Dataset(
            dataset.X,
            dataset.Y,
            without_ties(dataset.onto),
            train=dataset.train,
            name=dataset.name,
            pairs=dataset.pairs,
            R=dataset.R,
        )
    return simulate_linked(
        dataset,
        method,
        learner=learner,
        per_round=per_round or "auto",
        until=until,
        random_state=seed,
    )


def summary(runs: list[Run]) -> Table:
    """A row for each target: the questions of each seed, and what ties are worth."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 1), header_style="bold")
    table.add_column("wholly right")
    kinds = list(dict.fromkeys(run.ties for run in runs))
    for ties in kinds:
        table.add_column(f"questions, {ties}", justify="right")
    if len(kinds) > 1:
        table.add_column("ratio", justify="right")
    for target in TARGETS:
        found = {
            ties: [run.curve.questions_to(target, part="right") for run in runs if run.ties == ties]
            for ties in kinds
        }
        cells = [", ".join("–" if n is None else f"{n:,}" for n in found[ties]) for ties in kinds]
        if len(kinds) > 1:
            cells.append(_ratio(found[TIED], found[UNTIED]))
        table.add_row(f"{target:.1%}", *cells)
    return table


def _ratio(tied: list[int | None], untied: list[int | None]) -> str:
    both = [(a, b) for a, b in zip(tied, untied, strict=True) if a is not None and b]
    if len(both) < len(tied) or not both:
        return "–"
    return f"{sum(a for a, _ in both) / sum(b for _, b in both):.2f}"
