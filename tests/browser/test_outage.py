"""A reload while the server is down: the page is there, says what waits, goes on by itself, and is never an old one."""

from __future__ import annotations

import pytest

from .test_annotator import violations

KEPT = "async () => (await caches.keys()).length"
FILES = "async () => { const out = []; for (const name of await caches.keys()) for (const one of await (await caches.open(name)).keys()) out.push(new URL(one.url).pathname); return out; }"  # noqa: E501
ACTIVE = "async () => { const now = await navigator.serviceWorker.ready; return now.active.state === 'activated' && (await caches.keys()).length === 1; }"  # noqa: E501


def kept(page):
    """Wait until the browser has the page's files."""
    page.wait_for_function(ACTIVE, timeout=30_000)


def test_a_reload_while_the_server_is_down(sit, make_team):
    team = make_team(60)
    ana = sit(team)
    ana.answer()
    ana.stored()
    kept(ana.page)
    team.kill()
    said = [ana.answer(), ana.answer()]
    ana.page.reload()
    ana.page.wait_for_selector("h1:text-is('Not connected')")
    text = ana.page.inner_text("main")
    assert "2 answers wait on this device and go out by themselves." in text
    assert "Ana" not in ana.page.inner_text("body")
    assert violations(ana.page) == []
    ana.page.click("button:text-is('Try now')")
    ana.page.reload()
    ana.page.wait_for_selector("h1:text-is('Not connected')")
    team.start()
    ana.asked()
    ana.stored()
    assert team.said("Ana")[1:] == said


def test_only_the_pages_files_are_kept_and_nothing_private(sit, make_team):
    team = make_team(30)
    ana = sit(team)
    ana.answer()
    ana.stored()
    kept(ana.page)
    ana.page.reload()
    ana.asked()
    paths = ana.page.evaluate(FILES)
    assert "/" in paths
    assert "/static/js/main.js" in paths
    assert [path for path in paths if path != "/" and not path.startswith("/static/")] == []
    ana.page.goto(f"{team.address}#/you")
    ana.page.click("button:text-is('Sign out')")
    ana.page.wait_for_selector("h1:text-is('Please sign in')")
    team.kill()
    ana.page.reload()
    ana.page.wait_for_selector("h1:text-is('Not connected')")
    assert "Ana" not in ana.page.inner_text("body")
    team.start()


def test_what_is_kept_is_never_older_than_the_server(sit, make_team):
    """The worker of an earlier version: its cache goes, and as long as the server answers nothing of it is shown."""
    team = make_team(30)
    ana = sit(team)
    ana.asked()
    kept(ana.page)
    ana.page.evaluate(
        """async () => {
            const old = await caches.open(`corollary|${location.pathname}|old`);
            await old.put("static/js/shared/words.js", new Response("throw new Error('old')", {headers: {"Content-Type": "text/javascript"}}));
            const [name] = (await caches.keys()).filter((one) => !one.endsWith("old"));
            await (await caches.open(name)).put("static/js/shared/words.js", new Response("throw new Error('old')", {headers: {"Content-Type": "text/javascript"}}));
        }"""  # noqa: E501
    )
    ana.page.reload()
    ana.asked()
    assert ana.page.evaluate(KEPT) == 2
    ana.page.evaluate(
        "async () => { const now = await navigator.serviceWorker.ready; await now.unregister(); }"
    )
    ana.page.reload()
    ana.asked()
    kept(ana.page)


@pytest.mark.parametrize("status", [502, 503])
def test_a_proxy_whose_server_is_gone(sit, make_team, status):
    team = make_team(30)
    ana = sit(team)
    ana.asked()
    kept(ana.page)
    ana.context.route("**/*", lambda route: route.fulfill(status=status, body="Bad gateway"))
    ana.page.reload()
    ana.page.wait_for_selector("h1:text-is('Not connected')")
    ana.context.unroute_all()
    ana.asked()


OUR_SHAPE = {
    "error": {"code": "refused", "message": "There is no item.", "hint": "Nothing was changed."}
}
FOREIGN = {
    "a proxy's page": {
        "status": 404,
        "body": "<h1>404 Not Found</h1>",
        "content_type": "text/html",
    },
    "another program's JSON": {"status": 404, "json": {"detail": "Not Found"}},
    "a request that a firewall refuses": {"status": 400, "json": {"error": "bad request"}},
    "our shape from somewhere else": {"status": 400, "json": OUR_SHAPE},
    "a sign-in of something in between": {
        "status": 401,
        "body": "Sign in",
        "content_type": "text/html",
    },
    "a portal that says yes to all": {
        "status": 200,
        "body": "<h1>Welcome</h1>",
        "content_type": "text/html",
    },
    "a redirect to a page": {"status": 403, "body": "", "content_type": "text/html"},
    "our server, which does not know the address": {
        "status": 404,
        "json": {"error": {**OUR_SHAPE["error"], "code": "not_found"}},
        "headers": {"X-Corollary": "1"},
    },
}


def alert(person, text):
    person.page.get_by_role("alert").filter(has_text=text).wait_for()


@pytest.fixture(scope="module")
def crossed(make_team):
    return make_team(120)


@pytest.mark.parametrize("what", FOREIGN)
def test_an_answer_stays_until_the_server_itself_has_it(sit, crossed, what):
    """The attack: whatever stands between page and server says 404, and the answer was gone."""
    ana = sit(crossed)
    ana.asked()
    ana.page.route("**/api/answers", lambda route: route.fulfill(**FOREIGN[what]))
    said = ana.answer()
    alert(ana, f"Your answer about “{said[0]}” was not stored.")
    assert "refused" not in ana.page.inner_text("#notices")
    ana.page.unroute("**/api/answers")
    ana.page.evaluate("document.querySelector('.notice button')?.click()")
    ana.stored()
    assert crossed.said("Ana")[-1] == said


def test_an_answer_that_the_server_refuses_is_told(sit, crossed):
    ana = sit(crossed)
    ana.asked()
    refusing = {"status": 400, "json": OUR_SHAPE, "headers": {"X-Corollary": "1"}}
    ana.page.route("**/api/answers", lambda route: route.fulfill(**refusing))
    item, _, _ = ana.answer()
    alert(ana, f"Your answer about “{item}” was refused. There is no item.")
    ana.page.unroute("**/api/answers")
