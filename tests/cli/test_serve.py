"""`corollary serve`: the page in a process of its own, stopped by Ctrl-C."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from corollary.campaign.campaign import Campaign
from corollary.cli.serve import lead_token


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
        assert ("works once" in told) == (not options)
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
        assert campaign.authenticate(first).role == "lead"
        assert lead_token(campaign, renew=False) is None
        second = lead_token(campaign, renew=True)
        assert campaign.authenticate(first) is None
        assert campaign.authenticate(second).name == "lead"


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


def test_label_studio_is_served_beside_the_page(place):
    process = start("serve", place, "--port", 0, "--label-studio")
    try:
        link_of(process)
        _, address = link_of(process)
        assert address.endswith("/label-studio")
        with urllib.request.urlopen(f"{address}/health", timeout=20) as told:
            assert b'"UP"' in told.read()
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_nobody_on_the_network_can_send_labels_without_a_password(call, place):
    refused = call("serve", place, "--team", "--host", "0.0.0.0", "--label-studio")
    assert refused.exit_code == 2
    assert "COROLLARY_BASIC_AUTH" in refused.stderr
    odd = call("serve", place, "--label-studio", "--basic-auth", "secret")
    assert "NAME:PASSWORD" in odd.stderr
    assert "--label-studio too" in call("serve", place, "--complete").stderr
