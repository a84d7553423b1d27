"""How methods are compared that differ in their choice alone, in words that follow the settings."""

from __future__ import annotations

from corollary.experiment.simulation import PerRound

from .intervals import DRAWS

GROWING = """\
each a tenth of what was asked
so far, at least one question for each 5,000 cells of the test part"""
#: What answers settle: by the method, or the same for all.
CONSEQUENCES = {
    None: """\
`-CP` draws the consequences of answers, and so does every method in lower case; `RANDOM` and `ENTROPY` do not.""",
    True: "Every method draws the consequences of answers, `RANDOM` and `ENTROPY` too.",
    False: """\
No method draws the consequences of answers: known is what was asked, and no more. The prediction follows the logic
  all the same.""",
}
SETTLED = """\
An item costs the yes/no questions that it takes to settle it under the logic, its most
  uncertain label first: one where the first guess is right and settles the rest."""
ASKED_OUT = """\
An item costs a yes/no question for each of its labels that is not known, its most
  uncertain label first."""


def rules(*, per_round: PerRound = "auto", propagate: bool | None = None) -> str:
    """The rules, with rounds of so many questions, and with consequences for all, for none, or by method (None)."""
    if per_round == "auto":
        rounds = GROWING
        one_round = "rounds grow by a tenth: 0.91 or 1.10 is one round."
    else:
        rounds = "one question" if per_round == 1 else f"{per_round:,} questions"
        one_round = f"a round has {rounds}: what a run needs is rounded up to whole rounds."
    return f"""\
Every method has the same learner, the same items known at the start, the same rounds ({rounds}) \
and the same prediction: the posterior of the
learner's beliefs under the logic and what is known. Only which question comes next differs.

- Questions are yes or no, until the average AUC on the test part is at least the target and stays there as long as
  the run goes on: to the highest target, where nothing else is said. AUC is the area under each label's
  precision-recall curve, weighted by the label's positives; known cells count as 0 or 1. So it is the quality of the
  labelled set, not of a classifier on data that nobody asks about.
- {CONSEQUENCES[propagate]}
- `LOG-CP` and its like score what the learner says of each label alone; `:marginals` scores the posterior's marginals.
  Entropy of the marginals is `posterior`. It goes on with an item while its best question is worth at least half of
  the best anywhere, and to its end where the learner knows each label alone: a part of its choice. `contrast` does so
  too, and hears besides the learner the items most like each, and the known ones.
- The default is what a session does by itself: `posterior` with the default learner, `contrast` with another.
- `:items` chooses whole items. {ASKED_OUT if propagate is False else SETTLED} `:cells` asks one question of an item,
  its most uncertain one, and goes on to the next; BALD scores the cells themselves.
- A ratio is the default's mean over the seeds over that of the other; below 1 the default needs fewer. A mean below
  one question counts as one. Over several data sets it is the geometric mean. In brackets is the 95 % interval, by
  bootstrap ({DRAWS:,} samples) over data sets and seeds; of one data set over its seeds. *The paper's best* is the one
  of its methods with the fewest questions on the data set, found anew in each sample, and so is *the best of others'
  strategies*. Runs are measured after each round, and {one_round}
"""
