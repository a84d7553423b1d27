"""Machines as witnesses of a campaign: their reports are weighed evidence, never facts.

The model of a campaign joins a learner and the reports of machines. The evidence of the reports is
added to the log-odds of the learner's beliefs. Each training estimates the reliability of every
machine again, from the known labels and the beliefs, so that the log gives the same bits.
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

#: The weight of a machine is pulled to 1 about as much as by this number of known items that it reported.
LEANING = 4.0
#: The largest weight of a machine.
MOST = 3.0
#: The least distance of beliefs from 0 and 1, as in the engines.
CLIP = 1e-12


def reports_in(state: State) -> Reports | None:
    """Return the reports in effect about items in use; None if there are none."""
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
    """Return a report with the current names of labels; merged labels are left out."""
    said = state.reported[event.seq]
    names = (
        state.statements.label_of(replace(event, label=one), state.onto) for one in said.labels
    )
    return replace(said, labels=tuple(names))


def reports_of(
    given: Sequence[tuple[str, Reported]], onto: Ontology, n_items: int
) -> Reports | None:
    """Return the reports that count: a witness's last one of each cell, about labels that exist.

    `given` are pairs of witness and report, in order. None if there are none.
    """
    if not given:
        return None
    names = tuple(dict.fromkeys(who for who, _ in given))
    labels = [
        np.array([onto.index.get(name, -1) for name in one.labels], np.int64)[one.label]
        for _, one in given
    ]
    every = Reports(
        names,
        tuple(range(n_items)),
        np.repeat([names.index(who) for who, _ in given], [len(one.value) for _, one in given]),
        np.concatenate([one.item for _, one in given]).astype(np.int64),
        np.concatenate(labels),
        np.concatenate([one.value for _, one in given]).astype(np.float64),
    )
    every = every.some(every.label >= 0)
    cell = (every.witness * n_items + every.item) * len(onto) + every.label
    last = np.zeros(len(cell), np.bool_)
    last[len(cell) - 1 - np.unique(cell[::-1], return_index=True)[1]] = True
    return every.some(last)


def fold(
    onto: Ontology, beliefs: Floats, known: Facts, said: Reports | None
) -> tuple[Floats, dict[str, dict[str, Any]]]:
    """Return beliefs (N, K) with the evidence of machines, and the reliability of each by name."""
    if said is None or not len(said.value):
        return beliefs, {}
    rows, place = np.unique(
        said.item, return_inverse=True
    )  # all other rows have no report and stay as they are
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
    """Estimate the reliability of machines from the known labels and the beliefs.

    The estimate starts from the learner's beliefs if it has `learnt` from any label, else from the
    majority of machines.
    """
    machines = Parts(
        said, onto, known, pooled=True
    )  # pooled, because separate tables would take the learner's errors for the machine's
    if learnt:
        machines.update(onto.posterior(beliefs, known))
    Testimony(onto, len(beliefs), machines).learn(beliefs, known)
    return machines


def told_in(onto: Ontology, known: Facts) -> npt.NDArray[np.bool_]:
    """Return which items have a known label that the ontology alone does not settle, bool (N,)."""
    always = onto.propagate(np.full((1, len(onto)), -1, np.int8))[0] >= 0
    return np.asarray((known[:, ~always] >= 0).any(axis=1))


def weights(onto: Ontology, usual: Floats, known: Facts, evidence: Floats) -> Floats:
    """Return the weight of each machine, under which the known labels are most probable.

    Without it, a machine with many reports that nobody has checked would confirm itself. Weights
    are pulled to 1, and are 1 without known labels.

    Parameters
    ----------
    usual
        The log-odds of labels without reports, (K,).
    known
        The known labels, int8 (N, K).
    evidence
        The evidence of each machine, in log-odds, (machines, N, K).
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
    """Return beliefs with evidence added to their log-odds."""
    p = np.clip(beliefs, CLIP, 1.0 - CLIP)
    odds = np.log(p) - np.log1p(-p) + evidence
    return np.asarray(np.clip(1.0 / (1.0 + np.exp(-odds)), CLIP, 1.0 - CLIP))


def _told(trust: dict[str, Any]) -> dict[str, Any]:
    """Return the reliability as the log has it, rounded for people; no belief depends on it."""
    return {
        name: [round(one, 4) for one in value] if isinstance(value, tuple) else round(value, 4)
        for name, value in trust.items()
        if value is not None
    }
