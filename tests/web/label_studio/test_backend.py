"""The backend for Label Studio, on payloads in the shapes that it sends."""

from __future__ import annotations

import json
import threading

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse

import corollary as co
from corollary.campaign.files.tools.label_studio.config import (
    choices_config,
    questions_config,
    taxonomy_config,
)
from corollary.campaign.files.tools.label_studio.predictions import model_name
from corollary.campaign.files.tools.label_studio.tasks import said_in
from corollary.campaign.storage.records import StoreError
from corollary.web.label_studio.backend import make_backend
from corollary.web.server import Beside

from ...campaign.files.tools.label_studio.payloads import (
    annotation,
    choices,
    question,
    spoil,
    task,
    taxonomy,
    webhook,
)
from ..conftest import Client
from .birds_and_fish import ITEMS, ONTO, WORDS

CREATED, UPDATED, DELETED = "ANNOTATION_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_DELETED"
LATER = "2026-11-15T07:00:00.000000Z"


@pytest.fixture
def trained(campaign):
    campaign.add("lead", (), [(f"{label}-{n}", label, True) for label in WORDS for n in range(3)])
    campaign.retrain(wait=True)
    return campaign


def send(studio, *sent, **more):
    answer = studio.post("/webhook", json=webhook(*sent, **more))
    assert answer.status_code == 201, answer.text
    return answer.json()["events"]


def opinions(campaign, item="robin"):
    """Who says what of an item."""
    said = campaign.state.standing_of(item).said.opinions
    return {(who, label): one.value for label, by in said.items() for who, one in by.items()}


def predict(studio, *tasks, config=None):
    sent = {
        "tasks": list(tasks),
        "project": "5.1731650000",
        "label_config": config or taxonomy_config(ONTO),
        "params": {},
    }
    answer = studio.post("/predict", json=sent)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


# -- the protocol ------------------------------------------------------------------------------------------------------


def test_it_is_up(studio):
    for path in ("/", "/health"):
        told = studio.get(path).json()
        assert told["status"] == "UP"
        assert told["model_class"]
    assert studio.get("/metrics").json() == {}
    assert studio.get("/versions").json() == {"versions": ["corollary-model-0-ontology-1"]}
    assert studio.post("/train", json={"annotations": [], "project": "5.1"}).status_code == 201


def test_setup_tells_the_version_and_what_is_of_no_use(studio):
    sent = {"project": "5.1731650000", "schema": taxonomy_config(ONTO), "extra_params": None}
    assert studio.post("/setup", json=sent).json() == {
        "model_version": "corollary-model-0-ontology-1"
    }
    useless = studio.post(
        "/setup", json={**sent, "schema": "<View><Rating name='r' toName='t'/></View>"}
    ).json()
    assert "no predictions" in useless["warning"]


@pytest.mark.parametrize("body", ["[]", "{", '{"tasks": 5}', '{"tasks": [1]}'])
def test_what_is_no_request_is_refused(studio, body):
    answer = studio.post("/predict", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/plain; x=application/json",
        "application/jsonp",
        "multipart/form-data; a=application/json",
        "",
    ],
)
def test_only_json_is_taken(studio, kind):
    assert studio.post("/webhook", content="{}", headers={"Content-Type": kind}).status_code == 415


def test_json_may_tell_its_encoding(studio):
    sent = {"action": "PROJECT_UPDATED"}
    answer = studio.post(
        "/webhook", json=sent, headers={"Content-Type": "Application/JSON; charset=utf-8"}
    )
    assert answer.status_code == 201


def test_what_is_sent_is_parsed_outside_of_the_event_loop(studio, monkeypatch):
    threads = []
    parse = json.loads

    def parsing(text):
        threads.append(threading.current_thread())
        return parse(text)

    monkeypatch.setattr(json, "loads", parsing)
    studio.post("/webhook", content="{}", headers={"Content-Type": "application/json"})
    monkeypatch.undo()
    assert threads
    assert threading.main_thread() not in threads


def test_a_database_that_fails_is_told_without_its_place(campaign, studio, monkeypatch, caplog):
    def broken(*_, **__):
        raise StoreError("connection to server at db.internal (10.0.0.5), user corollary, failed")

    monkeypatch.setattr(campaign, "retrain", broken)
    answer = studio.post("/train", json={})
    assert answer.status_code == 503
    assert "db.internal" not in answer.text
    assert "db.internal" in caplog.text


