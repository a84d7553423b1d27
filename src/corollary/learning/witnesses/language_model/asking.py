"""One question to a language model: put so that the server understands it, sent until there is a reply, read, kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Event, Lock
from typing import Any, NamedTuple

from ....logic.ontology import Ontology
from .endpoint import Endpoint, Later, Refused, post
from .kept_replies import KeptReplies, digest
from .pace import Pace, Spent
from .prompt import messages, schema
from .reply import Rubbish, probabilities, read_choice

#: Characters that an item may have; longer ones are not asked about.
LONGEST = 30_000
#: After a fault a request is sent again after a second, then each time after twice as long; a server may ask for more.
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
PATIENCE = 600.0
#: A reply that cannot be read is asked for once more.
READINGS = 2
#: Characters of a token, about, if the server does not count.
CHARACTERS = 3
#: What a server answers to a request that it would take in another form.
OTHER_FORM = (400, 415, 422)
#: What it answers to a request that it would not take about any other item either.
NO_USE = (401, 403, 404, 405, 407, 410)


class Unanswered(Exception):
    """There is no reply about this item; says why. Where the server was `away` another item may fare no better."""

    def __init__(self, why: str, *, away: bool = False):
        super().__init__(why)
        self.away = away


class GivenUp(Exception):
    """No more is to be asked at all; says why, or nothing where that is known."""


class Question(NamedTuple):
    """An item (its number and text), and the labels that are asked for."""

    item: int
    text: str
    labels: tuple[str, ...]


class Form(NamedTuple):
    """How a request is put: servers differ in what they know."""

    schema: bool
    logprobs: bool  # then yes or no is asked for, whose probability the tokens tell; else a number
    settings: bool  # temperature, and how long a reply may be


#: The best form first; a server that does not know one is asked in the next.
FORMS = (
    Form(True, True, True),
    Form(True, False, True),
    Form(False, False, True),
    Form(False, False, False),
)


class Asker:
    """Asks a model about one item at a time, from several threads; learns in which form the server takes requests."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        pace: Pace,
        kept: KeptReplies,
        *,
        seconds: float,
        tries: int,
    ):
        self._endpoint = endpoint
        self._model = model
        self._pace = pace
        self._kept = kept
        self._seconds = seconds
        self._tries = tries
        self._form = 0
        self._lock = Lock()

    def ask(
        self, onto: Ontology, question: Question, meaning: Mapping[str, str], stop: Event
    ) -> tuple[dict[str, float], bool]:
        """The probability of each label that the model speaks of, and whether it was kept from before."""
        if len(question.text) > LONGEST:
            raise Unanswered(
                f"the item has {len(question.text):,} characters, of which {LONGEST:,} are the most"
            )
        requests = [self._request(form, onto, question, meaning) for form in FORMS]
        for request in requests:
            if (kept := self._kept.get(self._key(request))) is not None:
                return kept, True
        faults = readings = 0
        while not stop.is_set():
            number = self._form
            try:
                said = self._answered(requests[number], FORMS[number], question)
            except _OtherForm:
                self._leave(number)
            except Later as fault:
                faults += 1
                if faults >= self._tries:
                    raise Unanswered(str(fault), away=True) from None
                stop.wait(_wait(fault, faults))
            except Rubbish as fault:
                readings += 1
                if readings >= READINGS:
                    raise Unanswered(f"the reply cannot be used: {fault}") from None
            else:
                self._kept.keep(self._key(requests[number]), said)
                return said, False
        raise GivenUp  # another question's reason says why

    def _answered(
        self, request: dict[str, Any], form: Form, question: Question
    ) -> dict[str, float]:
        """One request and its reply."""
        body = json.dumps(request, ensure_ascii=False).encode()
        expected = len(body) // CHARACTERS + _length(question.labels)
        try:
            self._pace.begin(expected)
        except Spent as spent:
            raise GivenUp(str(spent)) from None
        used = 0
        try:
            used = len(body) // CHARACTERS
            choice, counted = read_choice(post(self._endpoint, body, seconds=self._seconds))
            used = counted if counted is not None else used + len(choice.text) // CHARACTERS
            if form.logprobs and not choice.tokens:
                raise _OtherForm
            return probabilities(choice, question.labels, percent=not form.logprobs)
        except Refused as refused:
            used = 0
            if refused.status in OTHER_FORM and form != FORMS[-1]:
                raise _OtherForm from None
            if refused.status in NO_USE or refused.status < 400:
                raise GivenUp(str(refused)) from None
            raise Unanswered(str(refused)) from None
        finally:
            self._pace.end(expected, used)

    def _request(
        self, form: Form, onto: Ontology, question: Question, meaning: Mapping[str, str]
    ) -> dict[str, Any]:
        percent = not form.logprobs
        asked = messages(onto, question.labels, question.text, meaning=meaning, percent=percent)
        request: dict[str, Any] = {"model": self._model, "messages": asked}
        if form.settings:
            request |= {"temperature": 0, "max_tokens": _length(question.labels)}
        if form.logprobs:
            request |= {"logprobs": True, "top_logprobs": 5}
        if form.schema:
            described = {
                "name": "labels",
                "strict": True,
                "schema": schema(question.labels, percent=percent),
            }
            request["response_format"] = {"type": "json_schema", "json_schema": described}
        return request

    def _key(self, request: dict[str, Any]) -> str:
        return digest([self._endpoint.shown, request])

    def _leave(self, number: int) -> None:
        """Go on with the next form, unless another thread did."""
        with self._lock:
            self._form = max(self._form, number + 1)


class _OtherForm(Exception):
    """The server wants another form."""


def _wait(fault: Later, faults: int) -> float:
    if fault.wait is not None and fault.wait > PATIENCE:
        raise GivenUp(f"{fault}; it asks to wait for {fault.wait:,.0f} s")
    return (
        fault.wait if fault.wait is not None else min(FIRST_WAIT * 2 ** (faults - 1), LONGEST_WAIT)
    )


def _length(labels: tuple[str, ...]) -> int:
    """Tokens that a reply may take, with room for words around it."""
    return 100 + sum(len(label) + 12 for label in labels)
