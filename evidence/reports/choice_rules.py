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
Every method has the same learner, the same items known at the start, and the same rounds: {rounds}. The prediction is
the same, too: the posterior of the learner's beliefs, given the rules and the known labels. Only the choice of the next
question differs.

- Questions are yes or no. They are counted until the average AUC on the test part is at least the target for good. A
  run goes on to the highest target, unless its table says otherwise. AUC is the area under each label's
  precision-recall curve, weighted by the label's positives; known cells count as 0 or 1. So it is the quality of the
  labelled set, not of a classifier on new data.
- {CONSEQUENCES[propagate]}
- `LOG-CP` and similar scores take the learner's probability of each label alone; `:marginals` takes the posterior's
  marginals. Entropy of the marginals is `posterior`. It stays on an item while its best question is worth at least
  half of the best one overall. If the learner knows each label alone, it finishes the item. `contrast` does the same,
  and weighs the nearest items and the nearest known items beside the learner.
- The default is what a session does by itself: `posterior` with the default learner, `contrast` with another.
- `:items` chooses whole items. {ASKED_OUT if propagate is False else SETTLED} `:cells` asks one question of an item,
  its most uncertain one, and goes on to the next; BALD scores the cells themselves.
- A ratio is the default's mean over the seeds, divided by the mean of the other method; below 1 the default needs
  fewer. A mean below one question counts as one. Over several data sets it is the geometric mean. Brackets have the
  95 % interval, by bootstrap ({DRAWS:,} samples) over data sets and seeds; for one data set over its seeds. *The
  paper's best* is its method with the fewest questions on the data set. It is chosen anew in each sample, like *the
  best of other tools' strategies*. Runs are measured after each round, and {one_round}
"""
