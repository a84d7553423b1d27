"""What there is to know of each setting: what it may be, what it does, what changing it now means.

One table for the checks, the page, the command, the API's description and the docs. A new setting is a field of
`Settings` and a line of `ABOUT`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..learning.choosing.picks import PICKS
from ..learning.learners.learner_names import LEARNERS
from .setting_kinds import Choice, Kind, Number, Switch, Text, Texts

#: The encoder that is to be chosen by what is installed: it is asked for, and never stored.
AUTO = "auto"
#: Seconds that a question may be held: a day.
LONGEST_LEASE = 86_400.0
#: Characters of the guidelines.
GUIDELINES = 20_000


class About(NamedTuple):
    """What there is to know of a setting: its heading, what it may be, what it does, and what a change means now."""

    group: str
    kind: Kind
    does: str
    now: str


SHARE = Number(least=0, most=1)
ASKING, OPINIONS, LEARNING, SEEN = "Questions", "Second opinions and gold", "Learning", "What people see"
COSTS = ("equal", "measured")
#: What a change means for many of them.
NEXT, ANEW = "From the next question on.", "Questions are chosen anew at once, and a model is trained anew."

#: Every setting, under its heading, in the order in which people see them.
ABOUT = {
    "pick": About(
        ASKING,
        Choice(words=PICKS),
        "When to ask which labels an item has, instead of yes or no: auto where labels exclude each other and it tells "
        "more for the time it takes, always, or never.",
        f"{ANEW} Questions that people hold stay as they are.",
    ),
    "item_cost": About(
        ASKING,
        Number(none=True, least=1e-6, most=1e6),
        "What such a question costs, where a yes/no question costs 1; with none, what the seconds of people say. "
        "With a number they are asked in any ontology.",
        f"{ANEW} Questions that people hold stay as they are.",
    ),
    "costs": About(
        ASKING,
        Choice(words=COSTS),
        "What yes or no about a label costs: the same for all, or as measured by how long people take for each.",
        f"{ANEW} Later the seconds are looked at whenever a model is trained.",
    ),
    "stay": About(
        ASKING,
        Choice(none=True, words=("label", "item")),
        "Keep to one item, which saves questions, or to one label, while it is worth it; "
        "none takes the best question each time.",
        ANEW,
    ),
    "by_chance": About(
        ASKING,
        SHARE,
        "Which share of the questions is about items drawn by chance, once there is a model. They find out where it is "
        "sure and wrong: without them no target counts as reached.",
        NEXT,
    ),
    "lease_seconds": About(
        ASKING,
        Number(least=1, most=LONGEST_LEASE),
        "How many seconds a question is held for someone; nobody else is asked it until then.",
        "For questions handed out or held longer from now on; those that are out keep their time.",
    ),
    "overlap": About(
        OPINIONS,
        SHARE,
        "Which share of the questions, picks included, gets further opinions, each given blind.",
        "Questions that are answered already count too: more of them come up again, or fewer. Opinions given stay.",
    ),
    "opinions": About(
        OPINIONS,
        Number(least=1, most=100, whole=True),
        "How many opinions these questions get, the first one included.",
        "Questions that have fewer come up again; opinions beyond that stay.",
    ),
    "fallible": About(
        OPINIONS,
        Switch(),
        "People can be wrong: an answer counts by how far whoever gave it has proven right, and by what the model says "
        "without it. Doubtful ones are asked again, of someone else; what conflicts is weighed and holds nothing up. "
        "For teams. A training takes about four times as long.",
        f"What is improbable of the answers there are no longer stands; switched off, all of them count again. {ANEW}",
    ),
    "gold_share": About(
        OPINIONS,
        SHARE,
        "Which share of the questions are gold: their answer is known, and nobody can tell them from others.",
        NEXT,
    ),
    "learner": About(
        LEARNING,
        Choice(words=LEARNERS),
        "What learns from the answers; auto is the one that suits the items.",
        ANEW,
    ),
    "encoder": About(
        LEARNING,
        Text(none=True, what="the name of an encoder", never=AUTO),
        "What reads the texts of items and labels: lexical, static, or a model of sentence-transformers, a CLIP-like "
        "one the pictures too; none reads nothing, auto takes what is installed.",
        "All texts are read, which may take a while, and a model is trained anew.",
    ),
    "retrain_every": About(
        LEARNING,
        Number(least=1, most=10**9, whole=True),
        "After how many answers a model is trained.",
        "Answers since the last training count: if there are enough, one begins with the next question or answer.",
    ),
    "target": About(
        LEARNING,
        SHARE,
        "Which share of the items is to be right in the end; the forecast tells what that takes.",
        "The forecast is for this share from now on; nothing else changes.",
    ),
    "seed": About(
        LEARNING,
        Number(least=0, most=2**31 - 1, whole=True),
        "What chance starts from: which questions get further opinions or suggestions, and what learners draw.",
        f"Other questions get further opinions or suggestions. {ANEW}",
    ),
    "show_consequences": About(
        SEEN,
        Switch(),
        "Tell with a question what a yes and a no would settle besides.",
        NEXT,
    ),
    "suggest": About(
        SEEN,
        SHARE,
        "With which share of the questions people are shown what the model predicts, and how probable that is; never "
        "with gold and second opinions. It leads people: below 1, the figures compare answers with and without it.",
        "From the next question on; questions that people hold stay as they are.",
    ),
    "show_names": About(
        SEEN,
        Switch(),
        "Show annotators each other's names; leads see them always.",
        "At once, for earlier answers too.",
    ),
    "question": About(
        SEEN,
        Text(none=True, what="a question with {label} in it, such as 'Is {item} a {label}?'"),
        "How labels are asked for that have no question of their own, with {item} where the item's name goes and "
        "{label} where the label's goes; with none the usual words.",
        NEXT,
    ),
    "pick_question": About(
        SEEN,
        Text(none=True, what="a question, such as 'What does this customer want?'"),
        "How a pick is asked for, with {item} for the item's name; with none, 'Which of these is {item}?'.",
        NEXT,
    ),
    "guidelines": About(
        SEEN,
        Text(none=True, what=f"a text of at most {GUIDELINES:,} characters", most=GUIDELINES),
        "What annotators should know, one key away (G) from each question. "
        "It may have # headings, - lists, 1. lists, **bold**, *italics*, `code` and links.",
        "At once; a page that is open shows it when its guidelines are opened next.",
    ),
    "labels": About(
        SEEN,
        Texts(),
        "For each label a name to read, a definition, synonyms (with ; between them) and a question of its own, with "
        "{item} where the item's name goes.",
        "People see it with the next question; where texts are read a model is trained anew.",
    ),
}
