"""Machines as witnesses of a campaign: what they say counts by how far it proves right, and is never a fact.

The model of a campaign is what a learner believes and what machines say, together: their evidence is added to the
log-odds of its beliefs. How far each can be trusted is found from what is known and from these beliefs, anew with every
training, so that the log gives the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...learning.session.hearing import trust_in
from ...learning.testimony import Testimony
from ...learning.witnesses.parts import Parts
from ...learning.witnesses.reports import Reports
from ...logic.engines import Facts, Floats
from ...logic.ontology import Ontology
from ..events import Event
from ..state.state import State
from ..storage.reported import Reported

#: The weight of a machine leans on 1 about as firmly as on so many known items of which it spoke; and it is at most so.
LEANING = 4.0
MOST = 3.0
#: Beliefs are kept so far from 0 and 1, as the engines do.
CLIP = 1e-12


def reports_in(state: State) -> Reports | None:
    """What machines said of items that are in use, and was not taken back; None if they said nothing."""
    in_use = np.zeros(len(state.ids), np.bool_)
    in_use[state.in_use()] = True
    standing = (
        event
        for event in state.reports
        if event.seq not in state.taken_back and event.seq in state.reported
    )
    said = ((event.who, _called_now(state, event)) for event in standing)
    return reports_of(
        [(who, one.some(in_use[one.item])) for who, one in said], state.onto, len(state.ids)
    )


def _called_now(state: State, event: Event) -> Reported:
    """What a machine said, by the names that labels have now; what became part of another label is left out."""
    said = state.reported[event.seq]
    names = (
        state.statements.label_of(replace(event, label=one), state.onto) for one in said.labels
    )
    return replace(said, labels=tuple(names))


def reports_of(
    heard: Sequence[tuple[str, Reported]], onto: Ontology, n_items: int
) -> Reports | None:
    """What counts of reports in order: of a witness's reports of a cell the last; of labels that are there."""
    if not heard:
        return None
    names = tuple(dict.fromkeys(who for who, _ in heard))
    labels = [
        np.array([onto.index.get(name, -1) for name in one.labels], np.int64)[one.label]
        for _, one in heard
    ]
    every = Reports(
        names,
        tuple(range(n_items)),
        np.repeat([names.index(who) for who, _ in heard], [len(one.value) for _, one in heard]),
        np.concatenate([one.item for _, one in heard]).astype(np.int64),
        np.concatenate(labels),
        np.concatenate([one.value for _, one in heard]).astype(np.float64),
    )
    every = every.some(every.label >= 0)
    cell = (every.witness * n_items + every.item) * len(onto) + every.label
    stands = np.zeros(len(cell), np.bool_)
    stands[len(cell) - 1 - np.unique(cell[::-1], return_index=True)[1]] = True
    return every.some(stands)


def fold(
    onto: Ontology, beliefs: Floats, known: Facts, said: Reports | None
) -> tuple[Floats, dict[str, dict[str, Any]]]:
    """Beliefs (N, K) with what machines say of them; and how far each can be trusted, by its name."""
    if said is None or not len(said.value):
        return beliefs, {}
    rows, place = np.unique(
        said.item, return_inverse=True
    )  # of the others nothing was said: they stay as they are
    spoken = Reports(
        said.witnesses, tuple(rows.tolist()), said.witness, place, said.label, said.value
    )
    machines = heard_out(
        onto, beliefs[rows], known[rows], spoken, learnt=bool(told_in(onto, known).any())
    )
    whose = np.eye(len(spoken.witnesses), dtype=np.bool_)
    evidence = np.stack([machines.evidence(one) for one in whose])
    given = np.tensordot(
        weights(onto, machines.prevalence.odds, known[rows], evidence), evidence, axes=1
    )
    out = beliefs.copy()
    out[rows] = added(beliefs[rows], given)
    probable = onto.posterior(beliefs[rows], known[rows], evidence=given)
    trusted = trust_in(machines, probable, onto.posterior(beliefs[rows], known[rows]))
    return out, {str(name): _told(asdict(trust)) for name, trust in trusted.items()}


def heard_out(
    onto: Ontology, beliefs: Floats, known: Facts, said: Reports, *, learnt: bool
) -> Parts:
    """The machines, and what their words are worth by what is known and believed.

    If the learner has `learnt` from anything, it tells whom to trust to begin with; else what most machines say.
    """
    machines = Parts(
        said, onto, known, pooled=True
    )  # tables of their own would learn the learner's errors as theirs
    if learnt:
        machines.update(onto.posterior(beliefs, known))
    Testimony(onto, len(beliefs), machines).learn(beliefs, known)
    return machines


def told_in(onto: Ontology, known: Facts) -> npt.NDArray[np.bool_]:
    """Of which items more is known than the ontology says of all, (N,)."""
    always = onto.propagate(np.full((1, len(onto)), -1, np.int8))[0] >= 0
    return np.asarray((known[:, ~always] >= 0).any(axis=1))


def weights(onto: Ontology, usual: Floats, known: Facts, evidence: Floats) -> Floats:
    """How much the evidence of each machine (machines, N, K) counts: so that what is known is as probable as can be.

    A machine that says much of what nobody has checked confirms itself; this is where it is held against the facts.
    `usual` (K,) are the log-odds of labels of which nothing was said. Weights lean on 1, which they are without facts.
    """
    from scipy.optimize import minimize

    rows = np.flatnonzero(told_in(onto, known))
    odds = np.tile(usual, (len(rows), 1))
    facts = known[rows]
    of_known = evidence[:, rows]

    def cost(weight: Floats) -> tuple[float, Floats]:
        together = np.tensordot(weight, of_known, axes=1)
        so, log_so = onto.marginals(odds, facts, evidence=together)
        might, log_might = onto.marginals(odds, evidence=together)
        slope = np.einsum("wik,ik->w", of_known, so - might)
        leaning = LEANING * (weight - 1.0)
        return float((log_might - log_so).sum() + leaning @ (weight - 1.0) / 2), leaning - slope

    start = np.ones(len(evidence))
    if not len(rows):
        return start
    return np.asarray(
        minimize(cost, start, jac=True, method="L-BFGS-B", bounds=[(0.0, MOST)] * len(start)).x
    )


def added(beliefs: Floats, evidence: Floats) -> Floats:
    """Beliefs whose log-odds evidence was added to."""
    p = np.clip(beliefs, CLIP, 1.0 - CLIP)
    odds = np.log(p) - np.log1p(-p) + evidence
    return np.asarray(np.clip(1.0 / (1.0 + np.exp(-odds)), CLIP, 1.0 - CLIP))


def _told(trust: dict[str, Any]) -> dict[str, Any]:
    """As the log has it: rounded, for people; no belief hangs on it."""
    return {
        name: [round(one, 4) for one in value] if isinstance(value, tuple) else round(value, 4)
        for name, value in trust.items()
        if value is not None
    }
