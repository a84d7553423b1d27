"""`corollary serve`: the page in a process of its own, stopped by Ctrl-C."""

from __future__ import annotations

import base64
import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from dataclasses import replace

import pytest

from corollary.campaign.campaign import Campaign
from corollary.cli.label.serve import lead_token

from ...web.webhooks.receiver import SECRET, receiving, until

pytestmark = pytest.mark.slow


def start(*arguments):
    command = [sys.executable, "-u", "-m", "corollary.cli", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def link_of(process) -> tuple[str, str]:
    """What was printed up to the link, and the link."""
    told = ""
    for line in process.stdout:
        told += line
        if found := re.search(r"http://\S+", line):
            return told, found[0]
    raise AssertionError(told)


@pytest.mark.parametrize("options", [(), ("--team",)])
def test_the_link_opens_the_page_and_ctrl_c_ends_it(place, options):
    process = start("serve", place, "--port", 0, *options)
    try:
        told, link = link_of(process)
        assert "works once" in told
        with urllib.request.urlopen(link, timeout=20) as page:
            assert page.status == 200
            assert b"<!doctype html>" in page.read(200).lower()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert "stopped; " in rest
    assert "Traceback" not in rest
    assert process.returncode == 0


def test_alone_means_on_this_machine(call, place):
    result = call("serve", place, "--host", "0.0.0.0")
    assert result.exit_code == 2
    assert "team" in result.stderr


def test_the_lead_gets_a_link_once_and_a_new_one_on_request(place):
    with Campaign.open(place) as campaign:
        first = lead_token(campaign, renew=False)
        assert campaign.linked(first).role == "lead"
        assert campaign.authenticate(first) is None  # a link is no token
        assert lead_token(campaign, renew=False) is None
        second = lead_token(campaign, renew=True)
        assert campaign.linked(first) is campaign.join(first) is None
        assert campaign.authenticate(campaign.join(second)).name == "lead"
        assert campaign.join(second) is None


def test_a_campaign_without_a_lead_gets_one(place):
    with Campaign.open(place) as campaign:
        for (
            one
        ) in campaign.annotators():  # as two leads could bring it about who demoted each other
            campaign._live.store.put_annotator(replace(one, role="annotator"))
    process = start("serve", place, "--port", 0, "--team")
    try:
        told, link = link_of(process)
        assert "The lead's link" in told
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    with Campaign.open(place) as campaign:
        assert campaign.linked(link.rpartition("/")[2]).role == "lead"


def test_the_demo_serves_the_page():
    process = start("demo", "--no-open")
    try:
        told, link = link_of(process)
        assert "Getting ready" in told
        with urllib.request.urlopen(link, timeout=20) as page:
            assert page.status == 200
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert "Traceback" not in rest
    assert process.returncode == 0


def status_of(address, **headers):
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address, headers=headers), timeout=20
        ) as told:
            return told.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("options", [(), ("--team",)])
def test_label_studio_is_served_beside_the_page_with_a_new_password(place, options):
    process = start("serve", place, "--port", 0, "--label-studio", *options)
    try:
        link_of(process)
        _, address = link_of(process)
        found = re.fullmatch(
            r"http://(label-studio:\S{32})@(127\.0\.0\.1:\d+/label-studio)", address
        )
        assert found
        there = f"http://{found[2]}/health"
        basic = base64.b64encode(found[1].encode()).decode()
        assert status_of(there) == status_of(there, Host="localhost") == 401
        assert status_of(there, Authorization=f"Basic {basic}") == 200
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_the_password_can_be_given_up_on_ones_own_machine(place):
    process = start("serve", place, "--port", 0, "--label-studio", "--no-password")
    try:
        link_of(process)
        _, address = link_of(process)
        assert address.endswith("/label-studio")
        assert status_of(f"{address}/health") == 200
    finally:
        process.terminate()
        process.communicate(timeout=20)


@pytest.mark.parametrize("options", [("--team",), ("--team", "--host", "0.0.0.0")])
def test_nobody_else_can_send_labels_without_a_password(call, place, options):
    refused = call("serve", place, "--label-studio", "--no-password", *options)
    assert refused.exit_code == 2
    assert "anybody could send labels" in refused.stderr


def test_odd_options_for_label_studio_are_told(call, place):
    odd = call("serve", place, "--label-studio", "--basic-auth", "secret")
    assert "NAME:PASSWORD" in odd.stderr
    both = call("serve", place, "--label-studio", "--basic-auth", "a:b", "--no-password")
    assert "choose one" in both.stderr
    for option in ("--complete", "--no-password"):
        assert "--label-studio too" in call("serve", place, option).stderr


def test_a_proxy_is_trusted_by_its_address(call, place):
    assert (
        "not by 'proxy.example'"
        in call("serve", place, "--team", "--trusted-proxy", "proxy.example").stderr
    )


def test_webhooks_are_told_of_answers_to_the_served_campaign(place, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(f"{SECRET}\n")
    with Campaign.open(place) as campaign:
        token = campaign.invite("Ana")
        item, label = campaign.state.ids[0], campaign.state.onto.labels[0]
    with receiving() as receiver:
        process = start(
            *("serve", place, "--team", "--port", 0),
            *("--webhook", receiver.url, "--webhook-secret-file", secret, "--webhook-private"),
        )
        try:
            _, link = link_of(process)
            body = json.dumps({"key": "one", "item": item, "label": label, "value": True}).encode()
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            address = f"http://127.0.0.1:{link.split(':')[2].partition('/')[0]}/api/answers"
            urllib.request.urlopen(
                urllib.request.Request(address, body, headers), timeout=20
            ).close()
            until(lambda: receiver.taken)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)
        finally:
            process.kill()
            process.wait()
        (told,) = receiver.contents
    assert (told["event"], told["data"]["who"], told["data"]["item"]) == ("answer", "Ana", item)


def test_odd_options_for_webhooks_are_told(call, place, tmp_path):
    short = tmp_path / "secret"
    short.write_text("short")
    url = "https://example.org/labels"
    for options, why in (
        (("--webhook", url), "--webhook-secret-file"),
        (("--webhook-private",), "give --webhook too"),
        (("--webhook", url, "--webhook-secret-file", short), "16 characters or more"),
    ):
        result = call("serve", place, *options)
        assert result.exit_code == 2
        assert why in result.stderr