@pytest.mark.parametrize(
    "key",
    [
        "label-studio/1/2/3",
        "label-studio/1/2/3/4/5/6",
        "label-studio/1/2/2026/0123456789abcdef/x/0",
        "label-studio/",
    ],
)
def test_a_key_of_that_form_from_before_does_not_keep_it_from_starting(campaign, key):
    campaign.answer("lead", "robin", "bird", True, key=key)
    campaign.undo("lead", key=f"{key}/undo")
    studio = Client(make_backend(campaign))
    assert send(studio, CREATED, annotation(taxonomy(["plant"])), task=task()) == 1


def test_it_stands_beside_the_page(campaign):
    page = PlainTextResponse("the page")
    for root in ("", "/zoo"):
        app = Beside(page, {"/label-studio": make_backend(campaign)})
        transport = httpx.ASGITransport(app=app, root_path=root)
        client = Client(app)
        client.http = httpx.AsyncClient(transport=transport, base_url="http://localhost")
        for path in ("/label-studio", "/label-studio/", "/label-studio/health"):
            assert client.get(root + path).json()["status"] == "UP"
        for path in ("/", "/health", "/label-studios"):
            assert client.get(root + path).text == "the page"


# -- predictions -------------------------------------------------------------------------------------------------------


def test_before_there_is_a_model_nothing_is_guessed(studio):
    (one,) = predict(studio, task("robin"))
    assert one["result"] == []
    assert one["model_version"] == "corollary-model-0-ontology-1"


def test_predictions_are_whole_legal_labellings(trained):
    studio = Client(make_backend(trained))
    tasks = [task(item.id, n) for n, item in enumerate(ITEMS, 1)]
    for one, item in zip(predict(studio, *tasks), ITEMS, strict=True):
        said = said_in(one, None).labels
        ONTO.propagate({label: label in said for label in ONTO.labels})
        assert item.id.partition("-")[0] in said
        assert one["model_version"] == model_name(trained)


def test_what_is_known_overrules_what_is_believed(trained):
    trained.answer("lead", "bird-3", "plant", True)
    (one,) = predict(Client(make_backend(trained)), task("bird-3"))
    assert one["result"] == [
        {
            "from_name": "labels",
            "to_name": "text",
            "type": "taxonomy",
            "value": {"taxonomy": [["plant"]]},
        }
    ]
    assert one["score"] == 1.0


def test_the_lowest_score_is_what_we_would_ask_first(trained):
    studio = Client(make_backend(trained))
    ids = list(trained.state.ids)
    state = trained.state
    entropy = ONTO.joint_entropy(state.session.beliefs, state.facts)
    scores = [
        one["score"] for one in predict(studio, *(task(item, n) for n, item in enumerate(ids, 1)))
    ]
    assert sorted(range(len(ids)), key=lambda i: scores[i]) == sorted(
        range(len(ids)), key=lambda i: -entropy[i]
    )
    worth = co.score("posterior", state.session.beliefs, ONTO, state.facts)
    asked = [
        question(item, label, n)
        for n, (item, label) in enumerate((i, k) for i in ids for k in ONTO.labels)
    ]
    scores = [one["score"] for one in predict(studio, *asked, config=questions_config())]
    order = sorted(range(len(asked)), key=lambda i: scores[i])
    found = [round(worth.reshape(-1)[i], 12) for i in order]
    assert found == sorted(found, reverse=True)


def test_questions_are_answered_as_the_whole_would_be(trained):
    results = predict(
        Client(make_backend(trained)),
        *(question("bird-3", label, n) for n, label in enumerate((*ONTO.labels, "rock"))),
        config=questions_config(),
    )
    said = {
        label: one["result"][0]["value"]["choices"]
        for label, one in zip(ONTO.labels, results, strict=False)
    }
    assert said["bird"] == said["animal"] == ["Yes"]
    assert said["fish"] == said["plant"] == ["No"]
    assert results[-1]["result"] == []  # a label that the ontology does not have


def test_choices_and_single_choices(trained):
    studio = Client(make_backend(trained))
    many = predict(studio, task("bird-3"), config=choices_config(ONTO))[0]["result"][0]["value"][
        "choices"
    ]
    assert {"animal", "bird"} <= set(many)
    few = "".join(f'<Choice value="{label}"/>' for label in ("animal", "bird", "x"))
    single = f'<View><Choices name="c" toName="t">{few}</Choices></View>'
    (result,) = predict(studio, task("bird-3"), config=single)[0]["result"]
    assert (result["from_name"], result["to_name"], result["value"]) == (
        "c",
        "t",
        {"choices": ["bird"]},
    )


