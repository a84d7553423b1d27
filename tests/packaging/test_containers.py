"""The Dockerfile and compose.yaml, as far as they go without Docker: what they say, copy, build, run and ask."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
import yaml

from ..docs.pages import check_command
from ..web.kill_loop import Served, make_campaign
from .conftest import LEFT, ROOT, build

pytestmark = pytest.mark.slow

INSTRUCTIONS = {
    *("FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE"),
    *("STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"),
}
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
    return [
        (word, rest) for word, _, rest in (line.partition(" ") for line in lines if line.strip())
    ]


def said(word: str) -> list[str]:
    return [rest for name, rest in instructions() if name == word]


def copied() -> list[str]:
    return [source for rest in said("COPY") if "--from" not in rest for source in rest.split()[:-1]]


def test_every_instruction_is_one_and_the_images_are_pinned():
    assert {word for word, _ in instructions()} <= INSTRUCTIONS
    for image in said("FROM"):
        assert re.match(r"\S+:\d[\w.-]+( AS \w+)?$", image), image
    assert re.search(r":\d", COMPOSE["services"]["db"]["image"])


def test_it_does_not_run_as_root():
    (user,) = said("USER")
    assert int(user) > 0
    assert any("useradd" in run and user in run for run in said("RUN"))
    words = [word for word, _ in instructions()]
    assert words.index("USER") < words.index("ENTRYPOINT")
    service = COMPOSE["services"]["corollary"]
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True


def test_all_that_is_copied_is_there_and_not_ignored():
    kept = {
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    for source in copied():
        assert (ROOT / source).exists(), source
    assert set(copied()) == kept


def test_the_commands_are_ones_that_the_program_knows():
    (entry,), (command,) = map(json.loads, said("ENTRYPOINT")), map(json.loads, said("CMD"))
    assert entry == ["corollary"]
    for words in (command, COMPOSE["services"]["corollary"]["command"]):
        check_command(" ".join(["corollary", *words]), "Dockerfile or compose.yaml")
    volumes = {name for service in COMPOSE["services"].values() for name in service["volumes"]}
    named = {name.partition(":")[0] for name in volumes if not name.startswith(".")}
    assert named == set(COMPOSE["volumes"])
    mounted = {name.split(":")[1] for name in COMPOSE["services"]["corollary"]["volumes"]}
    assert mounted == set(json.loads(said("VOLUME")[0]))


def test_the_extras_that_it_installs_are_there():
    (install,) = (run for run in said("RUN") if "pip install" in run)
    extras = re.search(r'"\.\[([\w,]+)\]"', install)[1].split(",")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras) <= project["optional-dependencies"].keys()


def test_what_is_copied_is_enough_to_build_and_to_run(tmp_path):
    """The steps of the build, less what pip fetches: that stands in the environment of the tests."""
    source = tmp_path / "build"
    source.mkdir()
    for name in copied():
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=LEFT)
        else:
            shutil.copy(ROOT / name, source)
    wheel = build(source, "wheel", tmp_path / "wheel")
    venv.create(tmp_path / "opt", with_pip=True)
    python = tmp_path / "opt" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel],
        check=True,
        capture_output=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    (next((tmp_path / "opt" / "lib").glob("python*")) / "site-packages" / "here.pth").write_text(
        packages
    )
    run = subprocess.run(
        [tmp_path / "opt" / "bin" / "corollary", "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert "serve" in run.stdout


def test_the_health_check_is_well_with_a_server_and_not_without(tmp_path):
    (check,) = said("HEALTHCHECK")
    _, _, program = json.loads(check[check.index("[") :])
    url = str(tmp_path / "campaign.sqlite")
    make_campaign(url, items=2)
    served = Served(url)
    port = re.search(r":(\d+)/", served.address)[1]
    assert "127.0.0.1:8000/" in program
    program = program.replace(":8000/", f":{port}/")

    def asked() -> int:
        return subprocess.run(
            [sys.executable, "-c", program], check=False, capture_output=True
        ).returncode

    try:
        assert asked() == 0
    finally:
        served.end()
    assert asked() != 0


def test_hadolint_has_nothing_to_say():
    tool = Path(sys.executable).with_name("hadolint")  # of the extra `dev`
    run = subprocess.run(
        [tool, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
