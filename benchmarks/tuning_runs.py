"""The runs of suite `tuning`: development data, settings that differ from the default, two runs at a time, kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import Any, Literal
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

import corollary as co
from corollary.experiment.data.datasets import draw_split
from corollary.experiment.origin import LIBRARIES
from corollary.experiment.runs import ONE_THREAD
from corollary.learning.learners.pool import Members, Pool, default_members
from corollary.learning.session.options import Asking
from evidence.simulation import simulate

from . import RESULTS, add_line, kept_lines
from .unseen import NOISE

TARGETS = (0.99, 0.999)
#: One line a run, so that a suite that was stopped goes on where it was; not kept in the repository.
LINES = RESULTS / "tuning-runs.jsonl"
#: Items to label, at most.
MOST = 300
#: Known items of each label.
START = 3

ONE_OF_TEN = "exclusive: " + ", ".join(f"d{d}" for d in range(10))
TREE = """
exclusive: curved, straight
curved > exclusive: round, bent
round > exclusive: d0, d6, d8, d9
bent > exclusive: d2, d3, d5
straight > exclusive: d1, d4, d7
"""
#: What is true of digits, no two of them named: formulas, no tree.
RULES = """
rule: even & prime >> power & small
rule: prime >> ~ring
rule: power & ~even >> small & ~prime & ~ring
rule: ring & power >> even & ~small
rule: ring & small >> even & ~prime & ~power
rule: even & ~small >> ring
rule: ~even & ~prime & ~ring >> small & power
rule: even & small & ~ring >> power
"""
HAS = {"even": "02468", "small": "01234", "prime": "2357", "power": "1248", "ring": "0689"}


@dataclass(frozen=True)
class Setting:
    """What differs from the default; nothing, unless told."""

    #: By what questions are chosen, and on what one stays.
    method: str = "posterior"
    stay: Literal["auto"] | None = "auto"
    #: A round has so many hundredths of the questions asked before.
    percent: int = 10
    #: The members of the pool that are left; none stands for all.
    members: tuple[str, ...] = ()
    #: Parameters of members: of which (those whose name ends so), which, and the value or, with *, the factor.
    changes: tuple[tuple[str, str, float], ...] = ()
    #: Constants of modules.
    constants: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Run:
    """One labelling: what, by which split and start, with which setting, so many items at most."""

    data: str
    seed: int = 0
    setting: Setting = field(default_factory=Setting)
    items: int = MOST

    @property
    def key(self) -> str:
        """What makes two runs the same."""
        return json.dumps(asdict(self), sort_keys=True)


@dataclass(frozen=True)
class Outcome:
    """Questions until the AUC of what is labelled was at each target to stay, and seconds of training."""

    questions: tuple[int, ...]
    seconds: float


def outcomes(runs: Iterable[Run], *, processes: int = 2, path: Path = LINES) -> dict[Run, Outcome]:
    """What came of each run: from the file, or run now and added to it."""
    wanted = list(dict.fromkeys(runs))
    kept = stored(path)
    found = {run: kept[run.key] for run in wanted if run.key in kept}
    code = code_here()
    for run, outcome in _run_all([run for run in wanted if run not in found], processes):
        found[run] = outcome
        add_line(
            path,
            {
                "run": asdict(run),
                "code": code,
                "questions": outcome.questions,
                "seconds": outcome.seconds,
            },
        )
        asked = " and ".join(map(str, outcome.questions))
        what = f"{run.data}, seed {run.seed}, {told(run.setting)}"
        print(
            f"{len(found)} of {len(wanted)}: {what}: {asked} questions, {outcome.seconds:.0f} s",
            flush=True,
        )
    return found


def told(setting: Setting) -> str:
    """A setting in words: what differs from the default."""
    default = asdict(Setting())
    changed = [
        f"{name} {value}" for name, value in asdict(setting).items() if value != default[name]
    ]
    return ", ".join(changed) or "default"


def stored(path: Path) -> dict[str, Outcome]:
    """The runs in the file that this very code made; half a line at its end is none."""
    code = code_here()
    return {
        json.dumps(one["run"], sort_keys=True): Outcome(tuple(one["questions"]), one["seconds"])
        for one in kept_lines(path)
        if one["code"] == code
    }


@lru_cache(maxsize=1)
def code_here() -> str:
    """A digest of all that a run depends on: the package, this file, and the libraries."""
    whole = sha256(repr([version(name) for name in LIBRARIES]).encode())
    for path in (Path(__file__), *sorted(Path(co.__file__).parent.rglob("*.py"))):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def _run_all(runs: list[Run], processes: int) -> Iterator[tuple[Run, Outcome]]:
    """Each run with its outcome, as they end; in processes of one thread each, unless it is one."""
    if processes == 1:
        yield from ((run, outcome_of(run)) for run in runs)
        return
    context = get_context("spawn")
    # BLAS and numba read these while a new process imports them
    with (
        patch.dict(os.environ, ONE_THREAD),
        ProcessPoolExecutor(processes, mp_context=context, initializer=_end_with_parent) as pool,
    ):
        futures = {pool.submit(outcome_of, run): run for run in runs}
        try:
            yield from ((futures[future], future.result()) for future in as_completed(futures))
        finally:
            pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """A process whose parent was killed ends by itself, in the middle of a run."""
    parent = parent_process()
    assert parent is not None
    Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


def outcome_of(run: Run) -> Outcome:
    """Label the data of a run to the last target."""
    data, setting = load(run.data, run.seed, run.items), run.setting
    with as_set(setting):
        curve = simulate(
            data,
            setting.method,
            learner=learner_of(setting, data, run.seed),
            per_round="auto",
            start=None if run.data == WHOLE else START,
            until=TARGETS[-1],
            balanced=False,
            asking=Asking(stay=setting.stay),
            random_state=run.seed,
        )
    reached = [curve.questions_to(target, kept=True) for target in TARGETS]
    questions = tuple(asked for asked in reached if asked is not None)
    assert len(questions) == len(TARGETS), "a run ends when all is known"
    return Outcome(questions, round(curve.seconds_training, 2))


@contextmanager
def as_set(setting: Setting) -> Iterator[None]:
    """The constants of a setting in their modules, for no argument reaches them; afterwards they are as they were."""
    with ExitStack() as stack:
        for name, value in setting.constants:
            stack.enter_context(patch(f"corollary.{name}", value))
        if setting.percent != Setting.percent:
            stack.enter_context(
                patch("corollary.experiment.simulation.round_size", growing(setting.percent))
            )
        yield


def growing(percent: int) -> Callable[..., int]:
    """`round_size` with another share."""

    def size(_: object, *, asked: int, cells: int) -> int:
        return max(1, asked * percent // 100, cells // 5_000)

    return size


def learner_of(setting: Setting, data: co.Dataset, seed: int) -> Any:
    """The default, or the pool with some of its members, with other parameters."""
    if not (setting.members or setting.changes):
        return "auto"
    members = default_members(data.onto, data.X, random_state=seed)
    return Pool(members=_changed(members, setting), random_state=seed)


def _changed(members: Members, setting: Setting) -> Members:
    left = [
        (name, member) for name, member in members if not setting.members or name in setting.members
    ]
    for which, parameter, value in setting.changes:
        some = [member for name, member in left if name.endswith(which)]
        assert some, f"no member {which}"
        for member in some:
            name = parameter.removeprefix("*")
            before = getattr(member, name)
            member.set_params(**{name: before * value if parameter.startswith("*") else value})
    return left


def load(name: str, seed: int, items: int = MOST) -> co.Dataset:
    """Development data, split by the seed: so many items to label, but at most two thirds, the others to start from."""
    X, Y, onto = DATA[name]()
    known = len(Y) - min(items, 2 * len(Y) // 3)
    return co.Dataset(X, Y, onto, train=draw_split(Y, known, seed=seed, covering=True), name=name)


def _digits(text: str) -> tuple[Any, Any, co.Ontology]:
    """Under an ontology that has a label for each digit."""
    data, onto = load_digits(), co.Ontology.parse(text)
    facts = np.full((len(data.target), len(onto)), -1, np.int8)
    facts[np.arange(len(facts)), [onto.index[f"d{d}"] for d in data.target]] = 1
    return data.data, (onto.propagate(facts) == 1).astype(np.int8), onto


def _digits_under_rules() -> tuple[Any, Any, co.Ontology]:
    """What is true of a digit, not which it is."""
    data, onto = load_digits(), co.Ontology.parse(RULES)
    Y = np.array([[str(d) in HAS[label] for label in onto.labels] for d in data.target], np.int8)
    return data.data, Y, onto


def _noisy_digits() -> tuple[Any, Any, co.Ontology]:
    """Pixels with noise: without, a training part of a thousand leaves nothing to ask."""
    X, Y, onto = _digits(ONE_OF_TEN)
    return X + np.random.default_rng(0).normal(0, NOISE, X.shape), Y, onto


def _classes(read: Callable[..., Any]) -> tuple[Any, Any, co.Ontology]:
    """One of the classes of a data set."""
    data = read()
    names = [str(name) for name in data.target_names]
    return (
        data.data,
        np.eye(len(names), dtype=np.int8)[data.target],
        co.Ontology(names, [co.exactly_one(*names)]),
    )


#: Of this one the whole training part is known at the start.
WHOLE = "noisy digits, whole training part"
DATA: dict[str, Callable[[], tuple[Any, Any, co.Ontology]]] = {
    "digits, one of ten": lambda: _digits(ONE_OF_TEN),
    "digits in a tree": lambda: _digits(TREE),
    "digits under rules": _digits_under_rules,
    "wine": lambda: _classes(load_wine),
    "breast cancer": lambda: _classes(load_breast_cancer),
    WHOLE: _noisy_digits,
}
