"""A language model as a witness: what it says of items comes back as reports, what it does not with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from os import PathLike
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....logic.errors import CorollaryError, nearest
from ....logic.ontology import Ontology
from ...argument_checks import check_number, check_onto, check_whole, list_of, shown
from ...meaning.label_texts import check_meaning
from ..reports import Report
from .asking import Asker, GivenUp, Question, Unanswered
from .endpoint import make_endpoint
from .kept_replies import KeptReplies
from .pace import Pace

#: Labels that one request asks for, by default.
LABELS = 40
#: After this number of items in a row without a reply, the endpoint counts as gone.
GONE_AFTER = 3
#: Questions in hand for each request that may be under way.
IN_HAND = 8

#: Takes how many items are done, and of how many.
Progress = Callable[[int, int], None]


class Silence(NamedTuple):
    """Labels of an item of which a witness said nothing, and why."""

    item: int
    labels: tuple[str, ...]
    why: str


@dataclass
class Replies:
    """The replies of a language model about items.

    `silent` has the labels without a reply, and `stopped` the reason if not all items were asked.
    `requests` and `tokens` are the cost, and `kept` is the number of questions answered by earlier
    replies.
    """

    witness: str
    onto: Ontology
    n_items: int
    reports: list[Report] = field(default_factory=list)
    silent: list[Silence] = field(default_factory=list)
    requests: int = 0
    tokens: int = 0
    kept: int = 0
    stopped: str | None = None

    @property
    def table(self) -> dict[str, npt.NDArray[np.float64]]:
        """The reports as an array: of the witness, probabilities (N, K), nan where it is silent."""
        found = np.full((self.n_items, len(self.onto)), np.nan)
        for one in self.reports:
            found[int(one.item), self.onto.index[one.label]] = one.value
        return {self.witness: found}


class LanguageModel:
    """A language model behind an endpoint with OpenAI's chat completions.

    Parameters
    ----------
    endpoint
        The address, such as `http://localhost:8000/v1`.
    model
        The name of the model at the endpoint.
    name
        The name of the witness; by default that of the model.
    key_variable
        The environment variable with the key, which is never stored, logged or shown.
    requests, tokens
        The budget.
    per_minute
        The largest number of requests a minute.
    at_once
        The largest number of requests at the same time.
    seconds
        The time for a request.
    tries
        The number of times that a request is sent.
    kept
        A file of replies. Its questions are not asked again, so that a stopped run goes on.
    """

    def __init__(
        self,
        endpoint: str,
        model: str,
        *,
        name: str | None = None,
        key_variable: str | None = None,
        requests: int | None = None,
        tokens: int | None = None,
        per_minute: float | None = None,
        at_once: int = 4,
        seconds: float = 60.0,
        tries: int = 5,
        kept: str | PathLike[str] | None = None,
    ):
        if not isinstance(model, str) or not model.strip():
            raise CorollaryError(f"the model must be named, got {shown(model)}")
        for what, most in (("requests", requests), ("tokens", tokens)):
            if most is not None:
                check_whole(what, most, least=1)
        for what, number in (("per_minute", per_minute), ("seconds", seconds)):
            if number is not None:
                check_number(what, number)
                if not number:
                    raise CorollaryError(f"{what} must be more than 0")
        self.model = model
        self.name = name or model
        self._endpoint = make_endpoint(endpoint, key_variable)
        self._at_once = check_whole("at_once", at_once, least=1)
        self._pace = Pace(requests=requests, tokens=tokens, per_minute=per_minute)
        stored = KeptReplies(None if kept is None else Path(kept))
        check_whole("tries", tries, least=1)
        self._asker = Asker(self._endpoint, model, self._pace, stored, seconds=seconds, tries=tries)

    def __repr__(self) -> str:
        return f"<LanguageModel {self.model} at {self._endpoint.shown}>"

    def ask(
        self,
        onto: Ontology,
        items: Sequence[str | Mapping[str, Any]],
        *,
        labels: Sequence[str] | None = None,
        meaning: Mapping[str, str] | None = None,
        labels_at_once: int = LABELS,
        progress: Progress | None = None,
    ) -> Replies:
        """Ask which labels are true of each item.

        A reply counts only for its item and the labels asked, whatever the item says.

        Parameters
        ----------
        onto
            The labels and their rules.
        items
            Texts, or dicts of fields.
        labels
            The labels to ask about; by default all.
        meaning
            Definitions of labels, such as those of `read_meaning`.
        labels_at_once
            The largest number of labels in a request.
        progress
            A function that is called with the numbers of items done and of all.

        Returns
        -------
        Replies
            The probabilities, items x labels, and the failed requests.
        """
        asked = _labels(check_onto(onto), labels)
        definitions = check_meaning(meaning or {}, onto.labels)
        texts = [_text(i, item) for i, item in enumerate(list_of("items", items))]
        step = check_whole("labels_at_once", labels_at_once, least=1)
        parts = [asked[at : at + step] for at in range(0, len(asked), step)]
        questions = (Question(i, text, part) for i, text in enumerate(texts) for part in parts)
        replies = Replies(self.name, onto, len(texts))
        before = self._pace.requests, self._pace.tokens
        for question, said, why in self._answers(questions, onto, definitions, replies):
            replies.reports += [
                Report(question.item, label, self.name, p) for label, p in said.items()
            ]
            if left := tuple(label for label in question.labels if label not in said):
                replies.silent.append(Silence(question.item, left, why))
            if progress is not None and question.labels == parts[-1]:
                progress(question.item + 1, len(texts))
        replies.requests = self._pace.requests - before[0]
        replies.tokens = self._pace.tokens - before[1]
        if replies.stopped is not None and not replies.reports:
            raise CorollaryError(
                f"{self.model} at {self._endpoint.shown} said nothing: {replies.stopped}"
            )
        return replies

    def _answers(
        self,
        questions: Iterable[Question],
        onto: Ontology,
        meaning: Mapping[str, str],
        replies: Replies,
    ) -> Iterator[tuple[Question, dict[str, float], str]]:
        """Each question with what was said, in order, and why not more, until all is asked or it is given up."""
        stop = Event()
        waiting = iter(questions)
        away = 0

        def ask(question: Question) -> tuple[dict[str, float], bool] | Unanswered | GivenUp:
            try:
                return self._asker.ask(onto, question, meaning, stop)
            except (Unanswered, GivenUp) as why:
                if isinstance(why, GivenUp):
                    stop.set()
                return why

        with ThreadPoolExecutor(self._at_once, "corollary-language-model") as pool:
            try:
                while replies.stopped is None and (
                    some := list(islice(waiting, IN_HAND * self._at_once))
                ):
                    for question, found in zip(some, pool.map(ask, some), strict=True):
                        if isinstance(found, GivenUp):
                            replies.stopped = replies.stopped or str(found) or None
                        elif isinstance(found, Unanswered):
                            away = away + 1 if found.away else 0
                            if away >= GONE_AFTER and replies.stopped is None:
                                replies.stopped = str(found)
                                stop.set()
                            yield question, {}, str(found)
                        else:
                            said, kept = found
                            away = 0
                            replies.kept += kept
                            yield question, said, "it did not speak of it"
            finally:
                stop.set()


def _labels(onto: Ontology, labels: Sequence[str] | None) -> tuple[str, ...]:
    if labels is None:
        return onto.labels
    asked = tuple(dict.fromkeys(list_of("labels", labels)))
    for label in asked:
        if label not in onto:
            raise CorollaryError(f"unknown label {label!r}{nearest(str(label), onto.labels)}")
    return asked


def _text(i: int, item: Any) -> str:
    if isinstance(item, str):
        return item
    try:
        if isinstance(item, Mapping):
            return json.dumps(dict(item), ensure_ascii=False)
    except (TypeError, ValueError):
        pass
    raise CorollaryError(
        f"item {i} must be a text, or a dict of texts and numbers, got {shown(item)}"
    )
