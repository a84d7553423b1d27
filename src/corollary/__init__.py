"""Active learning when labels are tied together by logic; every public name is here and loads when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what type checkers and editors read; `_HOME` says the same to the interpreter
    from . import plot
    from .campaign.campaign import Campaign
    from .campaign.items import Item
    from .experiment.data.datasets import Dataset, load_dataset
    from .experiment.simulation import Curve, simulate
    from .learning.choosing.scores import score
    from .learning.learners.scikit_learn.consistent import ConsistentClassifier
    from .learning.query_strategies import ConstraintSampling, constraint_sampling
    from .learning.question import ItemQuestion, Question
    from .learning.session.options import Annotators, Asking, Experiment, Reading
    from .learning.session.session import Session
    from .learning.witnesses.consensus import Consensus
    from .learning.witnesses.language_model.language_model import LanguageModel
    from .learning.witnesses.rules.patterns import read_rules
    from .learning.witnesses.rules.rules import ask_rules
    from .learning.zero_shot import zero_shot
    from .logic.engines import Budget
    from .logic.errors import (
        Contradiction,
        CorollaryError,
        EstimateWarning,
        FormatError,
        NotationError,
        NotExpressedWarning,
        OntologyError,
    )
    from .logic.formats import read_meaning, read_names
    from .logic.language.constraints import (
        at_least_one,
        covers,
        equivalent,
        exactly_one,
        exclusive,
        formula,
        implies,
        subsumes,
    )
    from .logic.language.relations import functional, inverse, relation, symmetric
    from .logic.lint import Finding
    from .logic.ontology import Ontology
    from .logic.reasoning.explanation import Explanation
    from .logic.relations.pairs import Pairs

__version__ = "0.1.0"

__all__ = [
    "Ontology",
    "Budget",
    "implies",
    "subsumes",
    "covers",
    "exclusive",
    "exactly_one",
    "at_least_one",
    "equivalent",
    "formula",
    "relation",
    "symmetric",
    "inverse",
    "functional",
    "Pairs",
    "Explanation",
    "Finding",
    "score",
    "Session",
    "Asking",
    "Reading",
    "Annotators",
    "Experiment",
    "zero_shot",
    "read_rules",
    "ask_rules",
    "LanguageModel",
    "Consensus",
    "read_meaning",
    "read_names",
    "Question",
    "ItemQuestion",
    "ConsistentClassifier",
    "ConstraintSampling",
    "constraint_sampling",
    "Campaign",
    "Item",
    "Dataset",
    "load_dataset",
    "simulate",
    "Curve",
    "plot",
    "Contradiction",
    "CorollaryError",
    "OntologyError",
    "NotationError",
    "FormatError",
    "NotExpressedWarning",
    "EstimateWarning",
    "__version__",
]

_HOME = {
    name: module
    for module, names in {
        "logic.ontology": "Ontology",
        "logic.engines": "Budget",
        "logic.language.constraints": "implies subsumes covers exclusive exactly_one at_least_one equivalent formula",
        "logic.language.relations": "relation symmetric inverse functional",
        "logic.relations.pairs": "Pairs",
        "logic.reasoning.explanation": "Explanation",
        "logic.formats": "read_meaning read_names",
        "learning.choosing.scores": "score",
        "learning.session.session": "Session",
        "learning.session.options": "Asking Reading Annotators Experiment",
        "learning.witnesses.language_model.language_model": "LanguageModel",
        "learning.witnesses.rules.patterns": "read_rules",
        "learning.witnesses.rules.rules": "ask_rules",
        "learning.zero_shot": "zero_shot",
        "learning.witnesses.consensus": "Consensus",
        "learning.question": "Question ItemQuestion",
        "learning.learners.scikit_learn.consistent": "ConsistentClassifier",
        "learning.query_strategies": "ConstraintSampling constraint_sampling",
        "campaign.campaign": "Campaign",
        "campaign.items": "Item",
        "experiment.data.datasets": "Dataset load_dataset",
        "experiment.simulation": "simulate Curve",
        "logic.lint": "Finding",
        "logic.errors": "Contradiction CorollaryError OntologyError NotationError FormatError NotExpressedWarning "
        "EstimateWarning",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> object:
    """Load a public name from its home, once."""
    if name == "plot":  # a package whose functions are called by its name: plot.curves
        return import_module(".plot", __name__)
    if name not in _HOME:
        raise AttributeError(f"module 'corollary' has no attribute {name!r}")
    try:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    except ModuleNotFoundError as missing:
        if not _HOME[name].startswith("campaign"):
            raise
        from .logic.errors import CorollaryError

        raise CorollaryError(
            f"{name} needs {missing.name}: pip install 'corollary[serve]'"
        ) from missing
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