def test_tasks_that_are_only_there_are_added(campaign, studio):
    results = predict(
        studio, task("eel", 1), task("newt", 2, size=3), {"id": 3, "data": {}}, task("robin", 4)
    )
    assert len(results) == 4
    assert campaign.state.ids[-2:] == ("eel", "newt")
    assert campaign.item("newt").item.fields == {"size": 3}
    predict(studio, task("eel", 1))
    assert campaign.state.ids.count("eel") == 1
    studio.post(
        "/webhook",
        json={"action": "TASKS_CREATED", "tasks": [task("ant", 9)], "project": {"id": 5}},
    )
    assert campaign.state.ids[-1] == "ant"


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_nothing_that_is_sent_breaks_it(campaign, studio, data):
    sent = webhook(
        data.draw(
            st.sampled_from((CREATED, "ANNOTATIONS_CREATED", UPDATED, DELETED, "TASKS_CREATED"))
        ),
        annotation(taxonomy(["animal", "bird"]), choices("bird")),
        task=task(),
    )
    sent |= {"tasks": [task(), question()], "label_config": taxonomy_config(ONTO)}
    spoil(data, sent)
    path = data.draw(st.sampled_from(("/predict", "/webhook", "/setup")))
    answer = studio.post(
        path, content=json.dumps(sent), headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (200, 201, 400), answer.text
    assert answer.status_code != 400 or answer.json()["error"]


# -- webhooks ----------------------------------------------------------------------------------------------------------


def test_an_annotation_is_in_the_log_with_who_made_it(campaign, studio):
    assert send(studio, CREATED, annotation(taxonomy(["animal", "bird"])), task=task()) == 2
    assert opinions(campaign) == {
        ("label-studio-7", "animal"): True,
        ("label-studio-7", "bird"): True,
    }
    assert campaign.state.known_of("robin")["fish"] is False
    assert campaign.state.events[-2].seconds == 1.7
    assert campaign.verify() == []


def test_the_same_webhook_twice_changes_nothing_twice(campaign, studio):
    one = annotation(taxonomy(["animal", "bird"]))
    send(studio, CREATED, one, task=task())
    seq = campaign.state.seq
    assert send(studio, CREATED, one, task=task()) == 0
    assert (
        send(Client(make_backend(campaign)), UPDATED, one, task=task()) == 0
    )  # nor after a restart
    assert campaign.state.seq == seq


def test_a_change_replaces_and_a_deletion_takes_back(campaign, studio):
    send(studio, CREATED, annotation(taxonomy(["animal", "bird"])), task=task())
    changed = annotation(taxonomy(["animal", "fish"]), at=LATER)
    send(studio, UPDATED, changed, task=task())
    assert opinions(campaign) == {
        ("label-studio-7", "animal"): True,
        ("label-studio-7", "fish"): True,
    }
    assert (
        send(studio, UPDATED, annotation(taxonomy(["animal", "bird"])), task=task()) == 0
    )  # overtaken on its way
    assert send(Client(make_backend(campaign)), DELETED, changed) == 2
    assert opinions(campaign) == {}
    assert send(studio, DELETED, changed) == 0
    assert (
        send(Client(make_backend(campaign)), CREATED, changed, task=task()) == 0
    )  # it is gone, and stays so
    assert opinions(campaign) == {}
    assert campaign.verify() == []


@pytest.mark.parametrize(
    "action",
    ["ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED", "ANNOTATIONS_UPDATED"],
)
def test_one_or_many(campaign, studio, action):
    sent = [annotation(taxonomy(["plant"]), id=n, task=n) for n in (1, 2)]
    if "ANNOTATIONS" in action:
        assert send(studio, action, *sent, task=[task("robin", 1), task("carp", 2)]) == 2
        assert campaign.state.known_of("carp")["plant"] is True
    else:
        assert send(studio, action, sent[0], task=task("robin", 1)) == 1
    assert campaign.state.known_of("robin")["plant"] is True


@pytest.mark.parametrize("action", ["ANNOTATION_DELETED", "ANNOTATIONS_DELETED"])
def test_deleted_by_itself_or_in_a_list(campaign, studio, action):
    one = annotation(taxonomy(["plant"]))
    send(studio, CREATED, one, task=task())
    assert send(studio, action, one) == 1
    assert opinions(campaign) == {}


def test_a_task_that_is_only_a_number(campaign, studio):
    one = annotation(taxonomy(["plant"]), task=77)
    refused = studio.post("/webhook", json=webhook(CREATED, one))
    assert refused.status_code == 400
    assert "task 77" in refused.json()["error"]
    predict(studio, task("robin", 77))
    assert send(studio, CREATED, one) == 1
    nested = {**annotation(taxonomy(["plant"]), id=5), "task": task("carp", 78)}
    assert send(studio, CREATED, nested) == 1
    assert opinions(campaign, "carp") == {("label-studio-7", "plant"): True}


def test_what_cannot_all_be_true_is_kept_as_a_conflict(campaign, studio):
    send(studio, CREATED, annotation(taxonomy(["animal", "bird"])), task=task())
    send(studio, CREATED, annotation(taxonomy(["plant"]), id=102, who=8), task=task())
    (conflict,) = campaign.conflicts()
    assert {one.who for one in conflict.conflict.opinions} == {"label-studio-7", "label-studio-8"}
    send(studio, CREATED, annotation(choices("bird", "fish"), id=103, task=2), task=task("carp", 2))
    assert {one.item for one in campaign.conflicts()} == {"robin", "carp"}
    assert opinions(campaign, "carp") == {
        ("label-studio-7", "bird"): True,
        ("label-studio-7", "fish"): True,
    }


def test_labels_that_the_ontology_does_not_have_are_told_to_the_lead(campaign, studio):
    send(studio, CREATED, annotation(choices("bird", "dodo")), task=task())
    assert opinions(campaign) == {("label-studio-7", "bird"): True}
    (flag,) = campaign.marked()
    assert "annotation 101: 'dodo' is no label" in flag.detail["note"]
    send(studio, UPDATED, annotation(choices("bird"), at=LATER), task=task())
    assert campaign.marked() == []


def test_answers_to_questions(campaign, studio):
    for n, (label, word) in enumerate(
        (("bird", "Yes"), ("sparrow", "No"), ("mammal", "Can't tell")), 1
    ):
        one = annotation(choices(word, name="answer"), id=n, task=n)
        send(studio, CREATED, one, task=question("robin", label, n))
    said = campaign.state.standing_of("robin").said
    assert opinions(campaign) == {
        ("label-studio-7", "bird"): True,
        ("label-studio-7", "sparrow"): False,
    }
    assert said.unsure == {"mammal": ("label-studio-7",)}
    send(studio, CREATED, annotation(id=9, was_cancelled=True), task=question("carp", "bird", 9))
    assert campaign.state.standing_of("carp").said.skipped == {"bird": ("label-studio-7",)}


def test_in_a_closed_world_what_was_not_picked_is_no(campaign):
    studio = Client(make_backend(campaign, complete=True))
    send(studio, CREATED, annotation(taxonomy(["animal"])), task=task())
    assert campaign.state.known_of("robin") == {label: label == "animal" for label in ONTO.labels}
    send(studio, UPDATED, annotation(taxonomy(["animal", "bird"]), at=LATER), task=task())
    assert campaign.state.known_of("robin") == {
        label: label in ("animal", "bird") for label in ONTO.labels
    }
    send(studio, DELETED, annotation())
    assert set(campaign.state.known_of("robin")) == set(ONTO.propagate({}))
    send(
        studio, CREATED, annotation(id=103, task=2), task=task("carp", 2)
    )  # none at all: one is needed
    assert "exactly one" in campaign.marked()[0].detail["note"]


def test_the_rest_of_the_actions_is_harmless(campaign, studio):
    config = choices_config(ONTO)
    for sent in (
        {"action": "PROJECT_UPDATED", "project": {"id": 5, "label_config": config}},
        {"action": "LABEL_LINK_CREATED"},
    ):
        assert studio.post("/webhook", json=sent).status_code == 201
    campaign.answer("lead", "robin", "bird", True)
    answer = studio.post("/predict", json={"tasks": [task()], "project": "5.17"}).json()["results"][
        0
    ]
    assert answer["result"][0]["type"] == "choices"  # as the project was told to be
    assert (
        studio.post("/webhook", json={"action": "START_TRAINING", "project": {"id": 5}}).status_code
        == 201
    )
    campaign.retrain(wait=True)
    assert campaign.progress()["model"] >= 1


def test_an_annotation_without_its_payload_is_refused(studio):
    answer = studio.post("/webhook", json={"action": CREATED})
    assert answer.status_code == 400
    assert "payload" in answer.json()["error"]


def test_someone_who_no_longer_takes_part_is_refused(campaign, studio):
    campaign.invite("label-studio-7")
    campaign.revoke("label-studio-7")
    assert (
        studio.post(
            "/webhook", json=webhook(CREATED, annotation(choices("bird")), task=task())
        ).status_code
        == 403
    )


def test_many_at_once_are_all_taken_once(campaign):
    backend = make_backend(campaign)
    sent = [
        webhook(CREATED, annotation(choices("bird"), id=n, who=n), task=task()) for n in range(1, 6)
    ] * 3

    def deliver(one):
        assert Client(backend).post("/webhook", json=one).status_code == 201

    threads = [threading.Thread(target=deliver, args=(one,)) for one in sent]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opinions(campaign) == {(f"label-studio-{n}", "bird"): True for n in range(1, 6)}
    assert sum(event.kind == "answer" for event in campaign.state.events) == 5
    assert campaign.verify() == []
