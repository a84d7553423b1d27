"""The backend that Label Studio calls: predictions out; annotations in, by webhooks."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from ... import __version__
from ...campaign.campaign import Campaign
from ...campaign.files.tools.label_studio.answers import Annotations, Task
from ...campaign.files.tools.label_studio.config import Control, controls_of
from ...campaign.files.tools.label_studio.predictions import (
    default_controls,
    labelling_controls,
    model_name,
    predict,
)
from ...campaign.people import NotAllowed
from ...campaign.storage.records import StoreError
from ...logic.errors import CorollaryError
from .guard import Guard

LOG = logging.getLogger("corollary.web.label_studio")
#: The prefix of the backend beside the page.
PREFIX = "/label-studio"
TAKE = ("ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_UPDATED")
DELETE = ("ANNOTATION_DELETED", "ANNOTATIONS_DELETED")


def make_backend(
    campaign: Campaign, *, basic_auth: tuple[str, str] | None = None, complete: bool = False
) -> ASGIApp:
    """Return the backend as an ASGI app.

    `basic_auth` is a name and a password; without it only programs on this machine are served. With `complete`,
    labels that were not picked from a list are no. Items that only Label Studio has are added.
    """
    backend = Backend(campaign, complete=complete)
    routes = [
        Route("/", _answering(backend.health), methods=["GET"]),
        Route("/health", _answering(backend.health), methods=["GET"]),
        Route("/metrics", _answering(lambda _: {}), methods=["GET"]),
        Route("/versions", _answering(backend.versions), methods=["GET", "POST"]),
        Route("/setup", _answering(backend.setup), methods=["POST"]),
        Route("/predict", _answering(backend.predict), methods=["POST"]),
        Route("/webhook", _answering(backend.webhook, status=201), methods=["POST"]),
        Route("/train", _answering(backend.train, status=201), methods=["POST"]),
    ]
    return Guard(Starlette(routes=routes), basic_auth=basic_auth)


class Backend:
    """The routes; each gets the JSON of a request and returns that of the answer."""

    def __init__(self, campaign: Campaign, *, complete: bool):
        self._campaign = campaign
        self._annotations = Annotations(campaign, complete=complete)
        self._configs: dict[str, str] = {}

    def health(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Return that the backend is running."""
        return {"status": "UP", "model_class": "Corollary", "version": __version__}

    def versions(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Return the versions of predictions: only the newest."""
        return {"versions": [model_name(self._campaign)]}

    def setup(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Store a project's config."""
        project = project_of(sent)
        self._configs[project] = str(sent.get("schema") or sent.get("label_config") or "")
        answer = {"model_version": model_name(self._campaign)}
        if not self._controls(project, sent):
            answer["warning"] = self._useless(project)
        return answer

    def predict(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Return a prediction for each task."""
        tasks = sent.get("tasks")
        if not isinstance(tasks, list) or not all(isinstance(task, Mapping) for task in tasks):
            raise CorollaryError('"tasks" must be a list of tasks')
        project = project_of(sent)
        met = self._meet(tasks, project)
        return {"results": predict(self._campaign, met, self._controls(project, sent))}

    def webhook(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Write annotations from Label Studio to the log, and return when they are stored."""
        action = sent.get("action")
        project = project_of(sent)
        if action in TAKE:
            return {"status": "ok", "events": self._take(sent, project)}
        if action in DELETE:
            gone = [self._annotations.delete(one, project) for one in annotations_of(sent)]
            return {"status": "ok", "events": sum(gone)}
        if action == "TASKS_CREATED":
            self._meet(
                [one for one in _listed(sent.get("tasks")) if isinstance(one, Mapping)], project
            )
        elif action == "START_TRAINING":
            self._campaign.retrain()
        elif action == "PROJECT_UPDATED" and isinstance(sent.get("project"), Mapping):
            self._configs[project] = str(sent["project"].get("label_config") or "")
        return {"status": "ok", "events": 0}

    def train(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Start training a model; annotations come by webhooks."""
        self._campaign.retrain()
        return {"status": "ok", "job": None}

    def _meet(
        self, tasks: Sequence[Mapping[str, Any]], project: str
    ) -> list[Task | CorollaryError]:
        met = self._annotations.meet(tasks, project)
        for error in (one for one in met if isinstance(one, CorollaryError)):
            LOG.warning("project %s of Label Studio, a task that is left out: %s", project, error)
        return met

    def _take(self, sent: Mapping[str, Any], project: str) -> int:
        annotations = annotations_of(sent)
        tasks = {
            str(one.get("id")): one for one in _listed(sent.get("task")) if isinstance(one, Mapping)
        }
        alone = (
            next(iter(tasks.values()), None) if len(tasks) == 1 and len(annotations) == 1 else None
        )
        taken = 0
        for one in annotations:
            number = one.get("task")
            nested = number if isinstance(number, Mapping) else tasks.get(str(number), alone)
            task = (
                nested
                if nested is not None
                else (number if number is not None else sent.get("task"))
            )
            taken += self._annotations.take(one, task, project)
        return taken

    def _controls(self, project: str, sent: Mapping[str, Any]) -> list[Control]:
        """Return the controls of a project: from the request, its setup, or our default."""
        onto = self._campaign.state.onto
        config = sent.get("label_config") or self._configs.get(project)
        if not config:
            return default_controls(onto)
        self._configs[project] = str(config)
        found = labelling_controls(controls_of(str(config)), onto)
        if not found:
            LOG.warning("%s", self._useless(project))
        return found

    def _useless(self, project: str) -> str:
        labels = ", ".join(self._campaign.state.onto.labels[:3])
        return (
            f"project {project} of Label Studio has no <Taxonomy> and no <Choices> with labels of the ontology "
            f"({labels}, ...), nor Yes and No: it gets no predictions. Make one: corollary export CAMPAIGN config.xml"
        )


def project_of(sent: Mapping[str, Any]) -> str:
    """Return the project's number, which comes as 7, as "7.1731650000" or as an object."""
    project = sent.get("project")
    if isinstance(project, Mapping):
        project = project.get("id")
    return str(project or 0).partition(".")[0]


def annotations_of(sent: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the annotations of a webhook, one or many."""
    found = [one for name in ("annotation", "annotations") for one in _listed(sent.get(name))]
    if not found or not all(isinstance(one, Mapping) for one in found):
        raise CorollaryError(
            f"{sent.get('action')} comes without its annotation: let the webhook send its payload"
        )
    return found


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _answering(
    work: Callable[[Mapping[str, Any]], dict[str, Any]], *, status: int = 200
) -> Callable[[Request], Awaitable[Response]]:
    """Return a route that works in a thread, and logs errors, because Label Studio shows little of them."""

    async def route(request: Request) -> Response:
        return await run_in_threadpool(
            _answered, work, await request.body(), request.url.path, status
        )

    return route


def _answered(
    work: Callable[[Mapping[str, Any]], dict[str, Any]], body: bytes, path: str, status: int
) -> Response:
    try:
        sent = json.loads(body) if body.strip() else {}
    except (ValueError, RecursionError):
        return _json({"error": "this is not JSON"}, 400)
    if not isinstance(sent, dict):
        return _json({"error": "expected an object"}, 400)
    try:
        return _json(work(sent), status)
    except StoreError:  # the message is about the database, for its administrators
        LOG.exception("Label Studio, %s %s", path, sent.get("action", ""))
        return _json(
            {"error": "the campaign cannot be written at the moment, see the log; try again"}, 503
        )
    except CorollaryError as error:
        LOG.warning("Label Studio, %s %s: %s", path, sent.get("action", ""), error)
        return _json({"error": str(error)}, 403 if isinstance(error, NotAllowed) else 400)
    except Exception:
        LOG.exception("error at %s %s", path, sent.get("action", ""))
        return _json({"error": "the backend had an error, see its log"}, 500)


def _json(content: dict[str, Any], status: int) -> Response:
    """Return JSON in plain ASCII, which half a character in a message cannot break."""
    return Response(json.dumps(content).encode(), status, media_type="application/json")
