"""The wheel, installed in a clean environment and used in an empty folder, with no network and no checkout."""

from __future__ import annotations

import re
import subprocess
from urllib.request import ProxyHandler, build_opener

import pytest

import corollary

from .conftest import contents, outside

pytestmark = pytest.mark.slow

SESSION = """
import corollary as co
onto = co.Ontology.parse("animal > exclusive: bird, fish")
session = co.Session(onto, [[0.0], [1.0], [2.0]])
question = session.ask()[0]
print(question, len(session.answer(question, True)), session.predict().shape)
"""


def test_it_is_the_wheel_that_is_imported(installed):
    place = installed.run(
        "python", "-c", "import corollary; print(corollary.__file__, corollary.__version__)"
    ).split()
    assert place[0].startswith(str(installed.python.parents[1]))
    assert place[1] == corollary.__version__


def test_the_command_is_there(installed):
    assert (
        installed.run("corollary", "--version").strip()
        == f"corollary, version {corollary.__version__}"
    )
    assert installed.run("python", "-m", "corollary", "--version") == installed.run(
        "corollary", "--version"
    )


def test_a_session(installed):
    told = re.fullmatch(
        r"Should [012] be labelled (animal|bird|fish)\? (\d) \(3, 3\)\n",
        installed.run("python", "-c", SESSION),
    )
    assert told is not None
    assert int(told[2]) >= 1


def test_the_data_set_of_the_readme_comes_with_it(installed):
    told = installed.run(
        "python", "-c", "import corollary as co; print(co.load_dataset('segment'))"
    )
    assert told == "<Dataset segment: 400 + 1,910 items, 19 features, 7 labels>\n"


def test_the_page_of_the_demo_comes_from_the_wheel(installed, wheel):
    command = [str(installed.python.with_name("corollary")), "demo", "--no-open", "--port", "0"]
    server = subprocess.Popen(
        command, cwd=installed.folder, env=outside(), stdout=subprocess.PIPE, text=True
    )
    get = build_opener(ProxyHandler({})).open
    try:
        address = next(
            found[1] for line in server.stdout if (found := re.search(r"(http://\S+/)join/", line))
        )
        with get(address) as page:
            assert page.status == 200
            html = page.read().decode()
        used = set(re.findall(r'(?:href|src)="([^"#]+)"', html))
        assert (
            {"static/js/main.js", "static/css/base.css"}
            <= used
            <= {f"static/{name}" for name in assets(wheel)}
        )
        for name, data in assets(wheel).items():
            with get(f"{address}static/{name}") as reply:
                assert reply.status == 200
                assert reply.read().endswith(
                    data
                )  # the worker is told of the other files, in a line before it
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert list(installed.folder.iterdir()) == []  # the demo leaves nothing behind


def assets(wheel) -> dict[str, bytes]:
    prefix = "corollary/web/static/"
    return {
        name.removeprefix(prefix): data
        for name, data in contents(wheel).items()
        if name.startswith(prefix)
    }
