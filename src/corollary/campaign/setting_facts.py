"""The table of settings: allowed values, what each does, and what a change means now.

The checks, the page, the command, the API's description and the docs all read it. A new setting is a field of
`Settings` and a line of `ABOUT`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..learning.choosing.picks import PICKS
from ..learning.learners.learner_names import LEARNERS
from .setting_kinds import Choice, Kind, Number, Switch, Text, Texts

#: Asks for the best encoder installed; the log stores the name of that encoder instead.
AUTO = "auto"
#: Seconds that a question may be held: a day.
LONGEST_LEASE = 86_400.0
#: Characters of the guidelines.
GUIDELINES = 20_000


class About(NamedTuple):
    """One setting: its heading, its allowed values, what it does, and what a change means now."""

    group: str
    kind: Kind
    does: str
    now: str


SHARE = Number(least=0, most=1)
ASKING = "Questions"
OPINIONS = "Second opinions and gold"
LEARNING = "Learning"
SEEN = "Display"
COSTS = ("equal", "measured")
#: Consequences that several settings share.
NEXT = "From the next question on."
ANEW = "Questions are ranked again at once, and a new model is trained."
HELD = "Questions that people already have stay as they are."

#: Every setting, under its heading, in the order in which people see them.
ABOUT = {
    "pick": About(
        ASKING,
        Choice(words=PICKS),
        "When to ask “Which of these is it?” instead of yes or no. With auto: if labels exclude each other and a pick "
        "is worth its time.",
        f"{ANEW} {HELD}",
    ),
    "item_cost": About(
        ASKING,
        Number(none=True, least=1e-6, most=1e6),
        "The cost of a pick; a yes/no question costs 1. With none, the cost is measured from people's answer times. "
        "With a number, picks are asked in any ontology.",
        f"{ANEW} {HELD}",
    ),
    "costs": About(
        ASKING,
        Choice(words=COSTS),
        "The cost of a yes/no question: equal for all labels, or measured from people's answer times for each label.",
        f"{ANEW} Each later training measures the times again.",
    ),
    "stay": About(
        ASKING,
        Choice(none=True, words=("label", "item")),
        "Stay on one item, which saves questions, or on one label, while it is worth it. With none, people always get "
        "the best question.",
        ANEW,
    ),
    "by_chance": About(
        ASKING,
        SHARE,
        "The share of questions about items drawn at random, once there is a model. They show where the model is sure "
        "and wrong. Without them, no target counts as reached. Example: 0.05.",
        NEXT,
    ),
    "lease_seconds": About(
        ASKING,
        Number(least=1, most=LONGEST_LEASE),
        "The seconds for which a question is reserved for one person. Example: 300.",
        "For questions handed out from now on. Questions that people already have keep their time.",
    ),
    "overlap": About(
        OPINIONS,
        SHARE,
        "The share of questions, picks included, that several people answer without seeing each other's answers.",
        "Also for answered questions: more or fewer of them come up again. Opinions given so far are kept.",
    ),
    "opinions": About(
        OPINIONS,
        Number(least=1, most=100, whole=True),
        "The number of people who answer such a question, the first one included.",
        "Questions with fewer answers come up again. Answers beyond this number are kept.",
    ),
    "fallible": About(
        OPINIONS,
        Switch(),
        "People can be wrong. Each answer is weighed by the accuracy of its author and by the model. Doubtful answers "
        "are asked again, of another person. For teams. A training takes about four times as long.",
        f"Answers that are probably wrong no longer count. Switched off, all answers count again. {ANEW}",
    ),
    "gold_share": About(
        OPINIONS,
        SHARE,
        "The share of gold questions: their answers are known, and people cannot recognise them.",
        NEXT,
    ),
    "learner": About(
        LEARNING,
        Choice(words=LEARNERS),
        "The classifier that learns from the answers. With auto, it is chosen to fit the items.",
        ANEW,
    ),
    "encoder": About(
        LEARNING,
        Text(none=True, what="the name of an encoder", never=AUTO),
        "The model that reads the texts of items and labels: lexical, static, or a model of sentence-transformers. "
        "CLIP-like models also read pictures. With auto, the best one installed; with none, texts are not read.",
        "All texts are read again, which may take a while, and a new model is trained.",
    ),
    "retrain_every": About(
        LEARNING,
        Number(least=1, most=10**9, whole=True),
        "The number of answers after which a new model is trained. Example: 50.",
        "Answers since the last training count. If there are enough, the next question or answer starts a training.",
    ),
    "target": About(
        LEARNING,
        SHARE,
        "The share of items that should be labelled right in the end. The forecast counts the questions until then. "
        "Example: 0.99.",
        "The forecast uses the new target. Nothing else changes.",
    ),
    "seed": About(
        LEARNING,
        Number(least=0, most=2**31 - 1, whole=True),
        "The start of all random choices: questions for second opinions, suggestions, and the draws of learners.",
        f"Other questions get second opinions or suggestions. {ANEW}",
    ),
    "show_consequences": About(
        SEEN,
        Switch(),
        "Show with each question which labels a yes and a no would settle.",
        NEXT,
    ),
    "suggest": About(
        SEEN,
        SHARE,
        "The share of questions that show the model's prediction. Gold questions and second opinions never do. "
        "Predictions influence people; below 1, the figures compare answers with and without them.",
        f"{NEXT} {HELD}",
    ),
    "show_names": About(
        SEEN,
        Switch(),
        "Show annotators each other's names. Leads always see them.",
        "At once, also for earlier answers.",
    ),
    "question": About(
        SEEN,
        Text(none=True, what="a question with {label} in it, such as 'Is {item} a {label}?'"),
        "The wording of yes/no questions, for labels without their own question. {item} and {label} stand for the "
        "names. With none, “Should {item} be labelled {label}?”.",
        NEXT,
    ),
    "pick_question": About(
        SEEN,
        Text(none=True, what="a question, such as 'What does this customer want?'"),
        "The wording of picks. {item} stands for the item's name. With none, “Which of these is {item}?”.",
        NEXT,
    ),
    "guidelines": About(
        SEEN,
        Text(none=True, what=f"a text of at most {GUIDELINES:,} characters", most=GUIDELINES),
        "Instructions for annotators, shown with the key G. "
        "Formatting: # headings, - lists, 1. lists, **bold**, *italics*, `code` and links.",
        "At once. An open page shows them when the guidelines are opened next.",
    ),
    "labels": About(
        SEEN,
        Texts(),
        "A name, a definition, synonyms (separated by ;) and a question for each label. {item} stands for the item's "
        "name.",
        "People see it with the next question. If texts are read, a new model is trained.",
    ),
}
